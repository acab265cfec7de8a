import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { functionSources } from '../infra/definition/functions.ts';
import { againstOrder, fileCircles, folderCircles, readImports } from './support/import-graph.ts';

const graph = readImports(['functions', 'shared', 'infra']);
const sources = [...graph.keys()];

function importsOf(file: string): readonly string[] {
  return graph.get(file) ?? [];
}

test('the topics of shared import only what stands before them', () => {
  expect(againstOrder(graph)).toEqual([]);
});

test('no files and no folders import each other', () => {
  expect(fileCircles(graph)).toEqual([]);
  expect(folderCircles(graph)).toEqual([]);
});

test('an import against the order, a circle of files and one of folders are each found', () => {
  const planted = new Map([
    ['shared/ground/a.ts', ['shared/aws/b.ts']],
    ['shared/aws/b.ts', ['shared/aws/c.ts', 'zod']],
    ['shared/aws/c.ts', ['shared/aws/b.ts']],
    ['shared/ticket/d.ts', ['shared/purge/e.ts']],
    ['shared/purge/e.ts', ['shared/aws/b.ts']],
    ['infra/one/f.ts', ['infra/two/g.ts']],
    ['infra/two/g.ts', []],
    ['infra/two/h.ts', ['infra/one/f.ts']],
  ]);
  expect(againstOrder(planted)).toEqual([
    'shared/ground/a.ts imports shared/aws/b.ts',
    'shared/ticket/d.ts imports shared/purge/e.ts',
  ]);
  expect(fileCircles(planted)).toEqual(['shared/aws/b.ts → shared/aws/c.ts → shared/aws/b.ts']);
  expect(folderCircles(planted)).toEqual(['infra/one → infra/two → infra/one']);
});

const layers = ['shared', 'functions', 'infra'];

function layerOf(path: string): number {
  return layers.indexOf(path.split('/')[0] ?? '');
}

test('shared imports no function, and neither imports the infrastructure', () => {
  for (const file of sources) {
    for (const imported of importsOf(file).filter((path) => layerOf(path) >= 0)) {
      expect([file, imported, layerOf(imported) <= layerOf(file)]).toEqual([file, imported, true]);
    }
  }
});

const lists = ['functions/endpoints.ts', 'functions/other-functions.ts'];

test('no function imports another, and every one is in its list', () => {
  const functions = globSync('functions/**/*.ts').filter((file) => !lists.includes(file));
  for (const file of functions) {
    expect([file, importsOf(file).filter((path) => path.startsWith('functions/'))]).toEqual([file, []]);
  }
  expect(functionSources.map(({ file }) => `functions/${file}.ts`).sort()).toEqual(functions.sort());
});

/** What touches AWS says so in its name; everything else is rules that run anywhere. */
const mayUseSdk = /^(shared\/(aws\/[\w-]+|[\w/-]+-(table|queue))|infra\/operator\/aws\/[\w-]+)\.ts$/;

test('only clients, tables and queues import the SDK, and what the operator alone asks of AWS', () => {
  for (const file of sources.filter((path) => /^(shared|functions|infra\/operator)\//.test(path))) {
    const uses = importsOf(file).filter((name) => name.startsWith('@aws-sdk/'));
    if (!mayUseSdk.test(file)) expect([file, uses]).toEqual([file, []]);
  }
});

/** Every file and package that comes with a file, types too. */
function loadedBy(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const imported of importsOf(file)) loadedBy(imported, seen);
  return seen;
}

test('the local run’s own process holds neither the CDK nor the bundler', () => {
  const loaded = [...loadedBy('infra/local/main.ts')];
  expect(loaded.length).toBeGreaterThan(50);
  const heavy = /^(aws-cdk-lib|constructs|cdk-nag|esbuild)\b|^infra\/synthesize\.ts$/;
  expect(loaded.filter((name) => heavy.test(name))).toEqual([]);
});

const mayTouch = [
  'client-cloudfront',
  'client-dynamodb',
  'lib-dynamodb',
  'client-sqs',
  'client-kms',
  'client-lambda',
  'client-secrets-manager',
];

test('functions and shared code use the agreed packages only', () => {
  const agreed = [
    'zod',
    'jose',
    'otplib',
    'undici',
    'uqr',
    'aws-lambda',
    '@middy/core',
    '@middy/http-json-body-parser',
  ];
  const packages = [...agreed, ...mayTouch.map((name) => `@aws-sdk/${name}`)];
  for (const file of sources.filter((path) => !path.startsWith('infra/'))) {
    const foreign = importsOf(file).filter((name) => layerOf(name) < 0 && !name.startsWith('node:'));
    expect([file, foreign.filter((name) => !packages.includes(name))]).toEqual([file, []]);
  }
});

test('no file only passes on what others export', () => {
  for (const file of sources)
    expect([file, /^export \* /m.test(readFileSync(file, 'utf8'))]).toEqual([file, false]);
});

test('of undici functions use only what their bundles keep', () => {
  for (const file of sources.filter((path) => layerOf(path) < 2 && importsOf(path).includes('undici'))) {
    const [, names = 'everything'] =
      /^import \{([^}]*)\} from 'undici';$/m.exec(readFileSync(file, 'utf8')) ?? [];
    const left = /^(?:type \w+|Pool|buildConnector|)$/;
    const others = names.split(',').filter((name) => !left.test(name.trim()));
    expect([file, others]).toEqual([file, []]);
  }
});
