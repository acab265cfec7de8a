const shortestPollMilliseconds = 30_000;
const longestPollMilliseconds = 60_000;
const firstRetryMilliseconds = 500;

/** Polls again and again, one poll at a time; after one that fails sooner, and ever later while they fail. */
export class PollLoop {
  /** @param catchUp is one poll; it is given a signal by which it ends */
  constructor(catchUp, onError) {
    this.catchUp = catchUp;
    this.onError = onError;
    this.failures = 0;
    this.stopping = new AbortController();
    this.wake = () => {};
  }

  /** @returns {Promise<void>} resolves when the first poll is over, be it in vain */
  start() {
    const first = this.poll();
    this.running = this.run();
    return first;
  }

  /** Polls at once. @returns {Promise<void>} resolves when a poll that began after this call is over */
  poll() {
    this.next ??= deferred();
    this.wake();
    return this.next.over;
  }

  async stop() {
    this.stopping.abort();
    this.wake();
    await this.running;
    this.next?.end();
  }

  async run() {
    while (!this.stopping.signal.aborted) {
      const current = this.next;
      this.next = undefined;
      await this.pollOnce();
      current?.end();
      if (!this.next && !this.stopping.signal.aborted) await this.pause();
    }
  }

  async pollOnce() {
    try {
      await this.catchUp(this.stopping.signal);
      this.failures = 0;
    } catch (error) {
      this.failures += 1;
      if (!this.stopping.signal.aborted) this.onError(error);
    }
  }

  async pause() {
    const longest = Math.min(firstRetryMilliseconds * 2 ** (this.failures - 1), longestPollMilliseconds);
    const milliseconds =
      this.failures > 0
        ? between(longest / 2, longest)
        : between(shortestPollMilliseconds, longestPollMilliseconds);
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wake = () => {};
  }
}

function between(shortest, longest) {
  return shortest + Math.random() * (longest - shortest);
}

function deferred() {
  let end;
  const over = new Promise((resolve) => {
    end = resolve;
  });
  return { over, end };
}
