import type { LoggedRequest } from './access-log.ts';
import type { Headers } from './headers.ts';

/** What is sent to a visitor, or to the API. */
export interface Reply {
  readonly statusCode: number;
  readonly headers: Headers;
  readonly body: Buffer;
  /** As the log names it; undefined for what is not logged. */
  readonly handling?: LoggedRequest['handling'];
}

/** The edge's own. */
export function ownReply(statusCode: number, text: string, headers: Headers = {}): Reply {
  return { statusCode, headers, body: Buffer.from(`${text}\n`), handling: 'synth' };
}
