import { connect, createServer, type Server, type Socket } from 'node:net';
import { listen } from '../../../../infra/local/host/listen.ts';

/** A way to a server that can be cut, while the server itself lives on and keeps what it has stored. */
export class TcpProxy {
  private readonly target: URL;
  private readonly sockets = new Set<Socket>();
  private server: Server | undefined;
  private port = 0;

  constructor(baseUrl: string) {
    this.target = new URL(baseUrl);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** For the first time, or on the same port again. */
  async open(): Promise<void> {
    this.server = createServer((socket) => this.join(socket));
    this.port = await listen(this.server, this.port, 'the proxy');
  }

  /** Ends every connection and refuses new ones. */
  async cut(): Promise<void> {
    const { server } = this;
    if (!server) return;
    this.server = undefined;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private join(socket: Socket): void {
    const onward = connect(Number(this.target.port), this.target.hostname);
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      this.sockets.add(one);
      one.on('error', () => other.destroy()).on('close', () => this.sockets.delete(one));
      one.pipe(other);
    }
  }
}
