import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { expect, inject, test } from 'vitest';
import { edited } from '../../infra/bundling/edited.ts';
import { filterOf, leavesOut, leftOut } from '../../infra/bundling/left-out.ts';
import { functionSources } from '../../infra/definition/functions.ts';

interface Output {
  readonly entryPoint?: string;
  readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>;
  readonly bytes: number;
}

function bundles() {
  const { outputs } = JSON.parse(readFileSync(join(inject('bundles'), 'meta.json'), 'utf8')) as {
    outputs: Record<string, Output>;
  };
  return Object.values(outputs).flatMap(({ entryPoint, inputs, bytes }) =>
    entryPoint ? [{ entryPoint, inputs, files: Object.keys(inputs), bytes }] : [],
  );
}

test('a bundle holds one function, and no package that its function does not call', () => {
  expect(bundles()).toHaveLength(functionSources.length);
  for (const { entryPoint, files } of bundles()) {
    expect([entryPoint, files.filter((path) => path.startsWith('functions/'))]).toEqual([
      entryPoint,
      [entryPoint],
    ]);
    expect(files.filter((path) => /^infra\/(?!bundling\/stand-ins\/)/.test(path))).toEqual([]);
  }
});

test('the authorizer and the fallback hold no endpoint, no schema library’s locales and no queue', () => {
  for (const name of ['authorizer', 'fallback']) {
    const files = bundles().find(({ entryPoint }) => entryPoint === `functions/${name}.ts`)?.files ?? [];
    expect(files.length).toBeGreaterThan(0);
    expect(
      files.filter((path) => /client-sqs|client-kms|undici|middy|shared\/(property|purge)\//.test(path)),
    ).toEqual([]);
  }
});

test('only what brings purges and notifications to edges can speak the purge protocol', () => {
  const withHttpClient = bundles().filter(({ files }) =>
    files.some((path) => path.includes('node_modules/undici/')),
  );
  expect(withHttpClient.map(({ entryPoint }) => entryPoint).sort()).toEqual([
    'functions/catch-up.ts',
    'functions/config-notifier.ts',
    'functions/purge-consumer.ts',
  ]);
});

test('the consumer and the catch-up hold no asynchronous backend', () => {
  for (const name of ['purge-consumer', 'catch-up']) {
    const files = bundles().find(({ entryPoint }) => entryPoint === `functions/${name}.ts`)?.files ?? [];
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((path) => /client-cloudfront|asynchronous-drivers/.test(path))).toEqual([]);
  }
});

const limits: Readonly<Record<string, number>> = {
  'functions/purge-consumer.ts': 780_000,
  'functions/catch-up.ts': 780_000,
  'functions/config-notifier.ts': 680_000,
  'functions/invalidation-consumer.ts': 740_000,
  'functions/fallback.ts': 590_000,
};

test('no bundle is larger than it must be', () => {
  for (const { entryPoint, bytes } of bundles()) {
    expect([entryPoint, bytes < (limits[entryPoint] ?? 550_000)]).toEqual([entryPoint, true]);
  }
});

test('of what is left out bundles hold the names alone, and all of it would be there otherwise', () => {
  for (const path of Object.keys(leftOut)) {
    const inputs = bundles().flatMap((bundle) => Object.entries(bundle.inputs));
    const met = inputs.filter(([input]) => filterOf(path).test(`/${input}`));
    expect([path, met.length > 0]).toEqual([path, true]);
    expect([path, met.filter(([, { bytesInOutput }]) => bytesInOutput > 2_000)]).toEqual([path, []]);
  }
});

const neverCalled = {
  'files of profiles': /shared-ini-file-loader\/(loadSharedConfigFiles|parseIni)|fs\/promises/,
  'sources of credentials beside the environment': /credential-provider|client-sso|client-sts/,
  'languages beside English': /zod\/v4\/locales\/(?!en\.)/,
  'parts of undici beside its pool': /undici\/lib\/(api|cache|handler|interceptor|milo|mock)\//,
};

test.each(Object.entries(neverCalled))('no bundle holds %s', (_, pattern) => {
  for (const { entryPoint, inputs } of bundles()) {
    const held = Object.entries(inputs).filter(
      ([path, { bytesInOutput }]) => bytesInOutput > 0 && pattern.test(path),
    );
    expect([entryPoint, held.map(([path]) => path)]).toEqual([entryPoint, []]);
  }
});

async function bundled(contents: string, resolveDir: string, plugin: Plugin): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir },
    plugins: [plugin],
    bundle: true,
    platform: 'node',
    format: 'esm',
    mainFields: ['module', 'main'],
    write: false,
    logLevel: 'silent',
  });
  return outputFiles.map(({ text }) => text).join('');
}

test('whoever uses what is left out is told its name', async () => {
  const code = await bundled(
    "import { Sha256Js } from '@smithy/core/checksum';\nexport const use = () => new Sha256Js().update('text');",
    process.cwd(),
    leavesOut,
  );
  const { use } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  expect(use).toThrow('Sha256Js is left out of the bundles: infra/bundling/left-out.ts says why');
});

test('a package that has changed where it is edited fails the build', async () => {
  const folder = mkdtempSync(join(inject('folder'), 'changed-'));
  const zod = join(folder, 'node_modules', 'zod', 'v4', 'classic');
  mkdirSync(zod, { recursive: true });
  writeFileSync(join(zod, 'schemas.js'), 'export const string = () => undefined;');
  await expect(bundled("import 'zod/v4/classic/schemas.js';", folder, edited)).rejects.toThrow(
    /zod\/v4\/classic\/schemas\.js has .* 0 times, not 3: its package has changed/,
  );
});
