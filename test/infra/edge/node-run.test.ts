import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { describeNode, nodeFolder } from './support/node-kit.ts';

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

/** To everybody but its owner. */
function closedFolder(): string {
  return mkdtempSync(join(folder, 'closed-'));
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

const ofApi = { backend: undefined, api: 'http://127.0.0.1:1', 'token-file': file('token', 'token\n') };

/** Runs the node, which does not come to serve. */
function runWith(flags: Flags, more: readonly string[] = [], environment: NodeJS.ProcessEnv = {}) {
  const pairs = Object.entries({ ...right, ...flags }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  );
  const { status, stderr } = spawnSync(`${nodeFolder}/run`, [...pairs, ...more], {
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
  [{ backend: undefined, api: 'http://127.0.0.1:1' }, /--token-file is missing/],
  [{ 'token-file': '/nowhere/token' }, /--token-file needs --api/],
  [{ api: 'http://127.0.0.1:1', 'token-file': '/nowhere/token' }, /--api and --backend exclude each other/],
  [{ ...ofApi, api: 'ftp://127.0.0.1' }, /--api must be http/],
  [{ ...ofApi, tier: 'shield' }, /--edge-from is missing/],
  [{ ...ofApi, 'edge-from': '127.0.0.1' }, /--edge-from needs --tier shield and --api/],
  [{ tier: 'shield', 'edge-from': '127.0.0.1' }, /--edge-from needs --tier shield and --api/],
  [{ ...ofApi, tier: 'shield', 'edge-from': 'edges' }, /--edge-from must be/],
  [{ ...ofApi, tier: 'shield', 'edge-from': '127.0.0.1', shield: 'http://a:1' }, /--shield is for edges/],
  [{ shield: 'http://a:1' }, /--shield needs --api/],
  [{ ...ofApi, shield: 'http://a:1/path' }, /--shield must be/],
  [{ ...ofApi, shield: 'ftp://a:1' }, /--shield must be/],
  [{ ...ofApi, shield: 'https://127.0.0.1:1' }, /--shield must be/],
  [{ ...ofApi, shield: 'https://[::1]' }, /--shield must be/],
  [{ listen: '6081' }, /--listen must be HOST:PORT/],
  [{ listen: '127.0.0.1:0' }, /--listen must be HOST:PORT/],
  [{ listen: '127.0.0.1:6081; include x' }, /--listen must be HOST:PORT/],
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
  [{ 'config-memory': '1x' }, /--config-memory must be a size/],
  [{ 'purge-from': 'anywhere' }, /--purge-from must be/],
  [{ 'purge-from': '10.0.0.0/33' }, /--purge-from must be/],
  [{ resolver: 'localhost' }, /--resolver must be/],
  [{ dir: 'a"b' }, /--dir must be/],
  [{ nonsense: '1' }, /unknown option --nonsense/],
  [{ 'tag-header': 'XKey' }, /--tag-header XKey/],
  [{ 'tag-header': 'X-Cdn-Site' }, /--tag-header X-Cdn-Site/],
  [{ 'tls-listen': '127.0.0.1:2' }, /--tls-listen needs --certificates/],
  [{ certificates: '/nowhere' }, /--certificates needs --tls-listen/],
  [{ 'tls-listen': '443', certificates: '/nowhere' }, /--tls-listen must be HOST:PORT/],
  [{ 'tls-listen': '127.0.0.1:443 ssl; #', certificates: '/nowhere' }, /--tls-listen must be HOST:PORT/],
  [{ 'acme-dir': 'challenges' }, /--acme-dir must be an absolute path/],
  [{ 'acme-dir': '/a"; }' }, /--acme-dir must be an absolute path/],
  [{ 'acme-dir': '/$host' }, /--acme-dir must be an absolute path/],
  [{ 'access-log': 'maybe' }, /--access-log must be on or off/],
];

describeNode('A wrong use of the node’s run', () => {
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

/** A program as it is, but for what stands before its arguments. */
function program(name: string, command: string): string {
  return file(name, `#!/bin/sh\nexec ${command} "$@"\n`, 0o755);
}

const withoutVmods = program('varnishd', '/usr/sbin/varnishd -p vmod_path=/nowhere');
const withoutModule = program(
  'nginx',
  `sh -c 'echo "[emerg] dlopen() \\"/x/ngx_http_lua_module.so\\" failed" >&2'`,
);
const withoutBatch = program('chrt', `sh -c 'echo "chrt: failed to set pid 0 policy" >&2; exit 1'`);
const withoutBind = program('bind', `sh -c 'echo "[emerg] rights $(grep CapAmb /proc/self/status)" >&2'`);
const withoutCjson = program('cjson', 'env LUA_CPATH=/nowhere/?.so /usr/sbin/nginx');
const closed = file('closed', 'token', 0o600);

const failures: readonly RunFailure[] = [
  ['no secret', { 'secret-file': '/nowhere/secret' }, {}, /the secret file \/nowhere\/secret cannot be read/],
  ['an empty secret', { 'secret-file': file('empty', '\n') }, {}, /the secret file .* is empty/],
  [
    'no token',
    { backend: undefined, api: 'http://127.0.0.1:1', 'token-file': '/nowhere/token' },
    {},
    /the token file \/nowhere\/token cannot be read/,
  ],
  ['no certificates', { 'ca-file': '/nowhere/ca' }, {}, /the certificate file \/nowhere\/ca cannot be read/],
  ['a directory of other things', { dir: directoryOfOthers() }, {}, /holds other files/],
  ['a directory that is a file', { dir: closed }, {}, /the directory .* cannot be made/],
  ['no varnishd', {}, { VARNISHD: '/nowhere/varnishd' }, /varnishd is missing: install the packages/],
  ['no VMODs', {}, { VARNISHD: withoutVmods }, /the VMOD \w+ is missing: install/],
  ['no chrt', {}, { CHRT: '/nowhere/chrt' }, /chrt is missing: install the package util-linux/],
  ['no right to a batch job', {}, { CHRT: withoutBatch }, /Varnish cannot run as a batch job: chrt: failed/],
  ['no nginx', {}, { NGINX: '/nowhere/nginx' }, /nginx is missing: install the packages/],
  ['no Lua in nginx', {}, { NGINX: withoutModule }, /Lua module is missing: install the package libnginx/],
  [
    'a low port that nginx may not listen on',
    {},
    { NGINX: withoutBind },
    process.getuid?.() === 0 ? /\[emerg\] rights CapAmb: 0+400/ : /\[emerg\] rights CapAmb: /,
  ],
  ['no cjson', {}, { NGINX: withoutCjson }, /cjson is missing: install the package lua-cjson/],
  ['no HAProxy', {}, { HAPROXY: '/nowhere/haproxy' }, /haproxy is missing: install the package haproxy/],
  ['an address of others', { listen: '192.0.2.1:6081' }, {}, /--listen 192.0.2.1:6081 cannot be used/],
  [
    'an address of others for TLS',
    { 'tls-listen': '192.0.2.1:443', certificates: folder },
    {},
    /--tls-listen 192.0.2.1:443 cannot be used/,
  ],
  [
    'one address for http and https',
    { listen: '127.0.0.1:2', 'tls-listen': '127.0.0.1:2', certificates: folder },
    {},
    /nginx refuses the configuration: .*duplicate listen/,
  ],
  [
    'a low port for TLS that nginx may not listen on',
    { listen: '127.0.0.1:6081', 'tls-listen': '127.0.0.1:443', certificates: folder },
    { NGINX: withoutBind },
    process.getuid?.() === 0 ? /\[emerg\] rights CapAmb: 0+400/ : /\[emerg\] rights CapAmb: /,
  ],
  [
    'no folder of certificates',
    { 'tls-listen': '127.0.0.1:2', certificates: '/nowhere' },
    {},
    /the folder of certificates \/nowhere cannot be read: ENOENT/,
  ],
  [
    'no folder of challenges',
    { 'acme-dir': '/nowhere' },
    {},
    /reach the folder of challenges \/nowhere: ENOENT/,
  ],
  ['challenges in a file', { 'acme-dir': closed }, {}, /reach the folder of challenges .*: ENOTDIR/],
  ...(process.getuid?.() === 0
    ? [
        [
          'challenges of root',
          { 'acme-dir': closedFolder() },
          {},
          /reach the folder of challenges .*: EACCES/,
        ] as const,
      ]
    : []),
  ['an unknown backend', { backend: 'http://no-such-host.invalid:1' }, {}, /could not be resolved/],
  ['an unknown shield', { ...ofApi, shield: 'http://no-such-host.invalid' }, {}, /could not be resolved/],
  ['a network with host bits', { 'purge-from': '10.0.0.1/8' }, {}, /--purge-from .* Non-zero bits/],
  [
    'a network of edges with host bits',
    { ...ofApi, tier: 'shield', 'edge-from': '10.0.0.1/8' },
    {},
    /--edge-from .* Non-zero bits/,
  ],
];

describeNode('What the node’s run cannot do', () => {
  test.each(failures)('%s: exit 1 and one line', (_, flags, environment, text) => {
    expect(runWith(flags, [], environment)).toEqual({
      status: 1,
      stderr: expect.stringMatching(oneLine(text)),
    });
  });
});
