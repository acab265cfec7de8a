import { askForChanges } from './ask-for-changes.mjs';
import { ConfiguredServer } from './configured-server.mjs';
import { documentFault } from './document-fault.mjs';
import { KeptConfiguration } from './kept-configuration.mjs';
import { PollLoop } from './poll-loop.mjs';
import { Report } from './report.mjs';

/**
 * Brings the API's configuration to a server: asks for what has changed, keeps it on disk, hands it over, and reports
 * what the server runs. Without the API the server continues with what is on disk.
 */
export class ConfigAgent {
  constructor({ dir, api, token, keys, onError = (error) => console.error(error.message), ...server }) {
    this.options = { api, token, keys };
    this.onError = onError;
    this.server = new ConfiguredServer(server);
    this.kept = new KeptConfiguration(dir, onError);
    this.loop = new PollLoop((signal) => this.catchUp(signal), onError);
    this.report = new Report();
    /** Properties whose newest document was refused: another program may understand it. */
    this.unreadable = new Set();
    /** Whether what is kept was everything at some time. */
    this.isComplete = false;
    /** Properties named by the whole sync at hand. */
    this.named = undefined;
  }

  /**
   * Hands over what is on disk, then begins to poll. Throws where the directory cannot be used.
   * @returns {Promise<void>} resolves when the first poll is over, be it in vain
   */
  start() {
    const state = this.kept.files.readState();
    if (state) {
      this.isComplete = true;
      this.cursor = state.cursor;
      this.report = new Report(state.report);
      this.unreadable = new Set(state.unreadable);
    }
    if (this.unreadable.size > 0) this.askForEverything();
    return this.loop.start();
  }

  /** Hands over everything, to a server that has been started anew. @returns {Promise<void>} as `poll` */
  handOverAll() {
    this.server.isHandOverDue = true;
    return this.poll();
  }

  /** Asks at once. @returns {Promise<void>} resolves when a poll that began after this call is over */
  poll() {
    return this.loop.poll();
  }

  stop() {
    return this.loop.stop();
  }

  /** Page after page, until there is nothing to hear and nothing to tell. */
  async catchUp(signal) {
    await this.handOverDue();
    await this.handOverAgain();
    let isMore = true;
    while (isMore || this.cursor === undefined || this.report.isDue) {
      const told = this.report.next();
      const page = await askForChanges(this.options, this.cursor, told, signal);
      this.report.forget(told);
      await this.take(page);
      ({ isMore } = page);
      await this.handOverDue();
    }
    if (this.isComplete) return;
    this.isComplete = true;
    await this.server.ready();
  }

  async take({ changes, cursor, isMore, isWhole, isFirst }) {
    if (isFirst) this.beginWholeSync();
    if (!isWhole) this.named = undefined;
    for (const { propertyId } of changes) this.named?.add(propertyId);
    const accepted = changes.filter((change) => this.isAccepted(change, isWhole));
    const dropped = isMore ? [] : this.unnamed();
    const isMoved = cursor !== this.cursor;
    if (isMoved) this.report.begin();
    const faults = await this.bring([...accepted, ...dropped]);
    for (const change of accepted) if (!faults.has(change.propertyId)) this.tellTaken(change);
    for (const { propertyId } of dropped) this.server.held.delete(propertyId);
    if (!isMore) this.named = undefined;
    this.cursor = cursor;
    if (isMoved) this.isKept = false;
    await this.keepCursor();
  }

  beginWholeSync() {
    this.named = new Set();
    this.unreadable.clear();
  }

  /** A database that was restored begins anew, with versions that may be lower. */
  isAccepted(change, isWhole) {
    const { propertyId, version, document } = change;
    const fault = document === null ? undefined : documentFault(document, propertyId, version);
    if (fault === undefined) return isWhole || !(this.server.held.get(propertyId) > version);
    this.onError(new Error(`the document of property ${propertyId} is refused: ${fault}`));
    this.refuse(change);
    return false;
  }

  /** What the server or the disk has and a whole sync has not named, at its end. */
  unnamed() {
    if (!this.named) return [];
    const { held } = this.server;
    const known = new Set([...held.keys(), ...this.kept.files.propertyIds()]);
    return [...known]
      .filter((propertyId) => !this.named.has(propertyId))
      .map((propertyId) => ({ propertyId, version: held.get(propertyId) ?? 0, document: null }));
  }

  /**
   * Documents are on disk before the server has them, and leave it after: so a kill in between is made up for. In a first sync,
   * which a kill begins anew, both happen at once.
   * @returns as `ConfiguredServer.take`
   */
  async bring(changes) {
    const saving = this.save(changes.filter(({ document }) => document !== null));
    if (this.isComplete) await saving;
    const [replaced, faults] = await Promise.all([saving, this.handOver(changes)]);
    for (const change of changes)
      if (faults.get(change.propertyId) === 'unreadable')
        await this.kept.takeBack(change, replaced.get(change.propertyId));
    const deletions = changes.filter(({ document }) => document === null);
    if (deletions.length > 0) await this.save(deletions);
    return faults;
  }

  async save(changes) {
    const { replaced, caughtUp } = await this.kept.save(changes);
    for (const change of caughtUp)
      if (!this.server.withoutRoom.has(change.propertyId)) this.tellTaken(change);
    return replaced;
  }

  /** @returns as `ConfiguredServer.take` */
  async handOver(changes) {
    const faults = await this.server.take(changes);
    for (const change of changes) if (faults.get(change.propertyId) === 'unreadable') this.refuse(change);
    return faults;
  }

  async handOverDue() {
    if (!this.server.isHandOverDue) return;
    this.server.begin();
    const faults = [];
    await this.server.orDoubt(async () => {
      for (const changes of this.kept.changes(faults)) await this.handOver(changes);
    });
    for (const fault of faults) this.onError(new Error(fault));
    if (faults.length > 0) this.askForEverything();
    if (this.isComplete) await this.server.ready();
  }

  /** There may be room now. */
  async handOverAgain() {
    const newest = [...this.server.withoutRoom].map((propertyId) => this.kept.newest(propertyId));
    const changes = newest.filter((change) => change !== undefined);
    if (changes.length < newest.length) this.askForEverything();
    const faults = await this.handOver(changes);
    for (const change of changes) if (!faults.has(change.propertyId)) this.tellTaken(change);
  }

  tellTaken(change) {
    this.unreadable.delete(change.propertyId);
    this.report.tell(change, this.kept.unsaved.has(change.propertyId) ? 'unsaved' : undefined);
  }

  refuse(change) {
    this.unreadable.add(change.propertyId);
    this.report.tell(change, 'unreadable');
    this.isKept = false;
  }

  /** What is applied is told again, too. */
  askForEverything() {
    this.cursor = undefined;
    this.report.clear();
  }

  /** A cursor within a whole sync is not kept: what was named before would be forgotten with the process. */
  async keepCursor() {
    if (this.isKept || this.named || this.kept.unsaved.size > 0) return;
    const [report, unreadable] = [[...(this.report.entries ?? [])], [...this.unreadable]];
    try {
      await this.kept.files.writeState({ cursor: this.cursor, report, unreadable });
      this.isKept = true;
    } catch (error) {
      this.onError(new Error(`the cursor is not kept: ${error.message}`));
    }
  }
}
