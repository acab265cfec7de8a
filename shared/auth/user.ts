import * as z from 'zod';
import { examples } from '../http/examples.ts';
import { SingleLine, storedLine } from '../http/text.ts';

export const Username = SingleLine.transform(canonicalUsername).pipe(
  storedLine('once normalised (Unicode NFKC)'),
);

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
  /** Tokens of an earlier version are no longer valid. */
  readonly tokenVersion: number;
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

export const Password = z
  .string('must be a string')
  .min(1, 'must not be empty')
  .max(1_000, 'must be at most 1000 characters long')
  .describe('The user’s password.');

export const Code = SingleLine.describe(
  'Six digits of the authenticator app, or a recovery code. Spaces in it do not count.',
);

export const RecoveryCodes = z
  .array(z.string())
  .describe('Ten codes, each valid for one login without the app. They are shown this once.');

export const exampleRecoveryCodes = [
  ...['k3v9p-7xq2m-c8r4t-n6wbh-y5zde', 'h7mq2-w4xk9-t3cvp-8bnre-z6ydg', 'b2fnd-9kw7r-xq4mt-v3ch8-p6zye'],
  ...['m4tcx-6rh2v-k9wpz-q7bdn-e3fy8', 'w8xek-3pzq5-d2mvt-r6nch-b9gy4', 'c7pnv-x5tkd-4wqz8-m2ryh-f6be9'],
  ...['r9gbm-2vhx6-n8kwt-c4pzq-d7ey3', 'z3wkt-8mcqf-p6xvn-h2rbd-y9ge5', 't6vhp-4nxbk-w7zqd-m9crf-e2yg8'],
  'q5dzw-7kmpx-v3tcn-b8hrg-f4ye6',
];

/** Body of what a user confirms with a code alone. */
export const CodeOnly = z
  .strictObject({ code: Code }, 'must be a JSON object')
  .meta({ id: 'CodeOnly', description: 'The second factor.' })
  .register(examples, { app: { code: '492039' }, recoveryCode: { code: 'k3v9p-7xq2m-c8r4t-n6wbh-y5zde' } });

/**
 * One spelling for every way of writing a name, since names are unique without regard to case. What is put in
 * lower case may compose anew.
 */
export function canonicalUsername(username: string): string {
  return username.normalize('NFKC').toLowerCase().normalize('NFKC');
}

export function isEnabled({ status, accountDisabledAt }: User): boolean {
  return status === 'active' && !accountDisabledAt;
}

export function hasTwoFactor({ totpSecret }: User): boolean {
  return totpSecret !== undefined;
}
