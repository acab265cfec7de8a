import { appendFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FlakyApi } from '../../../infra/edge/support/flaky-api.ts';
import { type RunningShipper, startShipper } from '../../../infra/edge/support/shipper.ts';

/** As much is sent at once. */
const enoughBytes = 1024 * 1024;

/** A log as a kit writes it, a shipper that is killed, and an API that is away or loses responses. */
export class SpooledLog {
  readonly api: FlakyApi;
  private readonly folder = mkdtempSync(join(tmpdir(), 'cdn-trust-logs-'));
  private readonly dir = join(this.folder, 'log');
  private readonly tokenFile = join(this.folder, 'token');
  private apiUrl = '';
  private shipper: RunningShipper | undefined;
  private segments = 0;

  constructor(baseUrl: string, token: string) {
    this.api = new FlakyApi(baseUrl);
    mkdirSync(this.dir);
    writeFileSync(this.tokenFile, `${token}\n`);
  }

  async start(): Promise<void> {
    this.apiUrl = await this.api.start();
    await this.restartShipper();
  }

  async restartShipper(): Promise<void> {
    await this.shipper?.end('SIGKILL');
    this.shipper = startShipper(this.dir, this.apiUrl, this.tokenFile);
  }

  /** In two writes, the first of which ends within a line. */
  write(lines: readonly Buffer[]): void {
    const bytes = Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));
    const middle = Math.floor(bytes.length / 2);
    for (const part of [bytes.subarray(0, middle), bytes.subarray(middle)])
      appendFileSync(this.segment, part);
  }

  /** The file at hand is full, and taken for one that has been quiet for long. */
  beginSegment(): void {
    appendFileSync(this.segment, '');
    utimesSync(this.segment, 0, 0);
    this.segments += 1;
    appendFileSync(this.segment, '');
  }

  /** Until everything is sent. @param filler a line that is in nobody's count */
  fill(filler: Buffer): void {
    const count = Math.ceil(enoughBytes / (filler.length + 1));
    this.write(Array.from({ length: count }, () => filler));
  }

  async stop(): Promise<void> {
    await this.shipper?.end('SIGKILL');
    await this.api.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private get segment(): string {
    return join(this.dir, `access.log.1795167000.${String(this.segments).padStart(6, '0')}`);
  }
}
