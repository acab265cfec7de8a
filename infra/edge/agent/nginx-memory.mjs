import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectTo, post } from './post.mjs';

/** A worker of nginx responds to nobody while it takes a chunk. */
const chunkCharacters = 256 * 1024;
const retryMilliseconds = 100;

const faults = { 422: 'unreadable', 507: 'noRoom' };

/** The memory of the node's nginx, where its workers find what they serve. */
export class NginxMemory {
  constructor(socket, onError) {
    this.socket = socket;
    this.onError = onError;
  }

  /** What follows goes to one and the same nginx: one that is started anew has an empty memory. */
  begin() {
    this.instance = undefined;
  }

  /** @returns what nginx does not take */
  async apply(changes) {
    const refusals = [];
    for (const chunk of chunksOf(changes)) refusals.push(...(await this.put(chunk)));
    return refusals;
  }

  /** Everything has been handed over. */
  async ready() {
    await this.post('{"changes":[],"isReady":true}');
  }

  /** What is not taken together may be taken one by one. */
  async put(chunk) {
    const { status, text } = await this.post(
      `{"changes":[${chunk.map((entry) => entry.text).join()}],"isReady":false}`,
    );
    if (status === 204) return [];
    if (chunk.length > 1) {
      const refusals = [];
      for (const entry of chunk) refusals.push(...(await this.put([entry])));
      return refusals;
    }
    const [{ propertyId }] = chunk;
    this.onError(new Error(`nginx does not take property ${propertyId}: ${text.trim()}`));
    return [{ propertyId, fault: faults[status] }];
  }

  /** Until nginx responds. @throws Error where it was started anew, or fails */
  async post(text) {
    for (;;) {
      const connection = await this.connect();
      const response = await post(connection, text).catch((error) => this.retryAfter(error));
      if (!response) continue;
      if (response.status === 204 || Object.hasOwn(faults, response.status)) return response;
      throw new Error(`nginx responded with ${response.status}: ${response.text.trim()}`);
    }
  }

  async connect() {
    for (;;) {
      const connection = await connectTo(this.socket).catch((error) => this.retryAfter(error));
      if (!connection) continue;
      if (this.isSame()) return connection;
      connection.destroy();
      throw new Error('nginx was started anew while it got its documents');
    }
  }

  /** After a connection: then the socket is of the nginx that has accepted it, or of one that was started later. */
  isSame() {
    const { ino, ctimeNs } = statSync(this.socket, { bigint: true, throwIfNoEntry: false }) ?? {};
    const instance = `${ino} ${ctimeNs}`;
    this.instance ??= instance;
    return instance === this.instance;
  }

  async retryAfter({ message }) {
    this.onError(new Error(`nginx cannot be reached: ${message}`));
    await sleep(retryMilliseconds);
  }
}

/** Changes with their texts, each chunk of bounded size. */
function chunksOf(changes) {
  const chunks = [];
  let characters = Number.POSITIVE_INFINITY;
  for (const change of [...changes].sort(byNewestClaim)) {
    const entry = { propertyId: change.propertyId, text: JSON.stringify(change) };
    characters += entry.text.length;
    if (characters > chunkCharacters) {
      chunks.push([]);
      characters = entry.text.length;
    }
    chunks.at(-1).push(entry);
  }
  return chunks;
}

/** A host name that moves comes to its new property before it leaves the old one; deletions are last. */
function byNewestClaim(one, other) {
  return newestClaim(other) - newestClaim(one);
}

function newestClaim({ document }) {
  return Math.max(...(document?.hostnames ?? []).map(({ claimedAt }) => claimedAt), document ? 0 : -1);
}
