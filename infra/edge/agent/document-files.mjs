import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

const atOnce = 50;
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

  /** @param faultOf says what is wrong with a document */
  load(faultOf) {
    const documents = [];
    const faults = [];
    for (const name of readdirSync(this.documents)) {
      const path = join(this.documents, name);
      if (!name.endsWith(ending)) {
        rmSync(path, { force: true });
        continue;
      }
      const document = parsed(readFileSync(path, 'utf8'));
      const fault = faultOf(document, name.slice(0, -ending.length));
      if (fault === undefined) documents.push(document);
      else faults.push(`${path} cannot be read: ${fault}`);
    }
    return { documents, faults };
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

  /** Durable when it returns. @returns what is wrong with those that are not, by property */
  async save(changes) {
    const faults = new Map();
    for (let first = 0; first < changes.length; first += atOnce) {
      const saving = changes.slice(first, first + atOnce).map(async (change) => {
        try {
          await this.saveOne(change);
        } catch (error) {
          faults.set(change.propertyId, error.message);
        }
      });
      await Promise.all(saving);
    }
    if (this.isDirectorySynced) return faults;
    try {
      await syncDirectory(this.documents);
      this.isDirectorySynced = true;
      return faults;
    } catch (error) {
      return new Map(changes.map(({ propertyId }) => [propertyId, error.message]));
    }
  }

  async saveOne({ propertyId, document }) {
    const path = join(this.documents, propertyId + ending);
    const text = document === null ? undefined : JSON.stringify(document);
    if (text !== undefined && text === (await readFile(path, 'utf8').catch(() => undefined))) return;
    this.isDirectorySynced = false;
    if (text === undefined) await rm(path, { force: true });
    else await replace(path, text);
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
