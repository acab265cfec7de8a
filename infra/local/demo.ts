import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { createApiKey } from '../../shared/account/account-api-key-table.ts';
import { createAccount, getAccount } from '../../shared/account/account-table.ts';
import { hashPassword } from '../../shared/auth/password.ts';
import { createUser } from '../../shared/auth/user-table.ts';
import { addEdge, listEdgeItems, type NewEdge, replaceEdge } from '../../shared/edge/edge-table.ts';
import { hashEdgeToken, newEdgeToken } from '../../shared/edge/edge-token.ts';
import { ApiError } from '../../shared/ground/api-error.ts';
import type { DataDirectory } from './data-directory.ts';
import { LocalRunError } from './local-run-error.ts';

const file = 'demo.json';
const secretFile = 'embedded-edge.json';
const embeddedEdgeId = 'embedded';
const demoUsername = 'demo@example.com';
export const demoHostname = 'demo.localhost';

/** What a newcomer, or a test, needs to try the run. */
const Demo = z.object({
  baseUrl: z.string(),
  edgeUrl: z.string(),
  originUrl: z.string(),
  accountId: z.string(),
  username: z.string(),
  password: z.string(),
  apiKey: z.string(),
  propertyId: z.string(),
  hostname: z.string(),
});
export type Demo = z.output<typeof Demo>;

type Addresses = Pick<Demo, 'baseUrl' | 'edgeUrl' | 'originUrl'>;

const EdgeSecrets = z.object({ secret: z.string(), token: z.string().default(newEdgeToken) });
export type EdgeSecrets = z.output<typeof EdgeSecrets>;

const Created = z.object({ data: z.object({ id: z.string() }) });

/** The embedded edge's secret and log token, made at the first start. */
export function embeddedEdgeSecrets(directory: DataDirectory): EdgeSecrets {
  const kept = directory.read(secretFile, EdgeSecrets);
  const secrets = kept ?? { secret: randomBytes(32).toString('base64url'), token: newEdgeToken() };
  directory.writeJson(secretFile, secrets);
  return secrets;
}

/** Makes the demo account at the first start, finds it again at later ones, and writes where everything is. */
export async function prepareDemo(
  directory: DataDirectory,
  addresses: Addresses,
  { secret, token }: EdgeSecrets,
): Promise<Demo> {
  const kept = directory.read(file, Demo);
  const edge = {
    id: embeddedEdgeId,
    driver: 'varnish',
    url: addresses.edgeUrl,
    tier: 'edge',
    secret,
  } as const;
  await registerEdge(edge, token, kept === undefined);
  const demo = kept ? await findAgain(directory, kept, addresses) : await createOnce(directory, addresses);
  directory.writeJson(file, demo);
  return demo;
}

/** Keeps the registry's word on where the embedded edge is; a removed one stays removed. */
async function registerEdge(edge: NewEdge, token: string, isFirstStart: boolean): Promise<void> {
  const isKnown = (await listEdgeItems()).some(({ id }) => id === edge.id);
  if (isKnown) await replaceEdge(edge, hashEdgeToken(token));
  else if (isFirstStart) await addEdge(edge, hashEdgeToken(token));
}

async function findAgain(directory: DataDirectory, kept: Demo, addresses: Addresses): Promise<Demo> {
  if (await getAccount(kept.accountId)) return { ...kept, ...addresses };
  throw startAfresh(directory, `The database does not hold the account of ${directory.file(file)}`);
}

function startAfresh(directory: DataDirectory, reason: string): LocalRunError {
  return new LocalRunError(`${reason}. Remove the data directory ${directory.path} to start afresh.`);
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
  const propertyId = await createProperty(addresses, apiKey);
  return {
    ...addresses,
    accountId,
    username: demoUsername,
    password,
    apiKey,
    propertyId,
    hostname: demoHostname,
  };
}

async function createProperty({ baseUrl, originUrl }: Addresses, apiKey: string): Promise<string> {
  const response = await fetch(`${baseUrl}/api/property`, {
    method: 'POST',
    headers: { 'X-API-Key': apiKey },
    body: JSON.stringify({ name: 'Demo', hostnames: [demoHostname], origin: { url: originUrl } }),
    signal: AbortSignal.timeout(20_000),
  });
  const answer: unknown = await response.json();
  if (response.status === 409) throw new ApiError('conflict', 'the demo property is there already');
  return Created.parse(answer).data.id;
}
