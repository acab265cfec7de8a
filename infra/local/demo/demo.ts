import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { allApiKeys, createApiKey } from '../../../shared/account/account-api-key-table.ts';
import { createAccount, getAccount } from '../../../shared/account/account-table.ts';
import { createUser } from '../../../shared/account/account-user-table.ts';
import { hashApiKey } from '../../../shared/auth/api-key.ts';
import { hashPassword } from '../../../shared/auth/password.ts';
import type { Edge } from '../../../shared/edge/edge.ts';
import { addEdge, findEdge, replaceEdge } from '../../../shared/edge/edge-table.ts';
import { hashEdgeToken, newEdgeToken } from '../../../shared/edge/edge-token.ts';
import { isInService } from '../../../shared/edge/registry.ts';
import { ApiError } from '../../../shared/ground/api-error.ts';
import type { DataDirectory } from '../host/data-directory.ts';
import { LocalRunError } from '../host/local-run-error.ts';
import { Demo, demoFile } from './demo-file.ts';
import { findDemoProperty, makeDemoProperty } from './demo-property.ts';

const secretFile = 'embedded-edge.json';
const embeddedEdgeId = 'embedded';
const demoUsername = 'demo@example.com';

type Addresses = Pick<Demo, 'baseUrl' | 'edgeUrl' | 'originUrl'>;

const EdgeSecrets = z.object({ secret: z.string(), token: z.string().default(newEdgeToken) });
export type EdgeSecrets = z.output<typeof EdgeSecrets>;

interface PreparedDemo {
  readonly demo: Demo;
  /** An operator has disabled the account: nobody but an operator may undo that. */
  readonly isDisabled: boolean;
}

/** The embedded edge's secret and log token, made at the first start. */
export function embeddedEdgeSecrets(directory: DataDirectory): EdgeSecrets {
  const kept = directory.read(secretFile, EdgeSecrets);
  const secrets = kept ?? { secret: randomBytes(32).toString('base64url'), token: newEdgeToken() };
  directory.writeJson(secretFile, secrets);
  return secrets;
}

/** The origin's port at the start before, so that the property's origin stays what it is; 0 at the first one. */
export function earlierOriginPort(directory: DataDirectory): number {
  const kept = directory.read(demoFile, Demo);
  return kept ? Number(new URL(kept.originUrl).port) : 0;
}

/** Makes the demo account at the first start, finds it again at later ones, and writes where everything is. */
export async function prepareDemo(
  directory: DataDirectory,
  addresses: Addresses,
  { secret, token }: EdgeSecrets,
): Promise<PreparedDemo> {
  const kept = directory.read(demoFile, Demo);
  const edge = {
    id: embeddedEdgeId,
    driver: 'varnish',
    url: addresses.edgeUrl,
    tier: 'edge',
    secret,
  } as const;
  await registerEdge(edge, token, kept === undefined);
  const prepared = kept
    ? await findAgain(directory, kept, addresses)
    : { demo: await createOnce(directory, addresses), isDisabled: false };
  directory.writeJson(demoFile, prepared.demo);
  return prepared;
}

/** Keeps the registry's word on where the embedded edge is; a removed one stays removed. */
async function registerEdge(edge: Edge, token: string, isFirstStart: boolean): Promise<void> {
  const known = await findEdge(edge.id);
  if (known && isInService(known)) await replaceEdge(edge, hashEdgeToken(token));
  else if (isFirstStart) await addEdge(edge, hashEdgeToken(token));
}

/** What was deleted or revoked since is made anew, so that the printed commands and the README's examples work. */
async function findAgain(directory: DataDirectory, kept: Demo, addresses: Addresses): Promise<PreparedDemo> {
  const account = await getAccount(kept.accountId);
  if (!account)
    throw startAfresh(directory, `The database does not hold the account of ${directory.file(demoFile)}`);
  const demo = { ...kept, ...addresses };
  if (account.status === 'disabled') return { demo, isDisabled: true };
  const withKey = { ...demo, apiKey: await findApiKey(demo) };
  return { demo: { ...withKey, ...(await findDemoProperty(withKey, kept.originUrl)) }, isDisabled: false };
}

function startAfresh(directory: DataDirectory, reason: string): LocalRunError {
  return new LocalRunError(`${reason}. Remove the data directory ${directory.path} to start afresh.`);
}

async function findApiKey({ accountId, apiKey }: Demo): Promise<string> {
  const hash = hashApiKey(apiKey);
  const isUsable = (await allApiKeys(accountId)).some((key) => key.hash === hash && !key.revokedAt);
  return isUsable ? apiKey : (await createApiKey(accountId, 'Demo')).key;
}

/** A first start that was interrupted has left some of the demo account, and its key is lost. */
async function createOnce(directory: DataDirectory, addresses: Addresses): Promise<Demo> {
  try {
    return await createDemo(addresses);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw startAfresh(directory, 'The database holds a demo account whose credentials are not here');
  }
}

async function createDemo(addresses: Addresses): Promise<Demo> {
  const { accountId } = await createAccount('Demo');
  const password = randomBytes(12).toString('base64url');
  await createUser(accountId, demoUsername, await hashPassword(password));
  const { key: apiKey } = await createApiKey(accountId, 'Demo');
  const account = { ...addresses, accountId, username: demoUsername, password, apiKey };
  return { ...account, ...(await makeDemoProperty(account)) };
}
