import { join } from 'node:path';

/** Says where the bundles and the assembly are that all benchmarks of one command share. */
export const folderVariable = 'BENCH_FOLDER';

export interface Folders {
  readonly bundles: string;
  readonly assembly: string;
}

export function foldersIn(folder: string): Folders {
  return { bundles: join(folder, 'bundles'), assembly: join(folder, 'cdk.out') };
}

export function sharedFolders(): Folders {
  const folder = process.env[folderVariable];
  if (folder === undefined) throw new Error('Run benchmarks by `npm run bench -- NAME`');
  return foldersIn(folder);
}
