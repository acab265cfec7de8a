import type { Guard } from '../guard.ts';

const purgeVcl = 'infra/edge/node/varnish/purge.vcl';
const endpoint = 'infra/edge/embedded/purge-endpoint.ts';
const nodeTest = 'test/infra/edge/node-driver.test.ts';
const embeddedTest = 'test/infra/edge/embedded-edge.test.ts';

/** Whom edges obey. */
export const purgeSignatures: readonly Guard[] = [
  {
    name: 'the embedded edge verifies the signature',
    file: endpoint,
    edits: [[' || !verify(this.secret, { time, mode, keys }, signature)', '']],
    test: embeddedTest,
    only: 'refuses forgeries.*other keys',
  },
  {
    name: 'the embedded edge takes fresh signatures only',
    file: endpoint,
    edits: [['!isFresh(time, now) || ', '']],
    test: embeddedTest,
    only: 'refuses forgeries.*a (replay|time) .*62',
  },
  {
    name: 'a notification that is forged does nothing',
    file: 'infra/edge/agent/notifications.mjs',
    edits: [[' || !this.isSigned(`${time} poll ${keys}`, signature)', '']],
    test: 'test/infra/edge/embedded-config.test.ts',
    only: 'a signed one polls, once',
  },
  {
    name: 'a notification that is replayed does nothing',
    file: 'infra/edge/agent/notifications.mjs',
    edits: [["    if (this.staleAt.has(signature)) return 'replayed';\n", '']],
    test: 'test/infra/edge/embedded-config.test.ts',
    only: 'a signed one polls, once',
  },
  {
    name: 'Varnish verifies the signature',
    file: purgeVcl,
    edits: [
      [
        '      != digest.hmac_sha256(var.get("secret"), "0x" + req.http.x-purge-signature)) {',
        '      == "") {',
      ],
    ],
    test: nodeTest,
    only: 'refuses forgeries.*other keys',
  },
  {
    name: 'Varnish takes no old signatures',
    file: purgeVcl,
    edits: [['now - std.time(req.http.x-purge-time, now - 1h) > 60s\n      || ', '']],
    test: nodeTest,
    only: 'refuses forgeries.*a replay',
  },
  {
    name: 'Varnish takes no signatures of the future',
    file: purgeVcl,
    edits: [['\n      || std.time(req.http.x-purge-time, now - 1h) - now > 60s', '']],
    test: nodeTest,
    only: 'refuses forgeries.*a time 62 s ahead',
  },
  {
    name: 'a node is purged from listed addresses only',
    file: 'infra/edge/node/nginx/visit.lua',
    edits: [["var.cdn_purger ~= '1'", "var.cdn_purger == '2'"]],
    test: 'test/infra/edge/node-process.test.ts',
    only: 'refuses this address',
  },
];
