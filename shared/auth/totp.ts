import { generateSecret, generateURI, verify } from 'otplib';

const issuer = 'CDN Management';
const periodSeconds = 30;
const secretBytes = 20;

/** @returns base32 of 160 random bits */
export const newTotpSecret = (): string => generateSecret({ length: secretBytes });

/** What an authenticator app scans. */
export const totpUri = (secret: string, username: string): string =>
  generateURI({ issuer, label: username, secret });

export const isTotpCode = (code: string): boolean => /^\d{6}$/.test(code);

/**
 * Checks a code one time step either side of now.
 * @returns the step that it belongs to, which must not be accepted again; undefined for a wrong code
 */
export const totpStep = async (secret: string, code: string, now: Date): Promise<number | undefined> => {
  const epoch = Math.floor(now.getTime() / 1000);
  const result = await verify({ secret, token: code, epoch, epochTolerance: periodSeconds });
  return result.valid ? Math.floor(epoch / periodSeconds) + (result.delta ?? 0) : undefined;
};
