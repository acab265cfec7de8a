import { decodeProtectedHeader, errors, jwtVerify, SignJWT } from 'jose';
import * as z from 'zod';
import { isId } from '../ground/id.ts';
import { Username } from './user.ts';

const issuer = 'cdn-management-api';
const audience = 'cdn-management-api';
const type = 'at+jwt';
const algorithm = 'HS256';

/** By how much the clock of who checks a token may be behind the clock of who made it. */
const clockSkewSeconds = 60;

const Id = z.string().refine(isId);

/** Whose token it is, and the version of the user's tokens that it belongs to. */
const TokenClaims = z.object({
  sub: Id,
  username: z.string().refine(isCanonicalName),
  accountId: Id,
  tokenVersion: z.int().min(1),
});
export type TokenClaims = z.output<typeof TokenClaims>;

/** All that is signed, and nothing else. */
const Payload = z.strictObject({
  ...TokenClaims.shape,
  iss: z.literal(issuer),
  aud: z.literal(audience),
  iat: z.int(),
  exp: z.int(),
});

export interface SigningKey {
  readonly id: string;
  readonly secret: Uint8Array;
}

const Header = z.strictObject({ alg: z.literal(algorithm), kid: z.string(), typ: z.literal(type) });

export async function signAccessToken(
  { sub, ...claims }: TokenClaims,
  key: SigningKey,
  lifetimeSeconds: number,
  now: Date,
): Promise<string> {
  const issuedAt = Math.floor(now.getTime() / 1000);
  return new SignJWT(claims)
    .setProtectedHeader({ alg: algorithm, kid: key.id, typ: type })
    .setSubject(sub)
    .setIssuer(issuer)
    .setAudience(audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetimeSeconds)
    .sign(key.secret);
}

/** @returns the id of the key that a well-formed token names; undefined for any other text */
export function keyIdOf(token: string): string | undefined {
  if (!isCanonical(token)) return undefined;
  try {
    return Header.safeParse(decodeProtectedHeader(token)).data?.kid;
  } catch {
    return undefined;
  }
}

/** @returns undefined unless the token is ours, whole, and valid at this moment */
export async function verifyAccessToken(
  token: string,
  key: SigningKey,
  now: Date,
): Promise<TokenClaims | undefined> {
  try {
    const { payload } = await jwtVerify(token, key.secret, {
      algorithms: [algorithm],
      issuer,
      audience,
      typ: type,
      clockTolerance: 0,
      currentDate: now,
    });
    const { data: claims } = Payload.safeParse(payload);
    return claims && claims.iat - clockSkewSeconds <= now.getTime() / 1000 ? claims : undefined;
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}

function isCanonicalName(name: string): boolean {
  return name.isWellFormed() && Username.safeParse(name).data === name;
}

/** jose reads base64url leniently, and one token must not have many spellings. */
function isCanonical(token: string): boolean {
  const parts = token.split('.');
  return (
    parts.length === 3 && parts.every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)
  );
}
