import type { Guard } from '../guard.ts';

const edgeVcl = 'infra/edge/node/varnish/edge.vcl';
const cacheability = 'infra/edge/embedded/cacheability.ts';
const cacheKeys = 'shared/edge/cache-keys.ts';
const nodeTest = 'test/infra/edge/node-driver.test.ts';
const embeddedTest = 'test/infra/edge/embedded-edge.test.ts';
const configTest = 'test/infra/edge/embedded-config.test.ts';

/** What edges store, and for whom. */
export const storedResponses: readonly Guard[] = [
  {
    name: 'a tag’s key names the host',
    file: cacheKeys,
    edits: [['return `t/${hostname}/${tag}`;', 'return `t//${tag}`;']],
    test: embeddedTest,
    only: 'purges every type.*hard, tag',
  },
  {
    name: 'a URL’s key names the host',
    file: cacheKeys,
    edits: [['return `u/${hostname}/${digest(target)}`;', 'return `u//${digest(target)}`;']],
    test: embeddedTest,
    only: 'purges every type.*hard, url',
  },
  {
    name: 'a path’s key names the host',
    file: cacheKeys,
    edits: [['return `p/${hostname}/${digest(path)}`;', 'return `p//${digest(path)}`;']],
    test: embeddedTest,
    only: 'purges every type.*hard, prefix',
  },
  {
    name: 'a node stores under the host',
    file: 'infra/edge/node/nginx/object-identity.lua',
    edits: [['request.host, is_reduced', "'host.example', is_reduced"]],
    test: nodeTest,
    only: 'purges every type.*hard, hostname',
  },
  {
    name: 'Varnish hands on nothing that the key does not hold',
    file: edgeVcl,
    edits: [
      [
        '  call drop_unkeyed_headers;\n',
        '  if (bereq.method == "") {\n    call drop_unkeyed_headers;\n  }\n',
      ],
    ],
    test: nodeTest,
    only: 'stores what it may',
  },
  {
    name: 'a node stores no response to a credential',
    file: 'infra/edge/node/nginx/hand-over.lua',
    edits: [
      ['headers.has_cookie and', 'false and'],
      ['headers.has_authorization and', 'false and'],
    ],
    test: nodeTest,
    only: 'stores what it may',
  },
  {
    name: 'Varnish stores no response that sets a cookie',
    file: 'infra/edge/node/varnish/lifetime.vcl',
    edits: [['beresp.http.Set-Cookie || ', '']],
    test: nodeTest,
    only: 'stores what it may',
  },
  {
    name: 'the embedded edge hands on nothing that the key does not hold',
    file: 'infra/edge/embedded/origin-request.ts',
    edits: [['isRead ? [...unkeyed, methodOverride] : unkeyed', '[]']],
    test: embeddedTest,
    only: 'stores what it may',
  },
  {
    name: 'the embedded edge stores no response to a credential',
    file: cacheability,
    edits: [[' && !isOfOneVisitor', '']],
    test: embeddedTest,
    only: 'stores what it may',
  },
  {
    name: 'the embedded edge shows nothing of a host name’s former property',
    file: 'infra/edge/embedded/object-identity.ts',
    edits: [['const parts = [document.propertyId, ', "const parts = ['', "]],
    test: configTest,
    only: 'a host name that changes hands',
  },
  {
    name: 'the embedded edge connects to no private address',
    file: 'infra/edge/embedded/origins.ts',
    edits: [['addresses.filter(({ address }) => !isInternalHost(address))', 'addresses']],
    test: configTest,
    only: 'rebound.example is 502',
  },
  {
    name: 'the embedded edge stores no response that sets a cookie',
    file: cacheability,
    edits: [["headers['set-cookie'] || ", '']],
    test: embeddedTest,
    only: 'stores what it may',
  },
];
