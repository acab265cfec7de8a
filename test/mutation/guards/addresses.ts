import type { Guard } from '../guard.ts';

const origin = 'shared/property/origin.ts';
const originTest = 'test/shared/property/origin.test.ts';
const corsTest = 'test/functions/cors.test.ts';
const swaggerTest = 'test/functions/swagger/swagger.test.ts';

/** Where the service may be sent, and who may read it from a browser. */
export const addresses: readonly Guard[] = [
  {
    name: 'an origin lies on a public address',
    file: origin,
    edits: [
      [
        "if (!allowPrivate && isInternalHost(url.hostname)) return 'must lie on a public address or name';",
        '',
      ],
    ],
    test: originTest,
  },
  {
    name: 'an origin is no metadata address',
    file: origin,
    edits: [["    '169.254.0.0/16',\n", '']],
    test: originTest,
  },
  {
    name: 'an origin is no IPv4 address in IPv6',
    file: origin,
    edits: [[" || wrappedIPv4.check(address, 'ipv6')", '']],
    test: originTest,
  },
  {
    name: 'an origin is public IPv6 or none',
    file: origin,
    edits: [["!publicIPv6.check(address, 'ipv6') || ", '']],
    test: originTest,
  },
  {
    name: 'an origin is no name of a network’s own',
    file: origin,
    edits: [["internalName.test(bare) || !bare.includes('.')", "!bare.includes('.')"]],
    test: originTest,
  },
  {
    name: 'an origin’s name is the same with a dot at its end',
    file: origin,
    edits: [[".replace(/\\.$/, '')", '']],
    test: originTest,
  },
  {
    name: 'an origin is http or https',
    file: origin,
    edits: [["!url || (url.protocol !== 'http:' && url.protocol !== 'https:')", '!url']],
    test: originTest,
  },
  {
    name: 'an origin holds no password',
    file: origin,
    edits: [["if (url.username || url.password) return 'must not hold a user name or password';", '']],
    test: originTest,
  },
  {
    name: 'a deployment allows no private origins unless it says so',
    file: 'shared/property/property-input.ts',
    edits: [
      [
        "fromEnvironment(settingVariable('allowPrivateOrigins')) === 'true'",
        "fromEnvironment(settingVariable('allowPrivateOrigins')) !== ''",
      ],
    ],
    test: 'test/functions/property/deployment.test.ts',
  },
  {
    name: 'an edge outside the network is asked over https',
    file: 'infra/operator/commands/new-edge.ts',
    edits: [
      ["if (url.protocol === 'http:' && !isInternalHost(url.hostname)) {", "if (url.protocol === 'ftp:') {"],
    ],
    test: 'test/infra/operator/operator.test.ts',
    only: 'http://(edge.example.com|203)',
  },
  {
    name: 'a browser’s origin is a listed one',
    file: 'shared/http/cors.ts',
    edits: [['origin !== undefined && listedOrigins().includes(origin) ? origin : undefined', 'origin']],
    test: corsTest,
    only: 'another origin is not echoed',
  },
  {
    name: 'the page of the description has a policy',
    file: 'functions/swagger/page.ts',
    edits: [["'Content-Security-Policy': contentSecurityPolicy, ", '']],
    test: swaggerTest,
    only: 'has a policy',
  },
  {
    name: 'files are what their type says',
    file: 'shared/http/serve-file.ts',
    edits: [["      'X-Content-Type-Options': 'nosniff',\n", '']],
    test: swaggerTest,
  },
];
