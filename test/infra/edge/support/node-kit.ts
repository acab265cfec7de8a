import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { describe } from 'vitest';
import { freePort } from '../../../../infra/local/host/listen.ts';
import type { ImmediateEdge } from '../../../../shared/edge/edge.ts';
import type { EdgeTier } from '../../../../shared/edge/tier.ts';
import { conditionPath } from '../../../../shared/rule/condition-path.ts';
import { eventually } from '../../../support/eventually.ts';
import type { BackendUnderTest, EdgeUnderTest, RunningEdge } from './edge-under-test.ts';

export const nodeFolder = 'infra/edge/node';

/** What tells that a package is there. */
const files = [
  '/usr/lib/{*/,}varnish/vmods/libvmod_xkey.so',
  '/usr/lib/{*/,}varnish/vmods/libvmod_digest.so',
  '/usr/{lib,share}/nginx/modules/ngx_http_lua_module.so',
  '/usr/lib/{*/,}lua/5.1/cjson.so',
  '/usr/sbin/haproxy',
];
const isInstalled = files.every((pattern) => globSync(pattern).length > 0);

/** Where tests must not be left out, a missing package is a failure. */
const isSkipped = !isInstalled && process.env.CI !== 'true';

/** A suite that needs the edge's packages; where they are missing, the suite's name says so. */
export function describeNode(name: string, tests: () => void): void {
  describe.skipIf(isSkipped)(
    isSkipped ? `${name} (skipped: packages are missing, npm run setup:edge installs them)` : name,
    tests,
  );
}

export interface RunningNode extends RunningEdge {
  readonly process: ChildProcess;
  readonly dir: string;
  readonly secretFile: string;
  /** What it wrote to standard output and standard error until now. */
  output(): string;
}

/** Who says what is served: an origin for every host name, or the API. */
export type NodeSource = { readonly backend: string } | { readonly api: string; readonly token: string };

export interface NodeOptions {
  /** A free one where this is left out. */
  readonly port?: number;
  /** Another folder that holds the node's program. */
  readonly kit?: string;
  readonly tier?: EdgeTier;
  readonly flags?: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
}

/** Starts a node on a free port, as a platform team would, and waits until it responds. */
export async function startNode(
  source: NodeSource,
  secret: string,
  { port: given, kit = nodeFolder, tier = 'edge', flags = [], environment = {} }: NodeOptions = {},
): Promise<RunningNode> {
  const dir = mkdtempSync(join(tmpdir(), 'cdn-edge-test-'));
  const secretFile = secretIn(`${dir}.secret`, secret);
  const port = given ?? (await freePort());
  const baseUrl = `http://127.0.0.1:${port}`;
  const required = [
    '--listen',
    `127.0.0.1:${port}`,
    ...sourceFlags(source, dir),
    '--secret-file',
    secretFile,
  ];
  const child = spawn(`${kit}/run`, [...required, '--dir', dir, '--tier', tier, ...flags], {
    env: { ...process.env, ...environment },
  });
  const output = outputOf(child);
  const stop = async () => {
    await end(child);
    for (const path of [dir, secretFile, `${dir}.edge-token`]) rmSync(path, { recursive: true, force: true });
  };
  const state = async () => (child.exitCode === null ? isUp(baseUrl) : output());
  const reached = await eventually(state, (up) => up !== false).catch(String);
  const edge: ImmediateEdge = { id: `node-${port}`, driver: 'varnish', url: baseUrl, tier, secret };
  if (reached === true) return { edge, baseUrl, process: child, dir, secretFile, output, stop };
  await stop();
  throw new Error(`the node did not start: ${reached} ${output()}`);
}

function secretIn(file: string, secret: string): string {
  writeFileSync(file, `${secret}\n`, { mode: 0o600 });
  return file;
}

function sourceFlags(source: NodeSource, dir: string): readonly string[] {
  if ('backend' in source) return ['--backend', source.backend];
  return ['--api', source.api, '--token-file', secretIn(`${dir}.edge-token`, source.token)];
}

function outputOf(child: ChildProcess): () => string {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  return () => output;
}

/** No method of a visitor: it is in no count. */
async function isUp(baseUrl: string): Promise<boolean> {
  try {
    const { body } = await request(baseUrl, { method: 'TRACE' });
    await body.dump();
    return true;
  } catch {
    return false;
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

const roomy = ['--storage', '256m'];

/** What nginx reads as a path that climbs out of its root, or cannot decode, it refuses before anything looks at it. */
function refuses(target: string): boolean {
  const [path = ''] = target.split('?', 1);
  return conditionPath(target) === undefined || /%00|%(?![0-9A-Fa-f]{2})/.test(path);
}

/** With room for all that long tests store. */
export const roomyNode: BackendUnderTest = {
  name: 'The edge node',
  driver: 'varnish',
  refuses,
  start: (backend, secret) => startNode({ backend }, secret, { flags: roomy }),
};

export const twoTiers: EdgeUnderTest = {
  name: 'Two tiers of edge nodes',
  refuses,
  async start(backend, secret) {
    const shield = await startNode({ backend }, secret, { tier: 'shield', flags: roomy });
    const running = await startNode({ backend: shield.baseUrl }, secret, { flags: roomy });
    return {
      edge: running.edge,
      shield: shield.edge,
      baseUrl: running.baseUrl,
      stop: async () => void (await Promise.all([running.stop(), shield.stop()])),
    };
  },
};
