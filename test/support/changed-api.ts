import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type Dispatcher, request as send } from 'undici';
import { listen } from '../../infra/local/host/listen.ts';

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface Given {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** What becomes of a request: forward asks the real API. */
export type Change = (asked: Asked, forward: (asked: Asked) => Promise<Given>) => Promise<Given>;

export const unchanged: Change = (asked, forward) => forward(asked);

/** The API of a run, behind something that changes requests and responses. */
export class ChangedApi {
  change: Change = unchanged;
  url = '';
  private readonly baseUrl: string;
  private readonly server = createServer((request, response) => {
    this.handle(request, response).catch(() => response.destroy());
  });

  constructor(baseUrl: string) {
    this.baseUrl = baseUrl;
  }

  async start(): Promise<void> {
    this.url = `http://127.0.0.1:${await listen(this.server, 0, 'the changed API')}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url: path = '/', headers } = request;
    const asked = { method, path, headers, body: (await buffer(request)).toString() };
    const { status, headers: given, body } = await this.change(asked, (changed) => this.forward(changed));
    const { 'content-length': _, ...others } = given;
    response.writeHead(status, others).end(body);
  }

  private async forward({ method, path, headers, body }: Asked): Promise<Given> {
    const { host: _, connection: __, 'content-length': ___, ...others } = headers;
    const response = await send(this.baseUrl + path, {
      method: method as Dispatcher.HttpMethod,
      headers: others,
      body: body === '' ? null : body,
    });
    return { status: response.statusCode, headers: response.headers, body: await response.body.text() };
  }
}
