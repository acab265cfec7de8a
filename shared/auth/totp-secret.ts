import { decrypt, encrypt } from '../aws/kms.ts';
import type { Touches } from '../ground/resources.ts';
import type { User } from './user.ts';

export const encryptTotpSecretTouches = { keys: { totpSecrets: ['Encrypt'] } } as const satisfies Touches;
export const decryptTotpSecretTouches = { keys: { totpSecrets: ['Decrypt'] } } as const satisfies Touches;

/** What is stored of a user's secret; no other user's can be made of it. */
export function encryptTotpSecret({ id }: User, secret: string): Promise<Uint8Array> {
  return encrypt('totpSecrets', secret, { userId: id });
}

export function decryptTotpSecret({ id }: User, ciphertext: Uint8Array): Promise<string> {
  return decrypt('totpSecrets', ciphertext, { userId: id });
}
