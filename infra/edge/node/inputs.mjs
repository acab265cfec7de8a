import { lookup } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { failure } from './exit.mjs';
import { asRoot } from './user.mjs';

/** What the operator's files and the host say, read anew for each configuration. */
export async function readInputs({ secretFile, tokenFile, caFile, resolver, backend, shield }) {
  return {
    secret: textOf('secret', secretFile),
    token: tokenFile === undefined ? undefined : textOf('token', tokenFile),
    authorities: read('certificate', caFile),
    resolvers: resolver === undefined ? hostResolvers() : [resolver],
    backend: backend === undefined ? undefined : await resolved('backend', backend),
    shield: shield === undefined ? undefined : await resolved('shield', shield),
  };
}

/** Newlines at the end are ignored. */
function textOf(kind, path) {
  const text = read(kind, path).replaceAll('\r', '').replace(/\n+$/, '');
  if (text === '') throw failure(`the ${kind} file ${path} is empty`);
  return text;
}

function read(kind, path) {
  try {
    return asRoot(() => readFileSync(path, 'utf8'));
  } catch {
    throw failure(`the ${kind} file ${path} cannot be read`);
  }
}

function hostResolvers() {
  const addresses = [
    ...read('resolver', '/etc/resolv.conf').matchAll(/^nameserver\s+([0-9A-Fa-f.:]+)\s*$/gm),
  ];
  const found = addresses.map(([, address]) => (address.includes(':') ? `[${address}]:53` : `${address}:53`));
  return found.length > 0 ? found : ['127.0.0.1:53'];
}

/** As `ADDRESS:PORT`, to IPv4 where the name has such an address, as origins' names are. */
async function resolved(kind, url) {
  const { protocol, hostname, port } = new URL(url);
  try {
    const { address, family } = await lookup(hostname.replace(/^\[|\]$/g, ''), { verbatim: false });
    return `${family === 6 ? `[${address}]` : address}:${port || (protocol === 'https:' ? 443 : 80)}`;
  } catch {
    throw failure(`the ${kind}'s name ${hostname} could not be resolved`);
  }
}
