import { setTimeout as sleep } from 'node:timers/promises';
import { halfOf, lengthOfLines } from './batch.mjs';
import { advance, beginningOf, divide, readPosition, writePosition } from './position.mjs';
import { isTaking, send } from './send.mjs';
import { bound, finishRetiring, isFinal, readBytes, retire, segmentsOf } from './spool.mjs';

const intervalMilliseconds = 10_000;
const enoughBytes = 1024 * 1024;

/** What has piled up goes in larger batches, which cost less; packed they are smaller than what the API takes. */
const batchBytes = 4 * 1024 * 1024;

const pollMilliseconds = 500;
const longestPauseMilliseconds = 30_000;

/** Sends a directory's log in, for ever: batch after batch, each one until the API has it. */
export class Shipper {
  constructor(options) {
    this.options = options;
    this.dir = options.dir;
    this.position = readPosition(this.dir);
    this.sentAt = Date.now();
    this.droppedLines = 0;
    finishRetiring(this.dir, () => this.moveTo(undefined));
  }

  async run() {
    for (;;) {
      this.tend();
      if (!(await this.step())) await sleep(pollMilliseconds);
    }
  }

  moveTo(position) {
    writePosition(this.dir, position);
    this.position = position;
  }

  /** Keeps the log small, while nothing can be sent too. */
  tend() {
    bound(this.dir, this.options.keptBytes, this.position?.inode);
  }

  /** @returns whether there was something to do */
  async step() {
    const segment = this.segment();
    if (!segment) return false;
    const { start, end } = this.position;
    if (end > start) {
      await this.deliver(segment);
      return true;
    }
    const bytes = this.nextBatch(segment);
    if (bytes > 0) {
      this.moveTo({ ...this.position, end: start + bytes });
      return true;
    }
    if (segment.size > start || !isFinal(this.dir, segment)) return false;
    retire(this.dir, segment, () => this.moveTo(undefined));
    return true;
  }

  /** The segment at hand; a new one where there is none, or where its file was begun anew. */
  segment() {
    const segments = segmentsOf(this.dir);
    const current = segments.find(({ inode }) => inode === this.position?.inode);
    if (current && current.size >= this.position.end) return current;
    const next = current ?? segments[0];
    if (next) this.moveTo(beginningOf(next.inode));
    return next;
  }

  /** Length of the batch that is due; 0 while none is. A line that is still being written waits. */
  nextBatch(segment) {
    const { start } = this.position;
    const waiting = segment.size - start;
    const isDue = waiting >= enoughBytes || Date.now() - this.sentAt >= intervalMilliseconds;
    if (waiting === 0 || !isDue) return 0;
    const bytes = readBytes(segment, start, Math.min(waiting, batchBytes));
    const whole = lengthOfLines(bytes);
    if (whole > 0) return whole;
    return isFinal(this.dir, segment) || bytes.length === batchBytes ? bytes.length : 0;
  }

  /** Sends the batch at hand until the API has said what becomes of it. */
  async deliver(segment) {
    const { inode, start, end } = this.position;
    const bytes = readBytes(segment, start, end - start);
    for (let failures = 0; ; failures += 1) {
      const result = await send(this.options, inode, start, bytes);
      if (await this.isSettled(result)) return this.settle(segment, bytes, result);
      console.error(`ship-logs: not sent yet: ${result.reason}`);
      await this.pause(failures);
    }
  }

  /** A refusal counts where the API takes something else: a gateway may refuse everything for a while. */
  async isSettled({ outcome }) {
    return outcome === 'counted' || (outcome !== 'open' && (await isTaking(this.options)));
  }

  /** A refused batch is divided until it is the one line at fault, and that is dropped. */
  settle(segment, bytes, { outcome, reason }) {
    const half = outcome === 'refused' ? halfOf(bytes) : 0;
    if (half > 0) return this.moveTo(divide(this.position, half));
    if (outcome === 'refused') this.sayDropped(segment, bytes, reason);
    if (outcome === 'known')
      console.error(`ship-logs: a batch is counted as another version of ship-logs has sent it: ${reason}`);
    this.sentAt = Date.now();
    this.moveTo(advance(this.position));
  }

  sayDropped({ name }, { length }, reason) {
    this.droppedLines += 1;
    const place = `the line of ${length} bytes at byte ${this.position.start} of ${name}`;
    console.error(`ship-logs: ${place} is dropped, number ${this.droppedLines} since the start: ${reason}`);
  }

  async pause(failures) {
    const longest = Math.min(1_000 * 2 ** failures, longestPauseMilliseconds);
    const until = Date.now() + longest * (0.5 + Math.random() / 2);
    while (Date.now() < until) {
      this.tend();
      await sleep(pollMilliseconds);
    }
  }
}
