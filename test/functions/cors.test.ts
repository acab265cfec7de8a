import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { makeApp } from '../../infra/synthesize.ts';
import { startTestRun, type TestRun } from '../support/test-run.ts';

const panel = 'https://panel.example.com';
let folder: string;
let run: TestRun;

beforeAll(async () => {
  process.env.CDK_VALIDATION = 'false';
  folder = mkdtempSync(join(tmpdir(), 'cdn-management-cors-'));
  const assembly = join(folder, 'cdk.out');
  const options = { corsOrigins: `https://other.example.com,${panel}` };
  makeApp({ bundles: inject('bundles'), assembly, options }).synth();
  run = await startTestRun({ assembly });
});
afterAll(async () => {
  await run.end();
  rmSync(folder, { recursive: true, force: true });
});

function ask(path: string, origin: string | undefined, method = 'GET', key = run.apiKey) {
  return run.api.send(path, {
    method,
    headers: [
      ...(origin ? [['Origin', origin] as const] : []),
      ...(key ? [['X-API-Key', key] as const] : []),
    ],
  });
}

test.each(['/api/account', '/API/account', '/api/property/nothing', '/api/nothing'])(
  'a listed origin may read the response of %s',
  async (path) => {
    const { headers } = await ask(path, panel);
    expect([headers['access-control-allow-origin'], headers.vary]).toEqual([panel, 'Origin']);
    expect(headers['access-control-expose-headers']).toBe(
      'X-Request-Id, Idempotent-Replay, Retry-After, ETag',
    );
  },
);

test('another origin is not echoed, and caches are told that it matters', async () => {
  for (const origin of ['https://evil.example.com', `${panel}.evil.example`, 'null', undefined]) {
    const { headers } = await ask('/api/account', origin);
    expect([headers['access-control-allow-origin'], headers.vary]).toEqual([undefined, 'Origin']);
  }
});

test('a preflight gets its response without credentials, in the envelope', async () => {
  for (const path of ['/api/account/api-keys', '/API/Account/API-keys/']) {
    const { status, headers, envelope } = await ask(path, panel, 'OPTIONS', '');
    expect([status, envelope.succeeded]).toEqual([200, true]);
    expect(headers['access-control-allow-origin']).toBe(panel);
    expect(headers['access-control-allow-methods']).toBe('POST, GET, OPTIONS');
    expect(headers['access-control-allow-headers']).toBe(
      'X-API-Key, Authorization, Content-Type, Idempotency-Key, If-Match',
    );
  }
});

test('the gateway’s own responses can be read by any page', async () => {
  const { status, headers } = await ask('/api/account', panel, 'GET', '');
  expect([status, headers['access-control-allow-origin']]).toEqual([401, '*']);
});
