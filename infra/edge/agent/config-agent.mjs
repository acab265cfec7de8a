import { askForChanges } from './ask-for-changes.mjs';
import { documentFault } from './document-fault.mjs';
import { DocumentFiles } from './document-files.mjs';

const shortestPollMilliseconds = 30_000;
const longestPollMilliseconds = 60_000;
const firstRetryMilliseconds = 500;

/** As many as the API takes in one request. */
const maximumReported = 100;

/**
 * Brings the API's configuration to a server: asks for what has changed, keeps it on disk, hands it over, and reports
 * what the server runs. Without the API the server continues with what is on disk.
 */
export class ConfigAgent {
  constructor({ dir, api, token, keys, apply, onError = (error) => console.error(error.message) }) {
    this.options = { api, token, keys };
    this.apply = apply;
    this.onError = onError;
    this.files = new DocumentFiles(dir);
    /** Versions of what the server has, or had when it was deleted. */
    this.held = new Map();
    /** Changes that the disk did not take. The cursor is not kept before they are. */
    this.unsaved = new Map();
    /** By property, what the API does not know yet; undefined where it need not be told anything. */
    this.report = undefined;
    /** Properties named by the whole sync at hand. */
    this.named = undefined;
    this.failures = 0;
    this.stopping = new AbortController();
    this.wake = () => {};
  }

  /**
   * Hands over what is on disk, then begins to poll. Throws where the directory cannot be used.
   * @returns {Promise<void>} resolves when the first poll is over, be it in vain
   */
  start() {
    const { documents, faults } = this.files.load(documentFault);
    const state = this.files.readState();
    for (const fault of faults) this.onError(new Error(fault));
    // What cannot be read is asked for again, with everything else.
    if (faults.length === 0 && state) {
      this.cursor = state.cursor;
      this.report = new Map(state.report);
    }
    this.handOver(
      documents.map((document) => ({
        propertyId: document.propertyId,
        version: document.version,
        document,
      })),
    );
    const first = this.poll();
    this.running = this.run();
    return first;
  }

  /** Asks at once. @returns {Promise<void>} resolves when a poll that began after this call is over */
  poll() {
    this.next ??= round();
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
      await this.catchUp();
      current?.end();
      if (!this.next && !this.stopping.signal.aborted) await this.pause();
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

  /** Page after page, until there is nothing to hear and nothing to tell. */
  async catchUp() {
    try {
      let isMore = true;
      while (isMore || this.report?.size > 0) {
        const told = this.report && [...this.report.values()].slice(0, maximumReported);
        const page = await askForChanges(this.options, this.cursor, told, this.stopping.signal);
        this.forget(told);
        await this.take(page);
        ({ isMore } = page);
      }
      this.failures = 0;
    } catch (error) {
      this.failures += 1;
      if (!this.stopping.signal.aborted) this.onError(error);
    }
  }

  /** The API has it. */
  forget(told = []) {
    for (const { propertyId } of told) this.report.delete(propertyId);
    if (this.report?.size === 0) this.report = undefined;
  }

  async take({ changes, cursor, isMore, isWhole, isFirst }) {
    if (isFirst) this.named = undefined;
    const readable = changes.filter((change) => this.isReadable(change));
    // A database that was restored begins anew, with versions that may be lower.
    const accepted = isWhole
      ? readable
      : readable.filter(({ propertyId, version }) => !(this.held.get(propertyId) > version));
    const dropped = this.droppedBy(changes, isWhole, isMore);
    const isMoved = cursor !== this.cursor;
    if (isMoved) this.report ??= new Map();
    await this.save([...accepted, ...dropped]);
    for (const { propertyId, version } of accepted)
      this.tell(propertyId, version, this.unsaved.get(propertyId));
    this.handOver([...accepted, ...dropped]);
    for (const { propertyId } of dropped) this.held.delete(propertyId);
    this.cursor = cursor;
    if (isMoved) this.isKept = false;
    await this.keepCursor();
  }

  isReadable({ propertyId, version, document }) {
    const fault = document === null ? undefined : documentFault(document, propertyId, version);
    if (fault === undefined) return true;
    this.onError(new Error(`the document of property ${propertyId} is refused: ${fault}`));
    this.reported().set(propertyId, { propertyId, version, fault: 'unreadable' });
    return false;
  }

  /** What the server has and a whole sync did not name, at its end. */
  droppedBy(changes, isWhole, isMore) {
    this.named = isWhole ? (this.named ?? new Set()) : undefined;
    for (const { propertyId } of changes) this.named?.add(propertyId);
    if (!this.named || isMore) return [];
    const dropped = [...this.held].filter(([propertyId]) => !this.named.has(propertyId));
    this.named = undefined;
    return dropped.map(([propertyId, version]) => ({ propertyId, version, document: null }));
  }

  /** Writes what is new, and again what the disk did not take before. */
  async save(changes) {
    const before = this.unsaved;
    const all = new Map([...before, ...changes.map((change) => [change.propertyId, change])]);
    const faults = await this.files.save([...all.values()]);
    this.unsaved = new Map([...all].filter(([propertyId]) => faults.has(propertyId)));
    for (const [propertyId, { version }] of before)
      if (!this.unsaved.has(propertyId)) this.tell(propertyId, version, false);
    for (const [propertyId, fault] of faults)
      if (!before.has(propertyId))
        this.onError(new Error(`the document of property ${propertyId} is not kept: ${fault}`));
  }

  tell(propertyId, version, isUnsaved) {
    this.reported().set(propertyId, { propertyId, version, ...(isUnsaved && { fault: 'unsaved' }) });
  }

  reported() {
    this.report ??= new Map();
    return this.report;
  }

  /** In one call for all of a page, so that no request meets a part of it. */
  handOver(changes) {
    for (const { propertyId, version } of changes) this.held.set(propertyId, version);
    if (changes.length > 0) this.apply(changes);
  }

  /** A cursor within a whole sync is not kept: what was named before would be forgotten with the process. */
  async keepCursor() {
    if (this.isKept || this.named || this.unsaved.size > 0) return;
    try {
      await this.files.writeState({ cursor: this.cursor, report: [...(this.report ?? [])] });
      this.isKept = true;
    } catch (error) {
      this.onError(new Error(`the cursor is not kept: ${error.message}`));
    }
  }
}

function between(shortest, longest) {
  return shortest + Math.random() * (longest - shortest);
}

function round() {
  let end;
  const over = new Promise((resolve) => {
    end = resolve;
  });
  return { over, end };
}
