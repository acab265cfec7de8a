import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';

interface Start {
  /** Modules of Node that the import has loaded. */
  readonly loaded: readonly string[];
  /** Files that the import has read. */
  readonly read: readonly string[];
  /** Of the error of a call without an event. */
  readonly stack: string;
  readonly readForStack: readonly string[];
}

const program = `
const fs = process.getBuiltinModule('node:fs');
const { readFileSync } = fs;
const files = [];
fs.readFileSync = (file, ...rest) => (files.push(String(file)), readFileSync(file, ...rest));
const before = new Set(process.moduleLoadList);
const { handler } = await import(process.argv[1]);
const loaded = process.moduleLoadList.filter((name) => !before.has(name));
const read = files.splice(0);
const { stack } = await handler(undefined, {}).catch((error) => error);
console.log(JSON.stringify({ loaded, read, stack, readForStack: files }));
`;

/** Imports a bundle in a process of its own, and calls it. */
async function start(bundle: string): Promise<Start> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', program, bundle],
    { env: { AWS_REGION: 'eu-west-1' } },
  );
  return JSON.parse(stdout) as Start;
}

/** What some package would load at each start: for mock-ups, streams of files, profiles, HTTP/2, a browser's interfaces. */
const neverAtStart = /\b(fs\/promises|fs\/streams|http2|deps\/undici|source_map|readline|inspector|worker)\b/;

test.each(['purge-create', 'purge-consumer', 'authorizer'])(
  '%s reads no file but itself when it starts, and loads nothing that it may not need; a stack names the sources',
  async (name) => {
    const bundle = join(inject('bundles'), name, 'index.mjs');
    const { loaded, read, stack, readForStack } = await start(bundle);
    expect(read).toEqual([pathToFileURL(bundle).href]);
    expect(loaded).toContain('NativeModule https');
    expect(loaded.filter((module) => neverAtStart.test(module))).toEqual([]);
    expect(stack).toMatch(/^TypeError: .*\n {4}at .*\b(functions|shared)\/[\w/-]+\.ts:\d+:\d+/);
    expect(readForStack).toEqual([expect.stringMatching(/index\.mjs\.map$/)]);
  },
);

test('a bundle without its map starts too, and a stack names its own lines', async () => {
  const folder = mkdtempSync(join(inject('folder'), 'bundle-'));
  cpSync(join(inject('bundles'), 'purge-create', 'index.mjs'), join(folder, 'index.mjs'));
  expect((await start(join(folder, 'index.mjs'))).stack).toMatch(
    /^TypeError: .*\n {4}at .*index\.mjs:\d+:\d+/,
  );
});
