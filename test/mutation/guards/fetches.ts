import type { Guard } from '../guard.ts';

const guardVcl = 'infra/edge/node/varnish/guard.vcl';
const nodeTest = 'test/infra/edge/node-driver.test.ts';
const embeddedTest = 'test/infra/edge/embedded-edge.test.ts';

/** What keeps a fetch from bringing back what was purged since it began. */
export const fetches: readonly Guard[] = [
  {
    name: 'the embedded edge’s guard of fetches',
    file: 'infra/edge/embedded/cache.ts',
    edits: [['if (object.keys.some((key) => (this.purgedAt.get(key) ?? 0) > ticket)) return;', '']],
    test: embeddedTest,
    only: 'holds back fetches',
  },
  {
    name: 'Varnish’s guard of fetches',
    file: guardVcl,
    edits: [['if (var.get("guard") != var.get("guard at start")) {', 'if (var.get("guard") == "") {']],
    test: nodeTest,
    only: 'holds back fetches',
  },
  {
    name: 'Varnish’s guard of those that wait for a fetch',
    file: guardVcl,
    edits: [['    call store_nothing;\n', '']],
    test: 'test/infra/edge/node-refresh.test.ts',
    only: 'requests that wait for a fetch from before the purge',
  },
  {
    name: 'Varnish’s guard of fetches that are held up while they are stored',
    file: guardVcl,
    edits: [['if (var.get("guard") != resp.http.x-cdn-guard) {', 'if (var.get("guard") == "") {']],
    test: 'test/infra/edge/node-held-up.test.ts',
  },
  {
    name: 'Varnish’s guard of those that find the object of a held up fetch',
    file: guardVcl,
    edits: [['resp.http.x-cdn-guard-fetch, 1, 20s) > 0)', 'resp.http.x-cdn-guard-fetch, 1, 20s) > 1)']],
    test: 'test/infra/edge/node-held-up.test.ts',
    only: 'who finds the object of a held up fetch',
  },
];
