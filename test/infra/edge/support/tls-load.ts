import { setTimeout as sleep } from 'node:timers/promises';
import type { EdgeClient } from './edge-client.ts';
import type { TlsKit } from './tls-kit.ts';

const newcomers = 3;
const pauseMilliseconds = 3;

/** Visitors over TLS without an end: some come anew with each request, some stay on HTTP/1.1 and on HTTP/2. */
export class TlsLoad {
  handshakes = 0;
  requests = 0;
  readonly faults: string[] = [];
  private readonly ended = new AbortController();
  private readonly kept: readonly EdgeClient[];
  private readonly running: readonly Promise<void>[];
  private readonly tls: TlsKit;
  private readonly hostname: string;

  constructor(tls: TlsKit, hostname: string) {
    this.tls = tls;
    this.hostname = hostname;
    this.kept = [false, true].map((isHttp2) => tls.client(hostname, { isHttp2, connections: 1 }));
    this.running = [
      ...Array.from({ length: newcomers }, () => this.again(() => this.come())),
      ...this.kept.map((client) => this.again(() => this.ask(client))),
    ];
  }

  async end(): Promise<void> {
    this.ended.abort();
    await Promise.all(this.running);
    await Promise.all(this.kept.map((client) => client.stop()));
  }

  private async again(work: () => Promise<void>): Promise<void> {
    while (!this.ended.signal.aborted) {
      await work().catch((error) => this.faults.push(String(error)));
      await sleep(pauseMilliseconds);
    }
  }

  private async come(): Promise<void> {
    this.handshakes += 1;
    const client = this.tls.client(this.hostname, { connections: 1 });
    await this.ask(client).finally(() => client.stop());
  }

  private async ask(client: EdgeClient): Promise<void> {
    this.requests += 1;
    const { status } = await client.ask({ hostname: this.hostname, target: '/' });
    if (status !== 200) throw new Error(`status ${status}`);
  }
}
