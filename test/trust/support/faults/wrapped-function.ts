import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inject } from 'vitest';
import type { LocalFunction } from '../../../../infra/local/lambda/execution-environment.ts';

/**
 * The same function behind a module that stands in its place.
 * @param write the module's text, by the address from which it imports the function, quoted
 */
export function wrappedFunction(source: LocalFunction, write: (own: string) => string): LocalFunction {
  const [file = ''] = source.handlerName.split('.');
  const directory = mkdtempSync(join(inject('folder'), 'wrapped-'));
  const own = pathToFileURL(join(source.directory, `${file}.mjs`)).href;
  writeFileSync(join(directory, `${file}.mjs`), write(JSON.stringify(own)));
  return { ...source, directory };
}
