import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The pairs of a folder: `NAME.pem`, `NAME.crt` with `NAME.key`, or `NAME/fullchain.pem` with `NAME/privkey.pem`, as certbot has
 * them in `live`. One stays the same as long as its stamp does.
 * @returns {Map<string, { files: string[], stamp: string }>} by the path of the chain
 */
export function findPairs(folder) {
  const pairs = new Map();
  for (const name of readdirSync(folder).filter((name) => !name.startsWith('.'))) {
    const files = filesOf(name);
    const stamps = files.map((file) => stampOf(join(folder, file)));
    if (stamps.some((stamp) => stamp !== absent))
      pairs.set(files[0], { files: files.map((file) => join(folder, file)), stamp: stamps.join() });
  }
  return pairs;
}

/** @returns the texts of chain and key, which may be one. @throws Error */
export function readPair({ files }) {
  const texts = files.map(read);
  return { chain: texts[0], key: texts.at(-1) };
}

function filesOf(name) {
  const [, stem, ending] = /^(.+)\.(pem|crt|key)$/.exec(name) ?? [];
  if (ending === 'pem') return [name];
  if (stem !== undefined) return [`${stem}.crt`, `${stem}.key`];
  return [`${name}/fullchain.pem`, `${name}/privkey.pem`];
}

const absent = 'absent';

function stampOf(path) {
  try {
    const status = statSync(path, { throwIfNoEntry: false });
    if (!status) return absent;
    return [status.ino, status.size, status.mtimeMs, status.ctimeMs].join(' ');
  } catch ({ code }) {
    return code;
  }
}

function read(path) {
  try {
    // Of a pipe there would be no end.
    if (statSync(path).isFile()) return readFileSync(path, 'utf8');
  } catch ({ code }) {
    throw new Error(`${path} cannot be read: ${code}`);
  }
  throw new Error(`${path} is no file`);
}
