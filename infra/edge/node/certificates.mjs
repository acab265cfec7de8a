import { readFileSync } from 'node:fs';
import { readCertificate } from './certificate.mjs';
import { findPairs, readPair } from './certificate-files.mjs';
import { storeOf, textsOfStore } from './certificate-store.mjs';
import { failure } from './exit.mjs';
import { log } from './log.mjs';
import { writeFile } from './node-files.mjs';
import { asRoot } from './user.mjs';

/** Between two looks; longer where a look takes long, so that it takes a twentieth of one processor at most. */
const pauseMilliseconds = 500;
const pausesOfLook = 20;

/** Keeps the file by which nginx gets certificates as the operator's folder has them. */
export class Certificates {
  /** By the path of the chain: what its files hold, what is wrong with them, what was said of it, and what is used. */
  pairs = new Map();
  /** What the look before has found. */
  seen = new Map();
  /** Texts of the run before, for sources whose files are not right at the start. */
  kept = new Map();
  isWritten = false;
  fault = undefined;

  /** @param store the file that nginx reads */
  constructor(folder, store) {
    Object.assign(this, { folder, store });
  }

  /** Before nginx is started. @throws Exit where the folder cannot be read */
  begin() {
    this.kept = this.keptTexts();
    this.look({ isSettled: true });
    this.kept.clear();
    this.timer = setTimeout(() => this.lookAgain(), pauseMilliseconds);
  }

  end() {
    clearTimeout(this.timer);
  }

  lookAgain() {
    const before = process.cpuUsage();
    this.tryToLook();
    const { user, system } = process.cpuUsage(before);
    const pause = Math.max(pauseMilliseconds, (pausesOfLook * (user + system)) / 1000);
    this.timer = setTimeout(() => this.lookAgain(), pause);
  }

  /** Where the folder cannot be read everything stays as it is, and that is said once. */
  tryToLook(options) {
    try {
      this.look(options);
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
    if (!this.isWritten) this.write();
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
    if (pair?.stamp === before?.stamp) return;
    if (pair)
      return this.pairs.set(source, { ...readOf(pair), stamp: pair.stamp, used: before?.used, said: null });
    this.pairs.delete(source);
    if (before.used) this.isWritten = false;
  }

  /** One that is not right leaves the one before in use. What is wrong is said once. */
  judge(source, pair) {
    const fault = pair.fault ?? faultOfTime(pair.read);
    if (fault === pair.said) return;
    const used = fault ? (pair.used ?? this.readKept(source)) : pair.read;
    const isAnother = used && used !== pair.read;
    if (fault) log('run', `certificate ${source}: ${fault}${isAnother ? '; the one before stays' : ''}`);
    if (used !== pair.used) this.isWritten = false;
    Object.assign(pair, { used, said: fault });
  }

  keptTexts() {
    try {
      return new Map(textsOfStore(readFileSync(this.store, 'utf8')));
    } catch ({ code, message }) {
      if (code !== 'ENOENT') log('run', `the certificates of the run before cannot be read: ${message}`);
      return new Map();
    }
  }

  readKept(source) {
    const pem = this.kept.get(source);
    try {
      return pem && readCertificate({ chain: pem, key: pem });
    } catch ({ message }) {
      log('run', `certificate ${source}: the one of the run before: ${message}`);
    }
  }

  write() {
    const sources = [...this.pairs.keys()].sort();
    const used = sources.map((source) => [source, this.pairs.get(source).used]).filter(([, pair]) => pair);
    const { text, names } = storeOf(used);
    writeFile(this.store, text);
    this.isWritten = true;
    log('run', `certificates in use: ${used.length}, for host names: ${names}`);
  }
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
