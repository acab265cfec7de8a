import { randomUUID } from 'node:crypto';

/** One request that was served, as the edge node logs it. */
export interface LoggedRequest {
  readonly hostname: string;
  readonly method: string;
  readonly status: number;
  readonly bytes: number;
  readonly handling: 'hit' | 'miss' | 'pass' | 'synth';
}

const intervalMilliseconds = 1_000;
const timeoutMilliseconds = 10_000;
const maximumLines = 10_000;

interface Batch {
  readonly key: string;
  readonly body: string;
}

/** The embedded edge's log: its lines go to the API as any edge's do, each batch until the API has it. */
export class AccessLog {
  private lines: string[] = [];
  private batch: Batch | undefined;
  private timer: NodeJS.Timeout | undefined;
  private sending: Promise<void> = Promise.resolve();

  add({ hostname, method, status, bytes, handling }: LoggedRequest): void {
    const line = { ts: Date.now() / 1000, h: hostname, m: method, s: status, b: bytes, hd: handling };
    if (this.lines.length < maximumLines) this.lines.push(JSON.stringify(line));
  }

  /** @param api base address */
  start(api: string, token: string): void {
    this.timer = setInterval(() => {
      this.sending = this.sending.then(() => this.sendWaiting(api, token));
    }, intervalMilliseconds);
  }

  /** Ends with what waits sent in, where the API still takes it. */
  async stop(api: string, token: string): Promise<void> {
    clearInterval(this.timer);
    await this.sending;
    await this.sendWaiting(api, token);
  }

  private async sendWaiting(api: string, token: string): Promise<void> {
    if (!this.batch && this.lines.length > 0) {
      this.batch = { key: randomUUID(), body: `${this.lines.join('\n')}\n` };
      this.lines = [];
    }
    if (this.batch && (await isTaken(this.batch, api, token))) this.batch = undefined;
  }
}

async function isTaken({ key, body }: Batch, api: string, token: string): Promise<boolean> {
  try {
    const { ok } = await fetch(`${api}/api/edge/logs`, {
      method: 'POST',
      headers: { 'X-Edge-Token': token, 'Idempotency-Key': key, 'Content-Type': 'application/x-ndjson' },
      body,
      signal: AbortSignal.timeout(timeoutMilliseconds),
    });
    return ok;
  } catch {
    return false;
  }
}
