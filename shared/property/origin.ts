import { BlockList, isIP } from 'node:net';

/** HAProxy holds the addresses that it connects to against the same ones, in infra/edge/node/haproxy/haproxy.cfg. */
export const addressRanges = {
  internalIPv4: [
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.0.0.0/24',
    '192.168.0.0/16',
    '198.18.0.0/15',
    '224.0.0.0/3',
  ],
  /** Only global unicast is public. */
  publicIPv6: ['2000::/3'],
  /** Of that, what wraps an IPv4 address could lead anywhere. */
  wrappedIPv4: ['2001::/32', '2002::/16'],
} as const;

const internalIPv4 = blockListOf(addressRanges.internalIPv4, 'ipv4');
const publicIPv6 = blockListOf(addressRanges.publicIPv6, 'ipv6');
const wrappedIPv4 = blockListOf(addressRanges.wrappedIPv4, 'ipv6');

const internalName = /(^|\.)(localhost|local|internal|intranet|lan|home|corp|localdomain)$/;

/** True for a host that lies inside some network: loopback, link-local, private, metadata, in any notation. */
export function isInternalHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return isIP(bare) ? isInternalAddress(bare) : internalName.test(bare) || !bare.includes('.');
}

/**
 * Checks an origin's URL; WHATWG parsing has already brought every notation of an IPv4 address into one.
 * @returns what is wrong with it, or undefined
 */
export function originFault(text: string, allowPrivate: boolean): string | undefined {
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return 'must be an http or https URL';
  if (url.username || url.password) return 'must not hold a user name or password';
  if (url.search || url.hash) return 'must not hold a query or a fragment';
  if (!allowPrivate && isInternalHost(url.hostname)) return 'must lie on a public address or name';
  return undefined;
}

function isInternalAddress(address: string): boolean {
  return isIP(address) === 4
    ? internalIPv4.check(address, 'ipv4')
    : !publicIPv6.check(address, 'ipv6') || wrappedIPv4.check(address, 'ipv6');
}

function blockListOf(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/');
    list.addSubnet(address, Number(prefix), family);
  }
  return list;
}
