import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { allProperties } from '../../../shared/property/property-table.ts';
import { ask, requireStatus } from './ask.ts';
import type { OwnKey } from './own-accounts.ts';

/** Of a name that is reserved and in no DNS, so that no visitor ever gets to it. */
const reservedDomain = 'doctor.invalid';

/** No edge is emptied: CloudFront, which cannot tell host names apart, invalidates this one path. */
const purgedPath = '/operator-doctor';

const Made = z.object({ id: z.string() });
const Accepted = z.object({ jobCount: z.literal(1), purgeId: z.string() });

export interface AcceptedPurge {
  /** Of the purge's record, below the API's address. */
  readonly path: string;
  readonly hostname: string;
}

/** Purges one URL of a property of the doctor's own, as a customer does. */
export async function purgeOwnProperty(
  address: string,
  credential: OwnKey,
  signal: AbortSignal,
): Promise<AcceptedPurge> {
  const { id, hostname } = await ownProperty(address, credential, signal);
  const path = `/api/property/${id}/purge`;
  const body = { type: 'url', urls: [purgedPath] };
  const response = await ask(address + path, { key: credential.key, body, signal });
  requireStatus(response, 200);
  return { path: `${path}/${Accepted.parse(response.envelope.data).purgeId}`, hostname };
}

/** Made once, and anew where somebody has deleted it. */
async function ownProperty(address: string, { accountId, key }: OwnKey, signal: AbortSignal) {
  const [known] = await allProperties(accountId);
  if (known) return { id: known.id, hostname: known.hostnames[0] ?? '' };
  const hostname = `${randomBytes(8).toString('hex')}.${reservedDomain}`;
  const body = {
    name: 'operator doctor',
    hostnames: [hostname],
    origin: { url: `https://${reservedDomain}` },
  };
  const response = await ask(`${address}/api/property`, { key, body, signal });
  requireStatus(response, 201);
  return { id: Made.parse(response.envelope.data).id, hostname };
}
