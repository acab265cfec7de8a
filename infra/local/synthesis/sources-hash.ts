import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');

/** All that the template and the bundles are made of. */
const sources = ['functions/**/*', 'shared/**/*', 'infra/**/*', 'package-lock.json', 'cdk.json'];

const file = 'sources.sha256';

/** Whether an assembly was made of the sources as they are. */
export function isUpToDate(assembly: string): boolean {
  const path = join(assembly, file);
  return existsSync(path) && readFileSync(path, 'utf8') === sourcesHash();
}

/** Notes what the assembly was made of, so that a later start need not make it again. */
export function noteSources(assembly: string): void {
  writeFileSync(join(assembly, file), sourcesHash());
}

function sourcesHash(): string {
  const hash = createHash('sha256');
  const entries = globSync([...sources], { cwd: root, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  for (const path of entries.map(({ parentPath, name }) => join(parentPath, name)).sort())
    hash.update(`${path}\n`).update(readFileSync(path));
  return hash.digest('hex');
}
