import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  type BatchDriverName,
  backends,
  type EdgeDriverName,
  isDirect,
} from '../../../shared/edge/backends.ts';
import { distributionOf } from '../../../shared/edge/distribution.ts';
import { type Edge, EdgeTier } from '../../../shared/edge/edge.ts';
import type { NewEdge } from '../../../shared/edge/edge-table.ts';
import type { EdgeItem } from '../../../shared/edge/registry-table.ts';
import { isInternalHost } from '../../../shared/property/origin.ts';
import { type Flags, requireFlag, UsageError } from './command.ts';

const idPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** What the backends that have neither a purge listener nor a secret go by. */
const batchAddresses: Readonly<Record<BatchDriverName, (text: string) => string>> = {
  cloudfront: parseDistribution,
};

/** An edge as the flags name it, with a secret from the file or made at random where its backend has one. */
export function parseEdge(flags: Flags): NewEdge {
  const id = parseId(requireFlag(flags, 'id'));
  const driver = parseDriver(requireFlag(flags, 'driver'));
  const tier = parseTier(flags.tier ?? 'edge');
  const secret = parseSecret(flags, driver);
  const url = parseAddress(flags, driver);
  if (!isDirect(driver)) return { id, driver, url, tier, secret: undefined };
  return { id, driver, url, tier, secret: secret ?? randomBytes(32).toString('base64url') };
}

/** The edge that takes the place of a registered one: what the flags do not name, and its secret, stay as they are. */
export function parseReplacement(flags: Flags, registered: EdgeItem): Edge {
  const { id, encryptedSecret } = registered;
  const driver = flags.driver === undefined ? registered.driver : parseDriver(flags.driver);
  const tier = flags.tier === undefined ? registered.tier : parseTier(flags.tier);
  const secret = parseSecret(flags, driver);
  if (isDirect(driver) && secret === undefined && !encryptedSecret)
    throw new Error(`Edge ${id} has no secret: give one with --secret-file.`);
  return { id, driver, url: parseAddress(flags, driver), tier, secret };
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

function parseTier(name: string): EdgeTier {
  const tier = EdgeTier.safeParse(name);
  if (tier.success) return tier.data;
  throw new UsageError(`--tier must be one of ${EdgeTier.options.join(', ')}`);
}

/** @returns undefined where no file is given */
function parseSecret(flags: Flags, driver: EdgeDriverName): string | undefined {
  const file = flags['secret-file'];
  if (file === undefined) return undefined;
  if (!isDirect(driver)) throw new UsageError(`an edge of the driver ${driver} has no secret`);
  return readSecret(file);
}

function readSecret(path: string): string {
  const secret = readFileSync(path, 'utf8').replace(/[\r\n]+$/, '');
  if (secret.length < 16 || secret.length > 1_024) {
    throw new UsageError('the secret in --secret-file must be 16 to 1024 characters long');
  }
  return secret;
}

function parseAddress(flags: Flags, driver: EdgeDriverName): string {
  const url = requireFlag(flags, 'url');
  return isDirect(driver) ? parseUrl(url) : batchAddresses[driver](url);
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
