import type { Guard } from '../guard.ts';

const edgeRequest = 'infra/edge/node/nginx/edge-request.lua';
const asksShield = 'infra/edge/node/haproxy/asks-shield.cfg';
const tierShield = 'infra/edge/node/varnish/tier-shield.vcl';
const tiersTest = 'test/infra/edge/node-shield.test.ts';
const partsTest = 'test/infra/edge/node-shield-parts.test.ts';
const wayTest = 'test/infra/edge/node-shield-way.test.ts';

/** What an edge and its shield believe of each other, and of nobody else. */
export const twoTiers: readonly Guard[] = [
  {
    name: 'a shield believes its edges alone',
    file: edgeRequest,
    edits: [["var.cdn_is_edge == '1' and var.http_x_cdn_key", 'var.http_x_cdn_key']],
    test: tiersTest,
    only: 'is a visitor’s word',
  },
  {
    name: 'a shield stores nothing of an origin that it does not know',
    file: edgeRequest,
    edits: [[' or not has_same_origin(document, host, fetch)', '']],
    test: tiersTest,
    only: 'knows another port',
  },
  {
    name: 'a shield stores nothing of a path that it does not know',
    file: 'infra/edge/node/nginx/asked.lua',
    edits: [["origin.path .. '/'", "'/'"]],
    test: tiersTest,
    only: 'knows another path',
  },
  {
    name: 'a shield serves nobody before it has its whole configuration',
    file: edgeRequest,
    edits: [["  if is_early then return own(503, 'The shield is starting.') end\n", '']],
    test: 'test/infra/edge/node-shield-away.test.ts',
    only: 'has just been started',
  },
  {
    name: 'a shield’s visitors see no tags',
    file: tierShield,
    edits: [['!~ "^fixed "', '~ "^fixed "']],
    test: tiersTest,
    only: 'who visits the shield',
  },
  {
    name: 'a site is named once on the way over a shield',
    file: 'infra/edge/node/varnish/origin-request.vcl',
    edits: [[' && !bereq.http.x-cdn-edge', '']],
    test: tiersTest,
    only: 'the same from an edge is believed',
  },
  {
    name: 'the time in a shield counts',
    file: 'infra/edge/node/varnish/lifetime.vcl',
    edits: [['beresp.http.x-cdn-lifetime + "s", 0s) - beresp.age', 'beresp.http.x-cdn-lifetime + "s", 0s)']],
    test: partsTest,
    only: 'a lifetime that is over',
  },
  {
    name: 'no origin speaks as a shield',
    file: 'infra/edge/node/haproxy/haproxy.cfg',
    edits: [['  http-response del-header ^x.(cdn|origin)(.|$) -m reg\n', '']],
    test: tiersTest,
    only: 'no origin says anything',
  },
  {
    name: 'an edge takes nothing of a shield that does not know it',
    file: asksShield,
    edits: [['  http-response deny deny_status 502 unless is_of_shield\n', '']],
    test: partsTest,
    only: 'by responding as to a visitor',
  },
  {
    name: 'an origin that is slow behind a shield holds its part of the requests',
    file: asksShield,
    edits: [['  http-request deny deny_status 503 if { var(txn.refusal) -m found }\n', '']],
    test: partsTest,
    only: 'by being slow for one origin',
  },
  {
    name: 'a shield is told nothing of the edge’s own',
    file: asksShield,
    edits: [['  http-request del-header ^x-cdn-(?!(?:key|fetch|pass|url)$|set-) -m reg\n', '']],
    test: partsTest,
    only: 'is for /',
  },
  {
    name: 'a shield over TLS proves its name',
    file: 'infra/edge/node/configuration.mjs',
    edits: [['`ssl verify required', '`ssl verify none']],
    test: wayTest,
    only: 'is closed to whoever',
  },
];
