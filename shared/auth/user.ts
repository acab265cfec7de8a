import * as z from 'zod';
import { Line } from '../http/text.ts';

/** One spelling for every way of writing a name, since names are unique without regard to case. */
export const canonicalUsername = (username: string): string => username.normalize('NFKC').toLowerCase();

export const Username = Line.transform(canonicalUsername);

/** What is stored of a user. */
export interface User {
  /** Canonical; the table's key. */
  readonly username: string;
  readonly id: string;
  readonly accountId: string;
  readonly passwordHash: string;
  readonly status: 'active' | 'disabled';
  /** Set while the whole account is disabled. */
  readonly accountDisabledAt?: string;
  /** Tokens of an earlier generation are dead. */
  readonly generation: number;
  readonly createdAt: string;
  /** Encrypted; present while two-factor authentication is enabled. */
  readonly totpSecret?: Uint8Array;
  /** Encrypted; set up but not yet enabled. */
  readonly pendingTotpSecret?: Uint8Array;
  /** The last time step that was accepted, by a login or by the enrolment. */
  readonly totpStep?: number;
  /** TOTP codes tried since the last right one, and when the next may be, in Unix milliseconds. */
  readonly totpFailures?: number;
  readonly totpRetryAt?: number;
  /** Hashes of the codes not yet used. */
  readonly recoveryCodes?: ReadonlySet<string>;
}

export const isEnabled = ({ status, accountDisabledAt }: User): boolean =>
  status === 'active' && !accountDisabledAt;

export const hasTwoFactor = ({ totpSecret }: User): boolean => totpSecret !== undefined;

export const Password = z
  .string('must be a string')
  .min(1, 'must not be empty')
  .max(1_000, 'must be at most 1000 characters long');

export const Code = Line.describe('Six digits of the authenticator app, or a recovery code.');

export const RecoveryCodes = z
  .array(z.string())
  .describe('Ten codes, each good for one login without the app. They are shown this once.');
