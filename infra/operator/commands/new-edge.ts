import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { backends, type EdgeDriverName } from '../../../shared/edge/backends.ts';
import { distributionOf } from '../../../shared/edge/distribution.ts';
import type { Edge } from '../../../shared/edge/edge.ts';
import type { EdgeItem } from '../../../shared/edge/registry-table.ts';
import { EdgeTier } from '../../../shared/edge/tier.ts';
import { messageOf } from '../../../shared/ground/message-of.ts';
import { namesOf } from '../../../shared/ground/names.ts';
import { isInternalHost } from '../../../shared/property/origin.ts';
import { type Flags, requireFlag, UsageError } from './command.ts';

const idPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** What the edges of each backend go by. */
const addresses: Readonly<Record<EdgeDriverName, { parse(text: string): string; readonly help: string }>> = {
  varnish: { parse: parseUrl, help: 'https://HOST:PORT, or http:// inside your own network' },
  cloudfront: { parse: parseDistribution, help: 'cloudfront:DISTRIBUTION_ID' },
};

/** What help says of an edge's address. */
export const urlFlag = `address of its purge listener; ${namesOf(addresses)
  .map((driver) => `for ${driver} ${addresses[driver].help}`)
  .join('; ')}`;

/** What AWS charges: https://aws.amazon.com/cloudfront/pricing */
export const pathPrice =
  'AWS charges $0.005 for each path that a purge invalidates, after the first 1,000 a month';

/** An edge as the flags name it, with a secret from the file or made at random where its backend has one. */
export function parseEdge(flags: Flags, isSinglePass: boolean): Edge {
  const id = parseId(requireFlag(flags, 'id'));
  const driver = parseDriver(requireFlag(flags, 'driver'));
  const tier = parseTier(flags.tier ?? 'edge', driver);
  const given = parseSecret(flags, driver);
  const url = addresses[driver].parse(requireFlag(flags, 'url'));
  if (isSinglePass && backends[driver].mode === 'immediate')
    throw new UsageError(
      `an edge of the driver ${driver} is asked once for each purge, without --single-pass`,
    );
  const secret = backends[driver].hasSecret ? (given ?? randomBytes(32).toString('base64url')) : undefined;
  return { id, driver, url, tier, secret, ...(isSinglePass && { isSinglePass }) };
}

/** What purges of the edge cost; undefined where they cost nothing. */
export function priceOf({ driver, isSinglePass }: Edge): string | undefined {
  if (driver !== 'cloudfront') return undefined;
  return isSinglePass
    ? `${pathPrice}. With --single-pass a fetch that is under way can bring old content back.`
    : `${pathPrice}, and each purge is invalidated twice; --single-pass saves the second, and lets a fetch that is under way bring old content back.`;
}

/** The edge that takes the place of a registered one: what the flags do not name, and its secret, stay as they are. */
export function parseReplacement(flags: Flags, registered: EdgeItem): Edge {
  const { id } = registered;
  const driver = flags.driver === undefined ? registered.driver : parseDriver(flags.driver);
  if (backends[driver].mode !== backends[registered.driver].mode)
    throw new Error(`Edge ${id} cannot become one of the driver ${driver}: remove it, and add it again.`);
  const tier = parseTier(flags.tier ?? registered.tier, driver);
  const secret = parseSecret(flags, driver);
  return { id, driver, url: addresses[driver].parse(requireFlag(flags, 'url')), tier, secret };
}

function parseDistribution(text: string): string {
  if (distributionOf(text) !== undefined) return text;
  throw new UsageError('--url must be cloudfront:DISTRIBUTION_ID, as in cloudfront:E2QWRUHAPOMQZL');
}

function parseId(id: string): string {
  if (idPattern.test(id)) return id;
  throw new UsageError('--id must be 1 to 63 letters, digits, dots, hyphens and underscores');
}

function parseDriver(name: string): EdgeDriverName {
  if (Object.hasOwn(backends, name)) return name as EdgeDriverName;
  throw new UsageError(`--driver must be one of ${Object.keys(backends).join(', ')}`);
}

function parseTier(name: string, driver: EdgeDriverName): EdgeTier {
  const tier = EdgeTier.safeParse(name);
  if (!tier.success) throw new UsageError(`--tier must be one of ${EdgeTier.options.join(', ')}`);
  const tiers: readonly EdgeTier[] = backends[driver].tiers;
  if (tiers.includes(tier.data)) return tier.data;
  throw new UsageError(`an edge of the driver ${driver} can be of the tier ${tiers.join(' or ')} only`);
}

/** @returns undefined where no file is given */
function parseSecret(flags: Flags, driver: EdgeDriverName): string | undefined {
  const file = flags['secret-file'];
  if (file === undefined) return undefined;
  if (!backends[driver].hasSecret) throw new UsageError(`an edge of the driver ${driver} has no secret`);
  return readSecret(file);
}

function readSecret(path: string): string {
  const secret = readText(path).replace(/[\r\n]+$/, '');
  if (secret.length < 16 || secret.length > 1_024) {
    throw new UsageError('the secret in --secret-file must be 16 to 1024 characters long');
  }
  return secret;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`the file in --secret-file cannot be read: ${messageOf(error)}`);
  }
}

function parseUrl(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new UsageError('--url must be http://HOST:PORT or https://HOST:PORT');
  }
  if (url.protocol === 'http:' && !isInternalHost(url.hostname)) {
    throw new UsageError('--url must be https, but for an address inside your own network');
  }
  return url.origin;
}
