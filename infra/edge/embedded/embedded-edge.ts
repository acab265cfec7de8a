import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Notifications } from '../agent/notifications.mjs';
import type { AccessLog } from './access-log.ts';
import { allow, isAllowed, refuseOtherMethods } from './allowed-methods.ts';
import { Delivery } from './delivery.ts';
import { type OriginOptions, Origins } from './origins.ts';
import { PurgeEndpoint } from './purge-endpoint.ts';
import { ownReply, type Reply } from './reply.ts';
import { ruledReply } from './ruled-reply.ts';
import { type Directory, hostnameOf, type Visit, visitOf } from './visit.ts';
import { withBrowserTtl, withRuledHeaders } from './visitor-reply.ts';

interface EmbeddedEdgeOptions extends Directory {
  readonly origins: OriginOptions;
  readonly secret: string;
  /** Where each request that was served is written down. */
  readonly log?: AccessLog;
  /** Is told why the edge itself responds with 502. */
  readonly onError?: (error: unknown) => void;
  /** Called when the API says that there is something to poll for. */
  readonly onPoll?: () => void;
}

/** A small cache that serves sites as the API configures them, and speaks the purge protocol as the edge node does. */
export class EmbeddedEdge {
  readonly server: Server;
  private readonly options: EmbeddedEdgeOptions;
  private readonly origins: Origins;
  private readonly delivery: Delivery;
  private readonly purges: PurgeEndpoint;

  constructor(options: EmbeddedEdgeOptions) {
    const { secret, onPoll = () => undefined } = options;
    this.options = options;
    this.origins = new Origins(options.origins);
    this.delivery = new Delivery(this.origins);
    this.purges = new PurgeEndpoint(this.delivery.cache, secret, new Notifications(secret), onPoll);
    this.server = createServer((request, response) => {
      this.replyTo(request)
        .then((reply) => this.send(response, reply))
        .catch((error: unknown) => {
          this.options.onError?.(error);
          this.send(response, ownReply(502, 'The response cannot be sent.'));
        });
    });
    refuseOtherMethods(this.server);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await Promise.all([new Promise((resolve) => this.server.close(resolve)), this.origins.stop()]);
  }

  private async replyTo(request: IncomingMessage): Promise<Reply> {
    if (request.method === 'PURGE') return this.purges.replyTo(request.headers, new Date());
    if (!isAllowed(request.method)) return ownReply(405, 'Method Not Allowed', { allow });
    const visit = visitOf(request, this.options);
    if ('statusCode' in visit) return visit;
    return withRuledHeaders(ruledReply(visit) ?? (await this.contentFor(visit)), visit.treatment);
  }

  private async contentFor(visit: Visit): Promise<Reply> {
    try {
      return withBrowserTtl(await this.delivery.replyTo(visit), visit.treatment);
    } catch (error) {
      this.options.onError?.(error);
      return ownReply(502, 'The origin is away.');
    }
  }

  private send(response: ServerResponse, { statusCode, headers, body, handling }: Reply): void {
    if (response.headersSent) return void response.destroy();
    const { method = '' } = response.req;
    const bytes = method === 'HEAD' ? 0 : body.length;
    const hostname = hostnameOf(response.req, this.options);
    if (handling) this.options.log?.add({ hostname, method, status: statusCode, bytes, handling });
    // Such a response has no body of its own, and the length that the origin says is that of another one.
    const isBodiless = statusCode === 204 || statusCode === 304 || (method === 'HEAD' && body.length === 0);
    response.writeHead(statusCode, isBodiless ? headers : { ...headers, 'content-length': body.length });
    response.end(body);
  }
}
