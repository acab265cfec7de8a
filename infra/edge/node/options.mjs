import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Exit } from './exit.mjs';
import { addressRange, flags, repeatable, socketAddress, values } from './option-values.mjs';

const usage =
  'run --listen HOST:PORT (--api URL --token-file FILE | --backend http://HOST:PORT) --secret-file FILE [--shield http(s)://HOST[:PORT]] [--tier edge|shield] [--edge-from CIDR]... [--dir DIR] [--storage SIZE] [--config-memory SIZE] [--tag-header NAME] [--purge-from CIDR]... [--resolver ADDRESS[:PORT]] [--ca-file FILE] [--allow-private-origins] [--tls-listen HOST:PORT --certificates DIR] [--acme-dir DIR] [--access-log on|off]';

const insideNetworks = ['127.0.0.0/8', '::1', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'];

/** @throws Exit for a wrong one */
export function optionsOf(args) {
  const given = read(args);
  checkTogether(given);
  const { tier = 'edge' } = given;
  return {
    listen: given.listen,
    api: given.api?.replace(/\/+$/, ''),
    tokenFile: given['token-file'] && resolve(given['token-file']),
    backend: given.backend,
    shield: given.shield,
    secretFile: resolve(given['secret-file']),
    tier,
    edgeFrom: given['edge-from']?.map(addressRange),
    dir: given.dir,
    storage: given.storage ?? '64m',
    configMemory: given['config-memory'] ?? '256m',
    tagHeader: given['tag-header'] ?? 'Surrogate-Key',
    purgeFrom: (given['purge-from'] ?? insideNetworks).map(addressRange),
    resolver: given.resolver === undefined ? undefined : socketAddress(given.resolver, 53),
    caFile: resolve(given['ca-file'] ?? '/etc/ssl/certs/ca-certificates.crt'),
    tlsListen: given['tls-listen'],
    certificates: given.certificates && resolve(given.certificates),
    acmeDir: given['acme-dir'],
    allowsPrivateOrigins: given['allow-private-origins'] === true,
    // Edges ask a shield for what they log themselves.
    isLogging: (given['access-log'] ?? (tier === 'shield' ? 'off' : 'on')) === 'on',
  };
}

function read(args) {
  const options = {
    ...Object.fromEntries(Object.keys(values).map((name) => [name, { type: 'string' }])),
    ...Object.fromEntries(flags.map((name) => [name, { type: 'boolean' }])),
  };
  const given = {};
  for (const token of parseArgs({ args, options, strict: false, tokens: true }).tokens) {
    if (token.kind !== 'option') throw misuse(`unknown option ${token.value ?? '--'}`);
    given[token.name] = readValue(token, given[token.name]);
  }
  return given;
}

function readValue({ name, rawName, value }, before = []) {
  if (flags.includes(name)) {
    if (value !== undefined) throw misuse(`--${name} takes no value`);
    return true;
  }
  if (!Object.hasOwn(values, name)) throw misuse(`unknown option ${rawName}`);
  if (value === undefined) throw misuse(`--${name} needs a value`);
  const [isRight, demand] = values[name];
  if (!isRight(value)) throw misuse(`--${name} ${demand}`);
  return repeatable.includes(name) ? [...before, value] : value;
}

function checkTogether(given) {
  const { api, backend } = given;
  const isMissing = (name) => given[name] === undefined;
  if (isMissing('listen')) throw misuse('--listen is missing');
  if (isMissing('api') && isMissing('backend')) throw misuse('--backend is missing, or --api');
  if (api !== undefined && backend !== undefined) throw misuse('--api and --backend exclude each other');
  if (isMissing('secret-file')) throw misuse('--secret-file is missing');
  if (isMissing('api') !== isMissing('token-file'))
    throw misuse(api === undefined ? '--token-file needs --api' : '--token-file is missing');
  checkTiers(given);
  checkTls(given);
  const tagHeader = given['tag-header'] ?? '';
  if (/^(?:xkey|x-hashtwo|x-(?:cdn|origin)-.*)$/i.test(tagHeader))
    throw misuse(`--tag-header ${tagHeader} is the node's own`);
}

function checkTiers({ api, shield, tier, 'edge-from': edgeFrom }) {
  const isShield = tier === 'shield';
  if (shield !== undefined && api === undefined) throw misuse('--shield needs --api');
  if (shield !== undefined && isShield) throw misuse('--shield is for edges');
  if (isShield && api !== undefined && edgeFrom === undefined) throw misuse('--edge-from is missing');
  if (edgeFrom !== undefined && !(isShield && api !== undefined))
    throw misuse('--edge-from needs --tier shield and --api');
}

function checkTls({ 'tls-listen': tlsListen, certificates }) {
  if (tlsListen !== undefined && certificates === undefined)
    throw misuse('--tls-listen needs --certificates');
  if (certificates !== undefined && tlsListen === undefined)
    throw misuse('--certificates needs --tls-listen');
}

function misuse(reason) {
  return new Exit(2, `${reason}; usage: ${usage}`);
}
