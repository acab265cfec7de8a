import { createApiKey } from '../../../../shared/account/account-api-key-table.ts';
import { createAccount } from '../../../../shared/account/account-table.ts';
import { createUser } from '../../../../shared/account/account-user-table.ts';
import { signAccessToken } from '../../../../shared/auth/access-token.ts';
import { createLoginToken } from '../../../../shared/auth/login-token-table.ts';
import { hashPassword } from '../../../../shared/auth/password.ts';
import { hashRecoveryCode, newRecoveryCodes } from '../../../../shared/auth/recovery-code.ts';
import { currentSigningKey } from '../../../../shared/auth/signing-keys.ts';
import { newTotpSecret } from '../../../../shared/auth/totp.ts';
import { encryptTotpSecret } from '../../../../shared/auth/totp-secret.ts';
import { changeUser, type UserChange } from '../../../../shared/auth/user-table.ts';
import { newId } from '../../../../shared/ground/id.ts';
import { CreateProperty } from '../../../../shared/property/property-input.ts';
import { createProperty } from '../../../../shared/property/property-table.ts';
import { recordPurge } from '../../../../shared/purge/purge-table.ts';
import { countPurge } from '../../../../shared/purge/purge-total.ts';
import { createRule } from '../../../../shared/rule/create-rule.ts';
import { CreateRule } from '../../../../shared/rule/rule.ts';
import { createTicket } from '../../../../shared/ticket/create-ticket.ts';
import { CreateTicket } from '../../../../shared/ticket/ticket.ts';
import { acceptedPurge } from '../../../support/accepted-purge.ts';
import { password } from '../../../support/identity.ts';

/** How far the user is with the second factor. */
export type SecondFactor = 'none' | 'pending' | 'enabled';

/** A customer with one of everything. */
export interface World {
  readonly accountId: string;
  readonly apiKey: string;
  /** Of a second key. */
  readonly apiKeyId: string;
  readonly username: string;
  readonly userId: string;
  readonly token: string;
  readonly loginToken: string;
  readonly totpSecret: string;
  readonly recoveryCodes: readonly string[];
  /** All that it serves is at this name or below it. */
  readonly domain: string;
  readonly propertyId: string;
  readonly ruleId: string;
  readonly purgeId: string;
  readonly ticketId: string;
}

let worlds = 0;
let passwordHash: Promise<string> | undefined;

export async function makeWorld(secondFactor: SecondFactor = 'enabled'): Promise<World> {
  // As long for every world, so that what is stored of them is too.
  const domain = `world-${String(++worlds).padStart(6, '0')}.example.com`;
  const { accountId } = await createAccount('World');
  const { key: apiKey } = await createApiKey(accountId, 'First');
  const { id: apiKeyId } = await createApiKey(accountId, 'Second');
  const user = await makeUser(accountId, domain, secondFactor);
  const content = await makeContent(accountId, domain);
  return { accountId, apiKey, apiKeyId, domain, ...user, ...content };
}

async function makeUser(accountId: string, domain: string, secondFactor: SecondFactor) {
  passwordHash ??= hashPassword(password);
  const username = `anna@${domain}`;
  const user = await createUser(accountId, username, await passwordHash);
  const totpSecret = newTotpSecret();
  const recoveryCodes = newRecoveryCodes();
  const encrypted = await encryptTotpSecret(user, totpSecret);
  const changes: Readonly<Record<SecondFactor, UserChange | undefined>> = {
    none: undefined,
    pending: { set: { pendingTotpSecret: encrypted } },
    enabled: { set: { totpSecret: encrypted, recoveryCodes: new Set(recoveryCodes.map(hashRecoveryCode)) } },
  };
  const change = changes[secondFactor];
  if (change) await changeUser(username, change);
  const now = new Date();
  const claims = { sub: user.id, username, accountId, tokenVersion: user.tokenVersion };
  const token = await signAccessToken(claims, await currentSigningKey(), 24 * 3600, now);
  const loginToken = await createLoginToken(user, now);
  return { username, userId: user.id, token, loginToken, totpSecret, recoveryCodes };
}

async function makeContent(accountId: string, domain: string) {
  const operation = () => ({ id: newId(), startedAt: new Date() });
  const hostnames = [`www.${domain}`, domain];
  const site = CreateProperty.parse({
    name: 'Site',
    hostnames,
    origin: { url: 'https://origin.example.com' },
  });
  const { id: propertyId } = await createProperty(accountId, site, operation());
  const treatment = CreateRule.parse({ name: 'Rule', conditions: [], actions: [{ type: 'forceHttps' }] });
  const { id: ruleId } = await createRule(accountId, propertyId, treatment, operation());
  const purge = acceptedPurge({ accountId, propertyId, hostname: domain }, ['/']);
  await Promise.all([recordPurge(purge), countPurge(purge)]);
  const ticketId = newId();
  const question = CreateTicket.parse({ subject: 'Slow', body: 'Why?' });
  await createTicket(accountId, question, { author: 'customer', authorName: 'anna' }, ticketId);
  return { propertyId, ruleId, purgeId: purge.id, ticketId };
}
