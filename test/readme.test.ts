import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { request } from 'undici';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { freePort } from '../infra/local/host/listen.ts';
import { describeNode } from './infra/edge/support/node-kit.ts';
import { ApiClient } from './support/api-client.ts';
import { eventually } from './support/eventually.ts';
import { getFromEdge } from './support/get-from-edge.ts';
import { giveAssembly } from './support/give-assembly.ts';
import { installed } from './support/installed.ts';
import { runScript, type StartedProgram, startProgram } from './support/program.ts';
import { readmeBlocks } from './support/readme-blocks.ts';

const blocks = readmeBlocks();
const run = new Set<string>();

const variables = block('README.md › Call it › 1');
const calls = block('README.md › Call it › 2');
const envelope = block('README.md › Call it › 3');
const ruleExample = block('README.md › Call it › 4');
const wordPressPlugin = block('README.md › For authors of plugins › 1');
const drupalBody = block('README.md › For authors of plugins › 2');
const operating = block('README.md › Operate it › 1');
const driver = block('shared/edge/README.md › Writing an edge driver › 1');
const configuredEdge = block('infra/edge/node/README.md › The edge node › 1');
const edge = block('infra/edge/node/README.md › The edge node › 2');
const ownCdn = block('infra/edge/node/README.md › Run your own CDN › 1');
const ownCdnUse = block('infra/edge/node/README.md › Run your own CDN › 2');
const shipper = block("infra/edge/shipping/README.md › Sending an edge's log in › 1");

/** Blocks that no test runs, and why. */
const notRun: Readonly<Record<string, string>> = {
  'README.md › Try it › 1':
    'npm ci would replace the packages under the tests; npm start is under all of them',
  'README.md › Architecture › 1': 'a drawing',
  'README.md › Deploy it › 1': 'needs AWS',
  'infra/edge/node/README.md › Upgrading it while it serves › 1': 'needs systemd',
  'infra/edge/node/README.md › What a node needs › 1': 'needs systemd',
  'infra/edge/node/README.md › TLS › 1': 'needs certbot and a name in public DNS',
  'test/bench/README.md › Benchmarks › 1': 'takes twenty minutes',
  'infra/README.md › Tables as they were › 1': 'needs AWS',
  'infra/README.md › Tables as they were › 2': 'needs AWS, and deletes tables',
  'infra/README.md › Another Region › 1': 'needs AWS',
  'infra/README.md › The end of it › 1': 'needs AWS, and deletes everything',
  'infra/README.md › Invoke one function › 1': 'needs Docker and AWS',
};

/** What the plugin calls of WordPress, around a front page, a post and its save. */
const wordPress = `<?php
$actions = [];
function add_action($name, $callback) { global $actions; $actions[$name] = $callback; }
function is_front_page() { return $_SERVER['REQUEST_URI'] === '/'; }
function is_singular() { return $_SERVER['REQUEST_URI'] === '/post'; }
function is_category() { return false; }
function is_tag() { return false; }
function is_tax() { return false; }
function get_queried_object_id() { return 17; }
function get_taxonomies() { return ['category']; }
function wp_get_object_terms($post, $taxonomies, $options) { return [3]; }
function wp_json_encode($value) { return json_encode($value); }
function wp_remote_post($url, $options) {
    $headers = [];
    foreach ($options['headers'] as $name => $value) $headers[] = "$name: $value";
    $request = curl_init($url);
    curl_setopt_array($request, [CURLOPT_RETURNTRANSFER => true, CURLOPT_HTTPHEADER => $headers, CURLOPT_POSTFIELDS => $options['body']]);
    return ['body' => curl_exec($request), 'code' => curl_getinfo($request, CURLINFO_RESPONSE_CODE)];
}
function wp_remote_retrieve_response_code($response) { return $response['code']; }
function wp_remote_retrieve_body($response) { return $response['body']; }
require 'cdn.php';
if ($_SERVER['REQUEST_URI'] === '/save') { $actions['clean_post_cache'](17); echo 'saved'; }
else $actions['template_redirect']();
`;

/** Stands for the folder into which the project was cloned. */
let folder: string;
let program: StartedProgram;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cdn-management-readme-'));
  for (const name of ['package.json', 'tsconfig.json', 'node_modules', 'functions', 'infra', 'shared'])
    symlinkSync(resolve(name), join(folder, name));
  mkdirSync(join(folder, '.local'));
  giveAssembly(join(folder, '.local'));
  program = await startProgram(join(folder, '.local'));
});
afterAll(async () => {
  await program.stop('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
});

test('every fenced block is run here, or is listed with the reason why not', () => {
  const seen = [...run, ...Object.keys(notRun)];
  expect([...blocks.keys()].sort()).toEqual(seen.sort());
});

test('the curl examples work as they stand, and their responses have the shape that is shown', async () => {
  const responses = (await paste(variables + calls)).split('\n').map((line) => JSON.parse(line));
  expect(responses.map(({ succeeded }) => succeeded)).toEqual([true, true, true, true]);
  expect(responses.map(({ data }) => data.jobCount)).toEqual([undefined, 1, 2, undefined]);
  expect(responses[2].data.status).toBe('completed');
  expect(shapeOf(responses[1])).toEqual(shapeOf(JSON.parse(envelope)));
});

test('the example of a rule shows its header at the edge, until it is removed', async () => {
  const [header = '', deleted = ''] = (await paste(variables + ruleExample)).split('\n');
  expect(header.trim()).toBe('x-hello: edge');
  expect(JSON.parse(deleted).succeeded).toBe(true);
  const { edgeUrl, hostname } = program.demo;
  await eventually(
    async () => (await request(edgeUrl, { headers: { host: hostname } })).headers['x-hello'],
    (value) => value === undefined,
  );
});

test.skipIf(!installed('php'))(
  'the WordPress plugin says what a page shows, and purges what shows a post',
  async () => {
    writeFileSync(join(folder, 'cdn.php'), wordPressPlugin);
    writeFileSync(join(folder, 'wordpress.php'), wordPress);
    const { baseUrl, propertyId, apiKey } = program.demo;
    const address = `127.0.0.1:${await freePort()}`;
    const site = spawn('php', ['-S', address, 'wordpress.php'], {
      cwd: folder,
      env: { ...process.env, baseUrl, propertyId, apiKey },
      stdio: 'ignore',
    });
    const get = (path: string) => fetch(`http://${address}${path}`).catch(() => undefined);
    try {
      const home = await eventually(
        () => get('/'),
        (response) => response !== undefined,
      );
      expect(home?.headers.get('surrogate-key')).toBe('home');
      expect((await get('/post'))?.headers.get('surrogate-key')).toBe('post-17');
      expect(await (await get('/save'))?.text()).toBe('saved');
    } finally {
      await end(site);
    }
    expect(await newestPurge()).toMatchObject({ type: 'tag', values: ['home', 'post-17', 'term-3'] });
  },
);

test('the Drupal module’s body is taken as it is sent', async () => {
  const { baseUrl, apiKey, propertyId } = program.demo;
  const body = drupalBody.replace('[invalidations:separated_comma]', 'node:17,node_list');
  const { status } = await fetch(`${baseUrl}/api/property/${propertyId}/purge`, {
    method: 'POST',
    headers: { 'X-API-Key': apiKey },
    body,
  });
  expect(status).toBe(200);
  expect(await newestPurge()).toMatchObject({ type: 'tag', values: ['node:17', 'node_list'] });
});

test('the operator’s examples work as they stand', async () => {
  const output = await paste(variables + calls + operating);
  expect(output).toMatch(/body: It is fixed\./);
});

test('the example of an edge driver compiles', async () => {
  writeFileSync(join(folder, 'example.ts'), driver.replace("'./", "'./shared/edge/"));
  const settings = { extends: './tsconfig.json', include: ['example.ts'] };
  writeFileSync(join(folder, 'tsconfig.example.json'), JSON.stringify(settings));
  expect(await paste('node_modules/.bin/tsc -p tsconfig.example.json')).toBe('');
});

describeNode('An own CDN', () => {
  const own = '/tmp/own-cdn';
  beforeEach(() => rmSync(own, { recursive: true, force: true }));
  afterEach(() => rmSync(own, { recursive: true, force: true }));

  test('of two tiers serves https, changes with a rule, is purged by tag and counts, as it is printed', async () => {
    const end = "trap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT";
    const [rule = ''] = ruleExample.split('\n');
    const output = await paste([end, variables, rule, ownCdn, ownCdnUse].join('\n'));
    const pages = [...output.matchAll(/^(?:First|Second) page$/gm)].map(([page]) => page);
    expect(pages.slice(-4)).toEqual(['First page', 'First page', 'Second page', 'Second page']);
    const [purge = '', statistics = ''] = output
      .split('\n')
      .filter((line) => /"jobCount"|"groups"/.test(line));
    const { status, edges } = JSON.parse(purge).data;
    expect(status).toBe('completed');
    for (const id of ['edge-2', 'edge-3', 'shield-1'])
      expect(edges).toContainEqual(expect.objectContaining({ id, removed: 1 }));
    const { groups } = JSON.parse(statistics).data;
    expect(groups.map(({ key }: { key: string }) => key).sort()).toEqual(['edge-2', 'edge-3']);
  });
});

describeNode('On an edge', () => {
  let dir: string;
  let children: readonly ChildProcess[] = [];
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'cdn-edge-readme-'));
  });
  afterEach(async () => {
    for (const child of children) await end(child);
    rmSync(dir, { recursive: true, force: true });
  });

  /** Runs examples as they stand, but for addresses and folders. */
  function start(address: string, ...examples: readonly string[]): void {
    const { baseUrl, originUrl } = program.demo;
    const here = (code: string): string =>
      code
        .replaceAll('127.0.0.1:6081', address)
        .replaceAll('http://127.0.0.1:9000', originUrl)
        .replaceAll('https://api.example.com', baseUrl)
        .replaceAll('/var/lib/cdn-edge', dir)
        .replaceAll('/etc/cdn-edge', folder);
    children = examples.map((code) => spawn('bash', ['-ec', here(code)], { cwd: folder }));
  }

  test('the examples serve, are purged and send their log in', async () => {
    const { baseUrl, apiKey, propertyId, hostname } = program.demo;
    const address = `127.0.0.1:${await freePort()}`;
    const get = () => getFromEdge(`http://${address}`, hostname, '/').catch(() => undefined);
    await registerEdge(address);
    start(address, configuredEdge);
    // Its origin lies on a private address.
    await eventually(get, (response) => response?.status === 502);
    for (const child of children) await end(child);
    start(address, edge, shipper);
    await eventually(
      get,
      (response) => response?.status === 200 && readdirSync(dir).includes('ship-logs.json'),
    );
    const api = new ApiClient(baseUrl, apiKey);
    const { data } = await api.post(`/api/property/${propertyId}/purge?wait=10`, { type: 'all' });
    expect(data.edges).toContainEqual(
      expect.objectContaining({ id: 'paris-1', status: 'completed', removed: 1 }),
    );
    await eventually(
      async () => (await api.get('/api/statistics?groupBy=edge')).data.groups,
      (groups) => groups.some(({ key }: { key: string }) => key === 'paris-1'),
    );
  });
});

test('every file that is named exists', () => {
  const readme = readFileSync('README.md', 'utf8');
  for (const [, path = ''] of readme.matchAll(/`((?:functions|shared|infra|test)\/[\w./-]+)`/g)) {
    expect([path, existsSync(path)]).toEqual([path, true]);
  }
});

function block(name: string): string {
  const code = blocks.get(name);
  if (code === undefined) throw new Error(`There is no block ${name}`);
  run.add(name);
  return code;
}

/** Runs the lines in one shell, up to the first that fails. @returns what they print */
async function paste(lines: string): Promise<string> {
  const { DATA_DIR: _, ...env } = process.env;
  const { stdout } = await promisify(execFile)('bash', ['-ec', lines], { cwd: folder, env });
  return stdout.trim();
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

async function newestPurge() {
  const { baseUrl, apiKey, propertyId } = program.demo;
  const api = new ApiClient(baseUrl, apiKey);
  const { data } = await api.get(`/api/property/${propertyId}/purge?pageSize=1`);
  return (await api.get(`/api/property/${propertyId}/purge/${data.items[0].id}`)).data;
}

/** The types of a value's fields. */
function shapeOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shapeOf(field)]));
}

/** Registers the edge of the examples, with its secret and its token in the files that they name. */
async function registerEdge(address: string): Promise<void> {
  const flags = ['--id', 'paris-1', '--driver', 'varnish', '--url', `http://${address}`, '--json'];
  const { stdout } = await runScript(['operator', '--', 'edge', 'add', ...flags], {
    DATA_DIR: join(folder, '.local'),
  });
  const { secret, token } = JSON.parse(stdout);
  writeFileSync(join(folder, 'secret'), secret, { mode: 0o600 });
  writeFileSync(join(folder, 'token'), token, { mode: 0o600 });
}
