import { X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { TcpSocketConnectOpts } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { freePort } from '../../../../infra/local/host/listen.ts';
import { EdgeClient } from './edge-client.ts';
import { type Certified, type Term, TestAuthority } from './test-authority.ts';

/** Where a node listens for TLS, and its folder of certificates, which an authority of the test has signed. */
export class TlsKit {
  readonly authority = new TestAuthority();
  readonly folder = mkdtempSync(join(tmpdir(), 'cdn-certificates-'));
  private port = 0;

  /** For the node's `run`. */
  async flags(): Promise<readonly string[]> {
    return ['--tls-listen', await this.listen(), '--certificates', this.folder];
  }

  /** @returns where a node is to listen */
  async listen(): Promise<string> {
    this.port = await freePort();
    return `127.0.0.1:${this.port}`;
  }

  get baseUrl(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  /** Makes a pair for the names, in one file; @returns its certificate */
  put(file: string, names: readonly string[], term?: Term): string {
    const { key, cert } = this.certify(names, term);
    this.write(file, cert + key);
    return cert;
  }

  certify(names: readonly string[], term?: Term): Certified {
    return this.authority.certify(
      names.map((name) => `DNS:${name}`),
      term,
    );
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

  /**
   * @param onSession is given each session that the node offers
   * @returns a connection whose handshake is done; fails where it is refused, or is not to be trusted
   */
  connect(
    servername: string,
    options: ConnectionOptions & Pick<TcpSocketConnectOpts, 'localAddress'> = {},
    onSession: (session: Buffer) => void = () => {},
  ): Promise<TLSSocket> {
    const { port } = this;
    const ca = this.authority.certificate;
    return new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port, servername, ca, ...options });
      socket.on('session', onSession);
      socket.once('secureConnect', () => resolve(socket)).once('error', reject);
    });
  }

  /** @returns the certificate that is shown for a name; fails where the handshake is refused */
  async certificateOf(servername: string, options?: ConnectionOptions): Promise<string> {
    const socket = await this.connect(servername, options);
    const certificate = shownBy(socket);
    socket.destroy();
    return certificate;
  }

  remove(): void {
    this.authority.remove();
    rmSync(this.folder, { recursive: true });
  }
}

/** The certificate that a connection shows. */
export function shownBy(socket: TLSSocket): string {
  return new X509Certificate(socket.getPeerCertificate().raw).toString();
}
