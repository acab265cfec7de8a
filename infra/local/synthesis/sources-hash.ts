import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');

/** All that the template and the bundles are made of. */
const sources = ['functions/**/*', 'shared/**/*', 'infra/**/*', 'package-lock.json', 'cdk.json'];

const file = 'sources.sha256';

/** The same for the same sources. */
export function hashSources(): string {
  const hash = createHash('sha256');
  const entries = globSync([...sources], { cwd: root, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  for (const path of entries.map(({ parentPath, name }) => join(parentPath, name)).sort())
    hash.update(`${path}\n`).update(readFileSync(path));
  return hash.digest('hex');
}

/** Whether an assembly was made, whole, of these sources. */
export function isMadeOf(assembly: string, hash: string): boolean {
  const path = join(assembly, file);
  return existsSync(path) && readFileSync(path, 'utf8') === hash;
}

/** Notes of what an assembly was made, so that a later start need not make it again. */
export function noteSources(assembly: string, hash: string): void {
  writeFileSync(join(assembly, file), hash);
}

/** To be called before an assembly is written: one whose making is interrupted is made of nothing. */
export function forgetSources(assembly: string): void {
  const path = join(assembly, file);
  if (existsSync(path)) rmSync(path);
}
