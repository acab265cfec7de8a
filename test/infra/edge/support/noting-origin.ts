import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type Content, TestOrigin } from './test-origin.ts';

interface Noted {
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
}

/** One that many sites have, and that knows of each what it was asked first. */
export class NotingOrigin extends TestOrigin {
  readonly noted = new Map<string, Noted>();

  protected override async contentOf(request: IncomingMessage): Promise<Content> {
    const content = await super.contentOf(request);
    const { hostname, target } = content;
    if (!this.noted.has(hostname)) this.noted.set(hostname, { target, headers: request.headers });
    return content;
  }
}
