import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}

/** Resources of the synthesized template, by logical id. */
export function templateResources(): Readonly<Record<string, Resource>> {
  return JSON.parse(readFileSync(join(inject('assembly'), 'CdnManagement.template.json'), 'utf8')).Resources;
}
