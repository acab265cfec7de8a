import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type Content, TestOrigin } from './test-origin.ts';

interface Noted {
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  /** How often it was asked. */
  requests: number;
}

/** One that many sites have, and that knows of each what it was asked first, and how often. */
export class NotingOrigin extends TestOrigin {
  readonly noted = new Map<string, Noted>();

  protected override async contentOf(request: IncomingMessage): Promise<Content> {
    const content = await super.contentOf(request);
    const { hostname, target } = content;
    const noted = this.noted.get(hostname) ?? { target, headers: request.headers, requests: 0 };
    noted.requests += 1;
    this.noted.set(hostname, noted);
    return content;
  }
}
