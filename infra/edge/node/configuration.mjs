import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const kit = dirname(fileURLToPath(import.meta.url));

/** Every part runs in the node's directory: so no path is too long for a socket, or holds what a configuration file reads as its own. */
export const here = '/proc/self/cwd';

const mostNames = 30;

/**
 * @param guardKey the same as long as the node runs
 * @param secrets how often the secret has changed: Varnish never reads a file of the same name twice
 * @returns the texts of the node's files by their names, made of the operator's options alone
 */
export function configurationOf(options, inputs, { guardKey, secrets }) {
  const values = placeholders(options, inputs);
  const fill = filler(values);
  const fillVcl = filler({ ...values, DIR: here + '/.'.repeat(secrets % mostNames) });
  return new Map([
    ['edge.vcl', fillVcl(vclOf(options))],
    ['nginx.conf', fill(read('nginx/nginx.conf'))],
    ['haproxy.cfg', fill(haproxyOf(options))],
    ['secret', inputs.secret],
    ['guard-key', guardKey],
    ['authorities.pem', inputs.authorities],
    ...copies('nginx', '.lua', 'lua'),
    ...(options.backend === undefined
      ? [['token', inputs.token], ...copies('../agent', '.mjs', 'agent')]
      : [['fixed-site.json', JSON.stringify(fixedSite(options.backend))]]),
  ]);
}

function placeholders(options, { resolvers, backend, shield }) {
  const isAskedByEdges = options.edgeFrom !== undefined;
  const believesAll = options.tier === 'shield' && !isAskedByEdges;
  return {
    LISTEN: options.listen,
    TLS:
      options.tlsListen === undefined
        ? ''
        : filler({ TLS_LISTEN: options.tlsListen })(read('nginx/tls.conf')),
    ACME: options.acmeDir === undefined ? '' : filler({ ACME_DIR: options.acmeDir })(read('nginx/acme.conf')),
    DIR: here,
    LUA: `${here}/lua`,
    PURGERS: options.purgeFrom.map((range) => `${range} 1;`).join('\n'),
    WORKERS: 'auto',
    CONFIG_MEMORY: options.configMemory.replace(/(\d+)g$/i, (_, size) => `${size * 1024}m`),
    VISIT: isAskedByEdges ? 'edge-request' : 'visit',
    EDGES: (options.edgeFrom ?? []).map((range) => `${range} 1;`).join('\n'),
    HEADER_BUFFERS: isAskedByEdges ? '4 32k' : '4 8k',
    FORWARDED_FOR: believesAll ? '$cdn_edge_addresses' : '$remote_addr',
    SCHEME: believesAll ? '$cdn_edge_scheme' : '$scheme',
    ACCESS_LOG: options.isLogging ? `${here}/access.log edge if=$log_is_traffic` : 'off',
    TAG_HEADER: options.tagHeader,
    RESOLVER: resolvers.map((address, index) => `nameserver host${index} ${address}`).join('\n  '),
    PRIVATE: options.allowsPrivateOrigins ? '0' : '1',
    BACKEND: backend ?? '',
    SHIELD: shield ?? '',
    SHIELD_TLS: tlsTo(options.shield),
    CA_FILE: `${here}/authorities.pem`,
  };
}

export function filler(values) {
  return (text) =>
    text.replace(/@([A-Z_]+)@/g, (placeholder, name) => {
      if (!Object.hasOwn(values, name)) throw new Error(`nothing fills ${placeholder}`);
      return values[name];
    });
}

/** As origins are connected to, whose certificates are verified by their names. */
function tlsTo(url) {
  const { protocol, hostname } = url === undefined ? {} : new URL(url);
  if (protocol !== 'https:') return '';
  return `ssl verify required ca-file ${here}/authorities.pem sni str(${hostname})`;
}

export function vclOf({ tier, shield }) {
  const names = readdirSync(join(kit, 'varnish')).filter((name) => name.endsWith('.vcl'));
  const others = names.filter((name) => name !== 'edge.vcl' && !/^(?:tier|asks)-/.test(name)).sort();
  const chosen = [`asks-${shield === undefined ? 'origins' : 'shield'}.vcl`, `tier-${tier}.vcl`];
  return ['edge.vcl', ...others, ...chosen].map((name) => read(`varnish/${name}`)).join('\n');
}

export function haproxyOf({ backend, shield }) {
  const asked = backend !== undefined ? 'backend' : shield !== undefined ? 'shield' : 'origins';
  return ['haproxy.cfg', `asks-${asked}.cfg`].map((name) => read(`haproxy/${name}`)).join('');
}

function copies(from, ending, to) {
  const names = readdirSync(join(kit, from)).filter((name) => name.endsWith(ending));
  return names.map((name) => [`${to}/${name}`, read(`${from}/${name}`)]);
}

function read(path) {
  return readFileSync(join(kit, path), 'utf8');
}

/** Every host name is served from the one origin. */
function fixedSite(backend) {
  return {
    propertyId: 'fixed',
    hostnames: [],
    status: 'active',
    origin: { url: backend.replace(/\/$/, '') },
    cache: {
      ttlSeconds: 120,
      browserTtlSeconds: null,
      staleWhileRevalidateSeconds: 10,
      staleIfErrorSeconds: 0,
      queryString: { mode: 'include', names: [] },
    },
    rules: [],
  };
}
