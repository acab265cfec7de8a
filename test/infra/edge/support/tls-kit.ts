import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { EdgeClient } from './edge-client.ts';
import { freePort } from './listen.ts';
import { type Term, TestAuthority } from './test-authority.ts';

/** Where a node listens for TLS, and its folder of certificates, which an authority of the test has signed. */
export class TlsKit {
  readonly authority = new TestAuthority();
  readonly folder = mkdtempSync(join(tmpdir(), 'cdn-certificates-'));
  private port = 0;

  /** For the node's `run`. */
  async flags(): Promise<readonly string[]> {
    this.port = await freePort();
    return ['--tls-listen', `127.0.0.1:${this.port}`, '--certificates', this.folder];
  }

  get baseUrl(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  /** Makes a pair for the names, in one file; @returns its certificate */
  put(file: string, names: readonly string[], term?: Term): string {
    const { key, cert } = this.authority.certify(names.map((name) => `DNS:${name}`).join(), term);
    this.write(file, cert + key);
    return cert;
  }

  /** Writes a file whole. */
  write(file: string, text: string): void {
    const path = join(this.folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(`${this.folder}.next`, text, { mode: 0o600 });
    renameSync(`${this.folder}.next`, path);
  }

  /** A browser whose connections are for one name. */
  client(servername: string, { isHttp2 = false, connections = 16 } = {}): EdgeClient {
    const ca = this.authority.certificate;
    return new EdgeClient(this.baseUrl, connections, { ca, servername, isHttp2 });
  }

  /** @returns a connection whose handshake is done; fails where it is refused, or is not to be trusted */
  connect(servername: string, options: ConnectionOptions = {}): Promise<TLSSocket> {
    const { port } = this;
    const ca = this.authority.certificate;
    return new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port, servername, ca, ...options });
      socket.once('secureConnect', () => resolve(socket)).once('error', reject);
    });
  }

  remove(): void {
    this.authority.remove();
    rmSync(this.folder, { recursive: true });
  }
}
