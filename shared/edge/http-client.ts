import { type Dispatcher, Pool } from 'undici';
import { connectWithinSlots, isShort } from './connection-slots.ts';

const connectMilliseconds = 300;
/** Requests to one edge at a time; what waits for its turn does not count against its time. */
export const concurrency = 16;
const longestResponseBytes = 10_000;

const pools = new Map<string, Pool>();

interface HttpResponse {
  readonly status: number;
  readonly body: string;
}

/**
 * @param limitMilliseconds from the moment in which the request is sent to the end of the response
 * @throws Error for whatever kept the response away
 */
export async function sendRequest(
  url: string,
  request: Pick<Dispatcher.DispatchOptions, 'method' | 'path' | 'headers' | 'body'>,
  limitMilliseconds: number,
): Promise<HttpResponse> {
  const pool = poolOf(url);
  const handler = new ResponseHandler(limitMilliseconds);
  pool.dispatch(request, handler);
  try {
    return await handler.response;
  } finally {
    if (isShort()) closeUnused(url, pool);
  }
}

/** One request and its response by undici's innermost interface: every purge makes one for each edge. */
class ResponseHandler implements Dispatcher.DispatchHandler {
  readonly response: Promise<HttpResponse>;
  private readonly limitMilliseconds: number;
  private readonly resolve: (response: HttpResponse) => void;
  private readonly reject: (error: Error) => void;
  private timer: NodeJS.Timeout | undefined;
  private status = 0;
  private body = '';

  constructor(limitMilliseconds: number) {
    const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
    this.response = promise;
    this.resolve = resolve;
    this.reject = reject;
    this.limitMilliseconds = limitMilliseconds;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.timer = setTimeout(() => {
      controller.abort(new Error(`no response within ${this.limitMilliseconds} ms`));
    }, this.limitMilliseconds);
  }

  onResponseStart(_: Dispatcher.DispatchController, statusCode: number): void {
    this.status = statusCode;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.body += chunk.toString('latin1');
    if (this.body.length > longestResponseBytes) controller.abort(new Error('a response without end'));
  }

  onResponseEnd(): void {
    clearTimeout(this.timer);
    this.resolve({ status: this.status, body: this.body });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this.timer);
    this.reject(error);
  }
}

function poolOf(url: string): Pool {
  const known = pools.get(url);
  if (known) return known;
  const pool = new Pool(url, {
    connections: concurrency,
    connect: connectWithinSlots({ timeout: connectMilliseconds }, closeAllUnused),
    // One timer of our own bounds the whole request.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  pools.set(url, pool);
  return pool;
}

function closeAllUnused(): void {
  for (const [url, pool] of pools) closeUnused(url, pool);
}

/** Gives back the slots of the connections that a pool keeps open for later. */
function closeUnused(url: string, pool: Pool): void {
  if (pool.stats.size > 0 || pools.get(url) !== pool) return;
  pools.delete(url);
  void pool.close();
}
