import { closeSync, openSync, readdirSync, readSync, renameSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';

const logged = /^access\.log\.[\d.]+$/;
const retired = /^shipped\.log\.\d+$/;

/** When the edge is started again, the one before may still be at its last lines; what still changes is still written to. */
const quietMilliseconds = 5_000;

/** @typedef {{ name: string, path: string, inode: string, size: number, changedAt: number }} Segment */

/** @returns {Segment | undefined} */
const segment = (dir, name) => {
  const path = join(dir, name);
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (!stats) return undefined;
  const { ino, size, mtimeMs } = stats;
  return { name, path, inode: String(ino), size: Number(size), changedAt: Number(mtimeMs) };
};

/** Files of the log, the oldest first, the one that is written to last. @returns {Segment[]} */
export const segmentsOf = (dir) =>
  readdirSync(dir)
    .filter((name) => logged.test(name))
    .sort()
    .flatMap((name) => segment(dir, name) ?? []);

/** True when nothing more will be written to the segment. */
export const isFinal = (dir, { inode, changedAt }) =>
  segmentsOf(dir).at(-1)?.inode !== inode && Date.now() - changedAt > quietMilliseconds;

/**
 * Takes a segment out of the log. It goes in two steps, since an inode may be used again as soon as its file is
 * gone: `forget` is called between them.
 */
export const retire = (dir, { path, inode }, forget) => {
  renameSync(path, join(dir, `shipped.log.${inode}`));
  forget();
  removeRetired(dir);
};

const removeRetired = (dir) => {
  for (const name of readdirSync(dir).filter((name) => retired.test(name))) unlinkSync(join(dir, name));
};

/** Ends what an earlier run was interrupted at. @param forget is called when a segment was taken out */
export const finishRetiring = (dir, forget) => {
  if (!readdirSync(dir).some((name) => retired.test(name))) return;
  forget();
  removeRetired(dir);
};

/** Removes the oldest segments that wait while the log is larger than it may be. */
export const bound = (dir, keptBytes, inUse) => {
  const segments = segmentsOf(dir);
  let total = segments.reduce((sum, { size }) => sum + size, 0);
  for (const { name, path, inode, size } of segments) {
    if (total <= keptBytes) return;
    if (name === segments.at(-1)?.name || inode === inUse) continue;
    unlinkSync(path);
    total -= size;
    console.error(`ship-logs: the log is larger than --keep, so ${size} bytes of it are dropped unsent`);
  }
};

/** Bytes of a segment, fewer where it ends. */
export const readBytes = ({ path }, start, length) => {
  const descriptor = openSync(path, 'r');
  try {
    const buffer = Buffer.allocUnsafe(length);
    let filled = 0;
    while (filled < length) {
      const count = readSync(descriptor, buffer, filled, length - filled, start + filled);
      if (count === 0) break;
      filled += count;
    }
    return buffer.subarray(0, filled);
  } finally {
    closeSync(descriptor);
  }
};
