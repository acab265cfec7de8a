import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

const atOnce = 50;
const chunkCharacters = 1024 * 1024;
const ending = '.json';

/** The configuration on disk: a file for each document, and one for how far the edge has come with the API. */
export class DocumentFiles {
  constructor(dir) {
    this.dir = dir;
    this.documents = join(dir, 'documents');
    this.state = join(dir, 'state.json');
    mkdirSync(this.documents, { recursive: true, mode: 0o700 });
    /** What another process has renamed may not be durable. */
    this.isDirectorySynced = false;
  }

  /**
   * All documents, in chunks of bounded size.
   * @param faultOf says what is wrong with a document
   * @param faults gets a line for each one that cannot be read
   */
  *load(faultOf, faults) {
    let chunk = [];
    let characters = 0;
    for (const name of readdirSync(this.documents)) {
      const path = join(this.documents, name);
      if (!name.endsWith(ending)) {
        rmSync(path, { force: true });
        continue;
      }
      const text = readFileSync(path, 'utf8');
      const document = parsed(text);
      const fault = faultOf(document, name.slice(0, -ending.length));
      if (fault === undefined) chunk.push(document);
      else faults.push(`${path} cannot be read: ${fault}`);
      characters += text.length;
      if (characters < chunkCharacters) continue;
      yield chunk;
      chunk = [];
      characters = 0;
    }
    if (chunk.length > 0) yield chunk;
  }

  /** Of all files, whatever is in them. */
  propertyIds() {
    const names = readdirSync(this.documents).filter((name) => name.endsWith(ending));
    return names.map((name) => name.slice(0, -ending.length));
  }

  /** @returns undefined where there is none */
  read(propertyId) {
    const path = join(this.documents, propertyId + ending);
    return existsSync(path) ? parsed(readFileSync(path, 'utf8')) : undefined;
  }

  /** @returns undefined before the first sync has ended */
  readState() {
    try {
      const state = Object(parsed(readFileSync(this.state, 'utf8')));
      return typeof state.cursor === 'string' && Array.isArray(state.report) ? state : undefined;
    } catch (error) {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    }
  }

  async writeState(state) {
    await replace(this.state, JSON.stringify(state));
    await syncDirectory(this.dir);
  }

  /**
   * Durable when it returns.
   * @returns what is wrong with those that are not, and the texts before, both by property
   */
  async save(changes) {
    const faults = new Map();
    const replaced = new Map();
    for (let first = 0; first < changes.length; first += atOnce) {
      const saving = changes.slice(first, first + atOnce).map(async (change) => {
        try {
          replaced.set(change.propertyId, await this.saveOne(change));
        } catch (error) {
          faults.set(change.propertyId, error.message);
        }
      });
      await Promise.all(saving);
    }
    try {
      await this.syncDocuments();
      return { faults, replaced };
    } catch (error) {
      return { faults: new Map(changes.map(({ propertyId }) => [propertyId, error.message])), replaced };
    }
  }

  /** @param text as `save` has returned it */
  async restore(propertyId, text) {
    await this.write(propertyId, text);
    await this.syncDocuments();
  }

  /** @returns the text before */
  async saveOne({ propertyId, document }) {
    const before = await readFile(join(this.documents, propertyId + ending), 'utf8').catch(() => undefined);
    const text = document === null ? undefined : JSON.stringify(document);
    if (text === undefined || text !== before) await this.write(propertyId, text);
    return before;
  }

  /** Nothing is written where there is no text, and what was there is removed. */
  async write(propertyId, text) {
    const path = join(this.documents, propertyId + ending);
    this.isDirectorySynced = false;
    if (text === undefined) await rm(path, { force: true });
    else await replace(path, text);
  }

  async syncDocuments() {
    if (this.isDirectorySynced) return;
    await syncDirectory(this.documents);
    this.isDirectorySynced = true;
  }
}

/** Whole or not at all. */
async function replace(path, text) {
  const next = `${path}.next`;
  try {
    const file = await open(next, 'w', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(next, path);
  } catch (error) {
    // A full disk should not hold what is of no use.
    await rm(next, { force: true });
    throw error;
  }
}

async function syncDirectory(path) {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
