import { defineConfig } from 'vitest/config';

/** Rules, documents and templates: nothing is started. */
const pure = [
  'test/*.test.ts',
  'test/shared/**/*.test.ts',
  'test/infra/*.test.ts',
  'test/infra/openapi/*.test.ts',
  'test/mutation/*.test.ts',
  'test/cost/*.test.ts',
  'test/bench/**/*.test.ts',
];

/** Attacks on every endpoint and every kit: a part of them by `npm test`, all by `npm run trust`. */
const trust = ['test/trust/*.test.ts'];

/** Each starts a run of its own, with its own edges, options or processes, or waits for seconds. */
const system = [
  'test/trust/{edges,faults,faults-clock,faults-workers,logs}.test.ts',
  'test/readme.test.ts',
  'test/shared/edge/{cloudfront,varnish}.test.ts',
  'test/infra/edge/**/*.test.ts',
  'test/infra/{app,bundle-start}.test.ts',
  'test/infra/local/**/*.test.ts',
  'test/infra/operator/**/*.test.ts',
  ...[
    'catch-up',
    'catch-up-schedule',
    'chaos',
    'invalidation',
    'cors',
    'edge-config',
    'edge-scope',
    'failing-edges',
    'purge-consumer',
    'purge/bookkeeping',
    'purge/burst',
    'purge/capability-check',
    'secrets',
    'statistics/failure',
    'statistics/ingest',
  ].map((name) => `test/functions/${name}.test.ts`),
];

/** Requests to the API; the files of a worker share its run. */
const api = ['test/functions/**/*.test.ts', 'test/infra/openapi/client.test.ts', ...trust];

/** What `npm test` tries in part by its calls of `volume`, or not at all; `npm run test:load` tries it in full. */
const load = [
  'test/shared/catch-up/lagging-edge-model.test.ts',
  ...[
    'api-key/api-key',
    'auth/two-factor',
    'catch-up',
    'chaos',
    'edge-config',
    'edge-scope',
    'failing-edges',
    'property/change',
    'property/scale',
    'purge-consumer',
    'purge/burst',
    'purge/list',
    'rule/change',
    'rule/create',
    'statistics/cost',
    'statistics/failure',
    'ticket/create',
    'ticket/list',
    'ticket/message',
  ].map((name) => `test/functions/${name}.test.ts`),
  'test/infra/operator/purge.test.ts',
  'test/load/*.test.ts',
  ...[
    'catch-up',
    'config-agent',
    'end-to-end',
    'embedded-config',
    'embedded-edge',
    'node-config',
    'node-evaluator',
    'node-kills',
    'node-statistics',
    'node-driver',
    'node-shield',
    'node-held-up',
    'node-tiers',
    'node-tls-changes',
    'node-http2',
    'node-addresses',
    'ship-logs',
  ].map((name) => `test/infra/edge/${name}.test.ts`),
];

/** One that never changes for `npm test`, so that what fails is what was changed; else a new one each time. */
process.env.TRUST_SEED ??= process.env.TEST_VOLUME === 'all' ? String(Date.now() % 2 ** 31) : '1';

const project = (name: string, include: string[], exclude: string[], isolate: boolean) => ({
  extends: true as const,
  test: { name, include, exclude, isolate },
});

const isLoad = process.env.TEST_VOLUME === 'all';

export default defineConfig({
  test: {
    globalSetup: ['test/support/synthesize.ts'],
    setupFiles: ['test/support/described-responses.ts'],
    pool: 'forks',
    maxWorkers: 4,
    execArgv: ['--disable-warning=ExperimentalWarning'],
    // Against what hangs: no test counts on being quick, since a machine may stand still for seconds.
    testTimeout: 400_000,
    hookTimeout: 400_000,
    projects: isLoad
      ? [project('load', load, [], true), project('trust', trust, [], true)]
      : [
          project('pure', pure, [...system, ...api], false),
          project('api', api, system, false),
          project('system', system, [], true),
        ],
  },
});
