import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/**
 * How far the log is sent in: the file by its inode, the bytes that are done, and the end of the batch that is on
 * its way. The batch is written down before it is sent, so that a restart sends the very same one again. Of a
 * divided batch `later` holds the ends of the parts that follow, the last one first.
 * @typedef {{ inode: string, start: number, end: number, later: number[] }} Position
 */

const nameOf = (dir) => join(dir, 'ship-logs.json');

/** @returns {Position | undefined} */
export const readPosition = (dir) => {
  let text;
  try {
    text = readFileSync(nameOf(dir), 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
  const { inode, start, end, later = [] } = JSON.parse(text);
  return inode === undefined ? undefined : { inode, start, end, later };
};

const sync = (path) => {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
};

/** Durable when it returns, and whole whatever happens meanwhile. @param {Position | undefined} position */
export const writePosition = (dir, position) => {
  const next = `${nameOf(dir)}.next`;
  const descriptor = openSync(next, 'w', 0o600);
  writeSync(descriptor, JSON.stringify(position ?? {}));
  fsyncSync(descriptor);
  closeSync(descriptor);
  renameSync(next, nameOf(dir));
  sync(dir);
};

/** @returns {Position} the beginning of a file */
export function beginningOf(inode) {
  return { inode, start: 0, end: 0, later: [] };
}

/** The batch is sent in two. @param {Position} position @returns {Position} */
export function divide({ inode, start, end, later }, half) {
  return { inode, start, end: start + half, later: [...later, end] };
}

/** The batch is done. @param {Position} position @returns {Position} */
export function advance({ inode, end, later }) {
  return { inode, start: end, end: later.at(-1) ?? end, later: later.slice(0, -1) };
}
