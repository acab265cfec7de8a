import { readFileSync, rmSync } from 'node:fs';
import { readCertificate } from './certificate.mjs';
import { findPairs, readPair } from './certificate-files.mjs';
import { storeOf, textsOfStore } from './certificate-store.mjs';
import { failure } from './exit.mjs';
import { log } from './log.mjs';
import { writeFile } from './node-files.mjs';
import { asRoot } from './user.mjs';

const lookMilliseconds = 500;

const store = 'certificates';

/** Keeps the file by which nginx gets certificates as the operator's folder has them. */
export class Certificates {
  /** By the path of the chain: what its files last were, what is wrong with them, and what is used of them. */
  pairs = new Map();
  /** What the look before has found. */
  seen = new Map();
  /** Texts of the run before, for sources whose files are not right at the start. */
  kept = new Map();
  version = undefined;
  fault = undefined;

  constructor(folder) {
    this.folder = folder;
  }

  /** Before nginx is started. @throws Exit where the folder cannot be read */
  begin() {
    this.kept = keptTexts();
    this.look({ isSettled: true });
    this.kept.clear();
    this.timer = setInterval(() => this.lookAgain(), lookMilliseconds);
  }

  end() {
    clearInterval(this.timer);
  }

  lookAgain() {
    try {
      this.look();
      this.fault = undefined;
    } catch ({ message }) {
      if (message !== this.fault) log('run', `certificates stay as they are: ${message}`);
      this.fault = message;
    }
  }

  /**
   * What is new is taken when two looks find the same, since it may be in the middle of being written.
   * @param isSettled whether nobody is writing
   */
  look({ isSettled = false } = {}) {
    const found = this.find();
    for (const source of new Set([...found.keys(), ...this.pairs.keys()])) {
      const pair = found.get(source);
      if (isSettled || pair?.stamp === this.seen.get(source)?.stamp) this.take(source, pair);
    }
    this.seen = found;
    for (const [source, pair] of this.pairs) this.judge(source, pair);
    this.write();
  }

  find() {
    try {
      return asRoot(() => findPairs(this.folder));
    } catch ({ code }) {
      throw failure(`the folder of certificates ${this.folder} cannot be read: ${code}`);
    }
  }

  take(source, pair) {
    const before = this.pairs.get(source);
    if (!pair) this.pairs.delete(source);
    else if (pair.stamp !== before?.stamp)
      this.pairs.set(source, { stamp: pair.stamp, used: before?.used, ...readOf(pair) });
  }

  /** One that is not right leaves the one before in use. What is wrong is said once. */
  judge(source, pair) {
    const fault = pair.fault ?? faultOfTime(pair.read);
    if (!fault) pair.used = pair.read;
    else if (fault !== pair.said) {
      pair.used ??= this.readKept(source);
      const isAnother = pair.used && pair.used !== pair.read;
      log('run', `certificate ${source}: ${fault}${isAnother ? '; the one before stays' : ''}`);
    }
    pair.said = fault;
  }

  readKept(source) {
    const pem = this.kept.get(source);
    return pem && readCertificate({ chain: pem, key: pem });
  }

  write() {
    const sources = [...this.pairs.keys()].sort();
    const used = sources.map((source) => [source, this.pairs.get(source).used]).filter(([, pair]) => pair);
    const { version, text, names } = storeOf(used);
    if (version === this.version) return;
    writeFile(store, text);
    this.version = version;
    log('run', `${used.length} certificates for ${names} names are used`);
  }
}

/** Of an earlier run that had certificates, where this one has none. */
export function removeCertificates() {
  rmSync(store, { force: true });
}

function readOf(pair) {
  try {
    return { read: readCertificate(asRoot(() => readPair(pair))) };
  } catch ({ message }) {
    return { fault: message };
  }
}

function faultOfTime({ startsAt, endsAt }) {
  const now = Date.now();
  if (now >= endsAt) return `it has expired on ${dateOf(endsAt)}`;
  return now < startsAt ? `it is not for use before ${dateOf(startsAt)}` : undefined;
}

function dateOf(time) {
  return new Date(time).toISOString();
}

function keptTexts() {
  try {
    return new Map(textsOfStore(readFileSync(store, 'utf8')));
  } catch ({ code, message }) {
    if (code !== 'ENOENT') log('run', `the certificates of the run before cannot be read: ${message}`);
    return new Map();
  }
}
