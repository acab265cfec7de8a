import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** One configuration may have what the next one has not. */
const folders = ['lua', 'agent'];
const optional = ['fixed-site.json', 'token'];

/** Writes a configuration, each file whole, and removes what it does not have. */
export function writeFiles(texts) {
  for (const folder of folders) mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [name, text] of texts) writeFile(name, text);
  const present = folders.flatMap((folder) => readdirSync(folder).map((name) => `${folder}/${name}`));
  for (const name of [...present, ...optional]) if (!texts.has(name)) rmSync(name, { force: true });
}

export function writeFile(name, text) {
  const next = `${name}.next`;
  rmSync(next, { force: true });
  writeFileSync(next, text, { mode: 0o600, flag: 'wx' });
  renameSync(next, name);
}
