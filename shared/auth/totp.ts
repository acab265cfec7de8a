import { generateSecret, generateURI, verify } from 'otplib';
import type * as z from 'zod';
import { SingleLine } from '../http/text.ts';

const issuer = 'CDN Management';
const periodSeconds = 30;
const secretBytes = 20;

/** Six digits; apps show them in groups with a space between. */
export const TotpCode = SingleLine.regex(
  /^(?:\s*[0-9]){6}\s*$/,
  'must be the six digits that the authenticator app shows',
)
  .transform((text) => text.replace(/\s/g, ''))
  .brand<'TotpCode'>();
export type TotpCode = z.output<typeof TotpCode>;

/** @returns base32 of 160 random bits */
export function newTotpSecret(): string {
  return generateSecret({ length: secretBytes });
}

/** What an authenticator app scans. */
export function totpUri(secret: string, username: string): string {
  return generateURI({ issuer, label: username, secret });
}

/**
 * Checks a code one time step either side of now.
 * @returns the step that it belongs to, which must not be accepted again; undefined for a wrong code
 */
export async function totpStep(secret: string, code: TotpCode, now: Date): Promise<number | undefined> {
  const epoch = Math.floor(now.getTime() / 1000);
  const result = await verify({ secret, token: code, epoch, epochTolerance: periodSeconds });
  return result.valid ? Math.floor(epoch / periodSeconds) + (result.delta ?? 0) : undefined;
}
