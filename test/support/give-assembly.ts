import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

/** Spares a start its synthesis: it finds the one that all test files share, made of the same sources. */
export function giveAssembly(directory: string): void {
  symlinkSync(inject('assembly'), join(directory, 'cdk.out'));
}
