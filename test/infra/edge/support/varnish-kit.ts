import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { describe } from 'vitest';
import type { ImmediateEdge } from '../../../../shared/edge/edge.ts';
import type { EdgeTier } from '../../../../shared/edge/tier.ts';
import { eventually } from '../../../support/eventually.ts';
import type { BackendUnderTest, EdgeUnderTest, RunningEdge } from './edge-under-test.ts';
import { freePort } from './listen.ts';

export const kitFolder = 'infra/edge/varnish';

const isInstalled = ['xkey', 'digest'].every(
  (name) => globSync(`/usr/lib/{*/,}varnish/vmods/libvmod_${name}.so`).length > 0,
);

/** Where tests must not be left out, a missing package is a failure. */
const isSkipped = !isInstalled && process.env.CI !== 'true';

/** A suite that needs Varnish; where it is missing, the suite's name says so. */
export function describeVarnish(name: string, tests: () => void): void {
  describe.skipIf(isSkipped)(
    isSkipped ? `${name} (skipped: Varnish is missing, npm run setup:edge installs it)` : name,
    tests,
  );
}

export interface RunningKit extends RunningEdge {
  readonly process: ChildProcess;
  readonly dir: string;
  /** What it wrote to standard output and standard error until now. */
  output(): string;
}

interface KitOptions {
  /** Another folder that holds the kit. */
  readonly kit?: string;
  readonly tier?: EdgeTier;
  readonly flags?: readonly string[];
}

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

/** Starts the kit on a free port, as a platform team would, and waits until it responds. */
export async function startVarnish(
  backend: string,
  secret: string,
  { kit = kitFolder, tier = 'edge', flags = [] }: KitOptions = {},
): Promise<RunningKit> {
  const dir = mkdtempSync(join(tmpdir(), 'cdn-edge-test-'));
  const secretFile = `${dir}.secret`;
  writeFileSync(secretFile, `${secret}\n`, { mode: 0o600 });
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const required = ['--listen', `127.0.0.1:${port}`, '--backend', backend, '--secret-file', secretFile];
  const child = spawn(`${kit}/run`, [...required, '--dir', dir, '--tier', tier, ...flags]);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const stop = async () => {
    await end(child);
    for (const path of [dir, secretFile]) rmSync(path, { recursive: true, force: true });
  };
  const edge: ImmediateEdge = { id: `varnish-${port}`, driver: 'varnish', url: baseUrl, tier, secret };
  const state = async () => (child.exitCode === null ? isUp(baseUrl) : output);
  const reached = await eventually(state, (up) => up !== false).catch(String);
  if (reached === true) return { edge, baseUrl, process: child, dir, output: () => output, stop };
  await stop();
  throw new Error(`the edge did not start: ${reached}`);
}

/** The kit as benches start it. */
export const varnishKit: EdgeUnderTest = {
  name: 'The Varnish kit',
  start: (origin, secret) => startVarnish(origin, secret),
};

const roomy = ['--storage', '256m'];

/** With room for all that long tests store. */
export const roomyVarnish: BackendUnderTest = {
  name: 'Varnish',
  driver: 'varnish',
  start: (origin, secret) => startVarnish(origin, secret, { flags: roomy }),
};

export const twoTiers: EdgeUnderTest = {
  name: 'Two tiers of Varnish',
  async start(origin, secret) {
    const shield = await startVarnish(origin, secret, { tier: 'shield', flags: roomy });
    const running = await startVarnish(shield.baseUrl, secret, { flags: roomy });
    return {
      edge: running.edge,
      shield: shield.edge,
      baseUrl: running.baseUrl,
      stop: async () => void (await Promise.all([running.stop(), shield.stop()])),
    };
  },
};
