import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Content, TestOrigin } from '../../../infra/edge/support/test-origin.ts';

/** In whatever an attacker says. */
export const mark = 'evil';

/** What an origin may make a response of. */
export interface Reflected extends Content {
  readonly method: string;
  /** As the edge says them. */
  readonly forwarded: string;
  /** Of the headers that every response names in its `Vary`. */
  readonly variant: string;
  /** Headers that hold an attacker's words, or ask for less than the whole content. */
  readonly heard: readonly string[];
  readonly body: string;
}

const ofOnePart = /^(?:range|if.*|content.*|transfer.encoding)$/i;

/** Its responses may be stored, and show all that it was told. What reaches it past the edge it keeps. */
export class ReflectingOrigin extends TestOrigin {
  /** Requests that do not look as if the edge had made them. */
  readonly past: string[] = [];
  protected override readonly headers = {
    'cache-control': 'max-age=3600',
    vary: 'X-Variant, Accept-Language',
    'surrogate-key': 'reflected',
  };

  protected override async contentOf(request: IncomingMessage): Promise<Reflected> {
    const { method = '', headers, rawHeaders } = request;
    const body = await text(request).catch(String);
    const forwarded = `${headers['x-forwarded-proto']}://${headers['x-forwarded-host']}`;
    const host = (headers.host ?? '').toLowerCase();
    // The edge names no host where the visitor did not.
    const hosts = [host, host.replace(/\.?(?::\d*)?$/, ''), ''];
    const isOfEdge = hosts.some((name) => forwarded === `http://${name}`);
    if (!isOfEdge) this.past.push(`${method} ${request.url} ${rawHeaders.join('|')}`);
    const heard = rawHeaders.flatMap((name, index) => {
      const value = rawHeaders[index + 1] ?? '';
      const isHeard = index % 2 === 0 && (value.includes(mark) || (method === 'GET' && ofOnePart.test(name)));
      return isHeard && !isOwn(name) ? [`${name}: ${value}`] : [];
    });
    const variant = `${headers['x-variant'] ?? ''}/${headers['accept-language'] ?? ''}`;
    return { ...(await super.contentOf(request)), method, forwarded, variant, heard, body };
  }
}

/** What the edge says in a header of its own follows from the host, which is shown as it is. */
function isOwn(name: string): boolean {
  return /^(?:host|x-forwarded-host)$/i.test(name);
}
