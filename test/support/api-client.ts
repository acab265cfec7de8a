import { request } from 'undici';
import type { Envelope } from '../../shared/http/envelope.ts';

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The bytes as they came. */
  readonly text: string;
  readonly envelope: Envelope;
  /** The envelope's data, for reading fields of. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever the response holds and compare it.
  readonly data: any;
}

export interface Sent {
  readonly method?: string;
  /** Pairs, so that a header can be sent twice. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** An object is sent as JSON; a string or bytes go as they are. */
  readonly body?: object | string | Buffer;
}

type ResponseCheck = (method: string, path: string, response: ApiResponse) => void;

let check: ResponseCheck = () => undefined;

/** From now on every response to every client is given to the check, which throws where something is wrong. */
export function checkResponses(given: ResponseCheck): void {
  check = given;
}

function bytesOf(body: Sent['body']): string | Buffer | null {
  if (body === undefined) return null;
  return typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
}

/** Calls the API as a client does, and reads the envelope. */
export class ApiClient {
  readonly baseUrl: string;
  readonly key: string;

  constructor(baseUrl: string, key: string) {
    this.baseUrl = baseUrl;
    this.key = key;
  }

  get(path: string): Promise<ApiResponse> {
    return this.send(path, { headers: [['X-API-Key', this.key]] });
  }

  post(path: string, body: NonNullable<Sent['body']>): Promise<ApiResponse> {
    return this.send(path, { method: 'POST', headers: [['X-API-Key', this.key]], body });
  }

  /** Sends exactly the given headers: no credential but those. */
  async send(path: string, { method = 'GET', headers = [], body }: Sent = {}): Promise<ApiResponse> {
    const {
      statusCode,
      headers: received,
      body: stream,
    } = await request(this.baseUrl + path, {
      method: method as 'GET',
      headers: headers.flat(),
      body: bytesOf(body),
    });
    const text = await stream.text();
    const envelope = (text === '' ? {} : JSON.parse(text)) as Envelope;
    const response = { status: statusCode, headers: received, text, envelope, data: envelope.data };
    check(method, path, response);
    return response;
  }
}
