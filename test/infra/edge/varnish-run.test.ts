import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { describeVarnish, kitFolder } from './support/varnish-kit.ts';

type Flags = Readonly<Record<string, string | undefined>>;

/** What is wrong, the flags and the variables that make it so, and what the one line must say. */
type RunFailure = readonly [string, Flags, NodeJS.ProcessEnv, RegExp];

const folder = mkdtempSync(join(tmpdir(), 'cdn-edge-run-'));
chmodSync(folder, 0o755);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Makes a file that is gone after the tests. */
function file(name: string, text: string, mode = 0o600): string {
  const path = join(folder, name);
  writeFileSync(path, text, { mode });
  chmodSync(path, mode);
  return path;
}

function directoryOfOthers(): string {
  const others = mkdtempSync(join(folder, 'others-'));
  writeFileSync(join(others, 'file'), '');
  return others;
}

const right = {
  listen: '127.0.0.1:1',
  backend: 'http://127.0.0.1:9000',
  'secret-file': file('secret', 'geheim\n'),
  dir: join(folder, 'dir'),
};

/** Runs the kit, which does not come to serve. */
function runWith(flags: Flags, more: readonly string[] = [], environment: NodeJS.ProcessEnv = {}) {
  const pairs = Object.entries({ ...right, ...flags }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  );
  const { status, stderr } = spawnSync(`${kitFolder}/run`, [...pairs, ...more], {
    encoding: 'utf8',
    env: { ...process.env, ...environment },
  });
  return { status, stderr };
}

function oneLine(text: RegExp): RegExp {
  return new RegExp(`^run: .*${text.source}.*\n$`);
}

const misuses: readonly (readonly [Flags, RegExp])[] = [
  [{ listen: undefined }, /--listen is missing/],
  [{ backend: undefined }, /--backend is missing/],
  [{ 'secret-file': undefined }, /--secret-file is missing/],
  [{ listen: '6081' }, /--listen must be HOST:PORT/],
  [{ listen: '127.0.0.1:65536' }, /--listen must be HOST:PORT/],
  [{ listen: '127.0.0.1:6081,PROXY' }, /--listen must be HOST:PORT/],
  [{ backend: 'https://127.0.0.1:9000' }, /--backend must be http:\/\/HOST:PORT/],
  [{ backend: '127.0.0.1:9000' }, /--backend must be/],
  [{ backend: 'http://127.0.0.1:9000/path' }, /--backend must be/],
  [{ backend: 'http://a"; }' }, /--backend must be/],
  [{ tier: 'middle' }, /--tier must be edge or shield/],
  [{ storage: 'lots' }, /--storage must be a size/],
  [{ 'tag-header': 'a b' }, /--tag-header must be a header name/],
  [{ 'tag-header': 'A\nsub vcl_recv {}' }, /--tag-header must be a header name/],
  [{ 'purge-from': 'anywhere' }, /--purge-from must be/],
  [{ dir: 'a"b' }, /--dir must be/],
  [{ nonsense: '1' }, /unknown option --nonsense/],
  [{ 'tag-header': 'XKey' }, /--tag-header XKey/],
  [{ 'access-log': 'maybe' }, /--access-log must be on or off/],
];

describeVarnish('A wrong use of the Varnish kit’s run', () => {
  test.each(misuses)('%o is exit 2 and one line', (flags, text) => {
    const { status, stderr } = runWith(flags);
    expect([status, stderr]).toEqual([2, expect.stringMatching(oneLine(text))]);
    expect(stderr).toMatch(/usage: run --listen/);
  });

  test('an option without its value is exit 2', () => {
    expect(runWith({}, ['--tier'])).toEqual({
      status: 2,
      stderr: expect.stringMatching(oneLine(/--tier needs a value/)),
    });
  });
});

const withoutVmods = file('varnishd', '#!/bin/sh\nexec varnishd -p vmod_path=/nowhere "$@"\n', 0o755);
const path = `${process.env.PATH}:/usr/sbin`;

const failures: readonly RunFailure[] = [
  ['no secret', { 'secret-file': '/nowhere/secret' }, {}, /the secret file \/nowhere\/secret cannot be read/],
  ['an empty secret', { 'secret-file': file('empty', '\n') }, {}, /is empty/],
  ['a directory of other things', { dir: directoryOfOthers() }, {}, /holds other files/],
  ['no varnishd', {}, { VARNISHD: '/nowhere/varnishd' }, /varnishd is missing: install the packages/],
  ['no VMODs', {}, { VARNISHD: withoutVmods, PATH: path }, /the VMOD \w+ is missing: install/],
  ['an unknown backend', { backend: 'http://no-such-host.invalid:1' }, {}, /could not be resolved/],
  ['a network with host bits', { 'purge-from': '10.0.0.1/8' }, {}, /Non-zero bits/],
];

describeVarnish('What the Varnish kit’s run cannot do', () => {
  test.each(failures)('%s: exit 1 and one line', (_, flags, environment, text) => {
    expect(runWith(flags, [], environment)).toEqual({
      status: 1,
      stderr: expect.stringMatching(oneLine(text)),
    });
  });
});
