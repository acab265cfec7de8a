import { type Dispatcher, Pool } from 'undici';

const connectMilliseconds = 300;
/** Requests to one edge at a time; what waits for its turn does not count against its time. */
export const concurrency = 16;
const longestAnswerBytes = 10_000;

const pools = new Map<string, Pool>();

export interface ExchangeAnswer {
  readonly status: number;
  readonly body: string;
}

/** One request and its answer by undici's innermost interface: every purge makes one for each edge. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly answer: Promise<ExchangeAnswer>;
  private readonly limitMilliseconds: number;
  private readonly resolve: (answer: ExchangeAnswer) => void;
  private readonly reject: (error: Error) => void;
  private timer: NodeJS.Timeout | undefined;
  private status = 0;
  private body = '';

  constructor(limitMilliseconds: number) {
    const { promise, resolve, reject } = Promise.withResolvers<ExchangeAnswer>();
    this.answer = promise;
    this.resolve = resolve;
    this.reject = reject;
    this.limitMilliseconds = limitMilliseconds;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.timer = setTimeout(() => {
      controller.abort(new Error(`no answer within ${this.limitMilliseconds} ms`));
    }, this.limitMilliseconds);
  }

  onResponseStart(_: Dispatcher.DispatchController, statusCode: number): void {
    this.status = statusCode;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.body += chunk.toString('latin1');
    if (this.body.length > longestAnswerBytes) controller.abort(new Error('an answer without end'));
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

/**
 * @param limitMilliseconds from the moment in which the request is sent to the end of the answer
 * @throws Error for whatever kept the answer away
 */
export function exchange(
  url: string,
  request: Pick<Dispatcher.DispatchOptions, 'method' | 'path' | 'headers'>,
  limitMilliseconds: number,
): Promise<ExchangeAnswer> {
  const handler = new Exchange(limitMilliseconds);
  poolOf(url).dispatch(request, handler);
  return handler.answer;
}

function poolOf(url: string): Pool {
  const known = pools.get(url);
  if (known) return known;
  const pool = new Pool(url, {
    connections: concurrency,
    connect: { timeout: connectMilliseconds },
    // One timer of our own bounds the whole exchange.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  pools.set(url, pool);
  return pool;
}
