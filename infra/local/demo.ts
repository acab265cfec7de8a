import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { createApiKey } from '../../shared/account/account-api-key-table.ts';
import { createAccount } from '../../shared/account/account-table.ts';
import { hashPassword } from '../../shared/auth/password.ts';
import { createUser } from '../../shared/auth/user-table.ts';
import type { Edge } from '../../shared/edge/edge.ts';
import { addEdge, listEdgeItems, removeEdge } from '../../shared/edge/edge-table.ts';
import { hashEdgeToken, newEdgeToken } from '../../shared/edge/edge-token.ts';
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

const EdgeSecret = z.object({ secret: z.string() });

/** The embedded edge's secret, made at the first start. */
export const embeddedEdgeSecret = (directory: DataDirectory): string => {
  const kept = directory.readJson(secretFile);
  if (kept !== undefined) return EdgeSecret.parse(kept).secret;
  const secret = randomBytes(32).toString('base64url');
  directory.writeJson(secretFile, { secret });
  return secret;
};

const Created = z.object({ data: z.object({ id: z.string() }) });

const createProperty = async ({ baseUrl, originUrl }: Addresses, apiKey: string): Promise<string> => {
  const response = await fetch(`${baseUrl}/api/property`, {
    method: 'POST',
    headers: { 'X-API-Key': apiKey },
    body: JSON.stringify({ name: 'Demo', hostnames: [demoHostname], origin: { url: originUrl } }),
    signal: AbortSignal.timeout(20_000),
  });
  return Created.parse(await response.json()).data.id;
};

const createDemo = async (addresses: Addresses): Promise<Demo> => {
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
};

/** Keeps the registry's word on where the embedded edge is; a removed one stays removed. */
const registerEdge = async (edge: Edge, isFirstStart: boolean): Promise<void> => {
  const known = (await listEdgeItems()).find(({ id }) => id === edge.id);
  if (known?.url === edge.url || (!known && !isFirstStart)) return;
  if (known) await removeEdge(edge.id);
  await addEdge(edge, hashEdgeToken(newEdgeToken()));
};

const parseKept = (kept: unknown, directory: DataDirectory): Demo => {
  const { data } = Demo.safeParse(kept);
  if (data) return data;
  throw new LocalRunError(
    `${directory.file(file)} is of another version. Remove the data directory to start afresh.`,
  );
};

/** Makes the demo account at the first start, finds it again at later ones, and writes where everything is. */
export const prepareDemo = async (
  directory: DataDirectory,
  addresses: Addresses,
  secret: string,
): Promise<Demo> => {
  const kept = directory.readJson(file);
  await registerEdge(
    { id: embeddedEdgeId, driver: 'varnish', url: addresses.edgeUrl, tier: 'edge', secret },
    kept === undefined,
  );
  const demo =
    kept === undefined ? await createDemo(addresses) : { ...parseKept(kept, directory), ...addresses };
  directory.writeJson(file, demo);
  return demo;
};
