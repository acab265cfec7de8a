import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { joinSharedRun } from '../../support/shared-run.ts';
import type { TestRun } from '../../support/test-run.ts';

const distribution = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

let run: TestRun;

beforeAll(async () => {
  run = await joinSharedRun();
});
afterAll(() => run.end());

async function get(path: string, method: 'GET' | 'HEAD' | 'POST' | 'OPTIONS' = 'GET') {
  const { statusCode, headers, body } = await request(run.baseUrl + path, { method });
  return { status: statusCode, headers, bytes: Buffer.from(await body.arrayBuffer()) };
}

function everySpelling(path: string): readonly string[] {
  return [path, path.toUpperCase(), `${path}/`, `/${path}`, path.replace('swagger', '%73waGGer')];
}

test.each(everySpelling('/swagger/v1/swagger.json'))(
  '%s is the document that the build wrote',
  async (path) => {
    const { status, headers, bytes } = await get(path);
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    const written = readFileSync(join(inject('bundles'), 'swagger-document', 'swagger.json'), 'utf8');
    expect(JSON.parse(bytes.toString())).toEqual(JSON.parse(written));
  },
);

test.each([
  ['/swagger/v1/swagger.json', '/'],
  ['/Swagger/V1/swagger.json/', '/'],
  ['//swagger/v1/swagger.json', '/'],
  ['/api/swagger/v1/swagger.json', '/api'],
  ['/api//swagger/v1/swagger.json', '/api'],
  ['/api/swagger/v1/swagger.json/', '/api'],
  ['/cdn/v2/swagger/v1/swagger.json', '/cdn/v2'],
])('asked for at %s the document says that the API begins at %s', async (path, base) => {
  const event = JSON.parse(readFileSync('test/events/swagger-document.json', 'utf8'));
  const response = (await run.functions.invoke('CdnManagement-swagger-document', {
    ...event,
    requestContext: { ...event.requestContext, path },
  })) as { body: string };
  const { servers } = JSON.parse(Buffer.from(response.body, 'base64').toString());
  expect(servers).toEqual([{ url: base, description: expect.any(String) }]);
});

test.each(['swagger-document', 'swagger-page', 'swagger-asset'])(
  '%s responds to its test event',
  async (name) => {
    const event = JSON.parse(readFileSync(`test/events/${name}.json`, 'utf8'));
    expect(await run.functions.invoke(`CdnManagement-${name}`, event)).toMatchObject({
      statusCode: 200,
      isBase64Encoded: true,
    });
  },
);

function referencesIn(html: string): string[] {
  return [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, reference = '']) => reference);
}

describe.each(everySpelling('/swagger'))('the page at %s', (path) => {
  test('loads what it needs from beside itself and from nowhere else', async () => {
    const { status, headers, bytes } = await get(path);
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const references = referencesIn(bytes.toString());
    expect(references).toHaveLength(6);
    for (const reference of references) {
      const url = new URL(reference, run.baseUrl + path);
      expect([reference, url.origin]).toEqual([reference, run.baseUrl]);
      expect([reference, (await get(url.pathname)).status]).toEqual([reference, 200]);
    }
  });

  test('has a policy that runs no inline script and asks no other host', async () => {
    const policy = String((await get(path)).headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
  });
});

test.each([
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['favicon-32x32.png', 'image/png'],
])('the asset %s is Swagger UI’s own, byte for byte', async (name, contentType) => {
  for (const path of everySpelling(`/swagger/${name}`)) {
    const { status, headers, bytes } = await get(path);
    expect([path, status, headers['content-type']]).toEqual([path, 200, contentType]);
    expect(bytes.equals(readFileSync(join(distribution, name)))).toBe(true);
    expect(headers['x-content-type-options']).toBe('nosniff');
  }
});

test.each([
  'nothing.js',
  '..%2Findex.mjs',
  '%2e%2e%2fswagger.json',
  'swagger-ui.css%00',
  'swagger-ui.css/x',
  'v1',
])('there is no asset %s', async (name) => {
  const { status, bytes } = await get(`/swagger/${name}`);
  expect([status, JSON.parse(bytes.toString())]).toEqual([
    404,
    expect.objectContaining({ succeeded: false, message: 'There is no such endpoint. Check the path.' }),
  ]);
});

test.each(['/swagger', '/swagger/v1/swagger.json', '/swagger/swagger-ui.css', '/SWAGGER/'])(
  '%s takes no method but GET',
  async (path) => {
    for (const method of ['POST', 'HEAD'] as const) {
      const { status, headers } = await get(path, method);
      expect([method, status, headers.allow]).toEqual([method, 405, 'GET, OPTIONS']);
    }
    expect((await get(path, 'OPTIONS')).status).toBe(200);
  },
);
