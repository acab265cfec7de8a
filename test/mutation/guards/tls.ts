import type { Guard } from '../guard.ts';

const certificate = 'infra/edge/node/certificate.mjs';
const certificates = 'infra/edge/node/certificates.mjs';
const ofWorkers = 'infra/edge/node/nginx/certificates.lua';
const tlsConf = 'infra/edge/node/nginx/tls.conf';
const acmeConf = 'infra/edge/node/nginx/acme.conf';
const folderTest = 'test/infra/edge/node-tls-config.test.ts';
const tlsTest = 'test/infra/edge/node-tls.test.ts';
const acmeTest = 'test/infra/edge/node-acme.test.ts';

/** By which certificate a node serves whom over TLS, and what of the disk it shows. */
export const tls: readonly Guard[] = [
  {
    name: 'over TLS a name is served that has a certificate',
    file: 'infra/edge/node/nginx/visit.lua',
    edits: [["if var.scheme == 'https' and not is_certified(host)", 'if not host']],
    test: tlsTest,
    only: 'serves each name that has a certificate',
  },
  {
    name: 'a certificate’s wildcard is for a label',
    file: ofWorkers,
    edits: [['dot and dot > 1 and', 'dot and']],
    test: tlsTest,
    only: 'a wildcard is for one label',
  },
  {
    name: 'a certificate of an exact name goes before a wildcard’s',
    file: ofWorkers,
    edits: [
      [
        "places[name] or dot and dot > 1 and places['*' .. sub(name, dot)]",
        "dot and dot > 1 and places['*' .. sub(name, dot)] or places[name]",
      ],
    ],
    test: tlsTest,
    only: 'a wildcard is for one label',
  },
  {
    name: 'over TLS ciphers are modern',
    file: tlsConf,
    edits: [['ECDHE+AESGCM:ECDHE+CHACHA20', 'HIGH']],
    test: tlsTest,
    only: 'modern versions and ciphers',
  },
  {
    name: 'what is said over https is stored apart from what is said over http',
    file: 'infra/edge/node/nginx/object-identity.lua',
    edits: [["request.scheme == 'https' and ' https' or ''", "''"]],
    test: tlsTest,
    only: 'tells the origin which scheme',
  },
  {
    name: 'a connection by HTTP/2 asks for no more at once than one origin takes',
    file: tlsConf,
    edits: [['http2_max_concurrent_streams 128;', 'http2_max_concurrent_streams 1000;']],
    test: 'test/infra/edge/node-http2.test.ts',
    only: 'has as many requests under way',
  },
  {
    name: 'a certificate is used with its own key',
    file: certificate,
    edits: [
      ["if (!leaf.checkPrivateKey(privateKey)) throw new Error('its key is of another certificate');", ''],
    ],
    test: folderTest,
    only: 'a key of another certificate',
  },
  {
    name: 'a certificate is not used with a weak key',
    file: certificate,
    edits: [['  checkUse(chain, privateKey);\n', '']],
    test: folderTest,
    only: 'a key that is too weak',
  },
  {
    name: 'a certificate that has expired takes no other’s place',
    file: certificates,
    edits: [['if (now >= endsAt)', 'if (now < 0)']],
    test: folderTest,
    only: 'a time that is over',
  },
  {
    name: 'a certificate that is not right leaves the one before in use',
    file: certificates,
    edits: [['used: before?.used', 'used: undefined']],
    test: folderTest,
    only: 'no key: it is said once',
  },
  {
    name: 'a certificate is not taken in the middle of being written',
    file: certificates,
    edits: [['if (isSettled || pair?.stamp', 'if (!isSettled || pair?.stamp']],
    test: folderTest,
    only: 'what is written is taken',
  },
  {
    name: 'certificates’ keys are nobody else’s to read',
    file: 'infra/edge/node/node-files.mjs',
    edits: [['mode: 0o600', 'mode: 0o644']],
    test: folderTest,
    only: 'nobody else’s to read',
  },
  {
    name: 'a challenge has a token for its name',
    file: acmeConf,
    edits: [['[A-Za-z0-9_-]+', '[^/]+']],
    test: acmeTest,
    only: 'nothing else of the disk',
  },
  {
    name: 'a challenge is no link',
    file: acmeConf,
    edits: [['disable_symlinks on from="@ACME_DIR@/";', '']],
    test: acmeTest,
    only: 'nothing else of the disk',
  },
];
