import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { Property } from '../../../shared/property/property.ts';
import { findProperty } from '../../../shared/property/property-table.ts';
import { LocalRunError } from '../host/local-run-error.ts';
import type { Demo } from './demo-file.ts';

export const demoHostname = 'demo.localhost';

/** The demo's property and a host name that it serves. */
type DemoProperty = Pick<Demo, 'propertyId' | 'hostname'>;

type DemoAccount = Omit<Demo, keyof DemoProperty>;

const Response = z.object({ message: z.string(), data: z.object({ id: z.string() }).nullable() });

/** Finds the property that an earlier start has made, as it is now, or makes it anew where it was deleted. */
export async function findDemoProperty(demo: Demo, earlierOriginUrl: string): Promise<DemoProperty> {
  const property = await findProperty(demo.accountId, demo.propertyId);
  if (!property) return makeDemoProperty(demo);
  const { url } = property.origin;
  // One that the customer has chosen stays.
  if (url !== demo.originUrl && url === earlierOriginUrl) await moveOrigin(demo);
  return { propertyId: property.id, hostname: hostnameOf(property, demo) };
}

/** Makes it, with another host name where this one is taken. */
export async function makeDemoProperty(demo: DemoAccount, hostname = demoHostname): Promise<DemoProperty> {
  const made = await createProperty(demo, hostname);
  return made ?? makeDemoProperty(demo, `demo-${randomBytes(4).toString('hex')}.localhost`);
}

function hostnameOf({ hostnames }: Property, { hostname }: Demo): string {
  return hostnames.includes(hostname) ? hostname : (hostnames[0] ?? hostname);
}

async function moveOrigin({ baseUrl, propertyId, originUrl, apiKey }: Demo): Promise<void> {
  const { ok, status } = await fetch(`${baseUrl}/api/property/${propertyId}`, {
    method: 'PATCH',
    headers: { 'X-API-Key': apiKey },
    body: JSON.stringify({ origin: { url: originUrl } }),
    signal: AbortSignal.timeout(20_000),
  });
  if (!ok)
    throw new LocalRunError(`The demo property's origin cannot be moved: the API responded with ${status}.`);
}

/** @returns undefined where the host name is taken */
async function createProperty(
  { baseUrl, originUrl, apiKey }: DemoAccount,
  hostname: string,
): Promise<DemoProperty | undefined> {
  const response = await fetch(`${baseUrl}/api/property`, {
    method: 'POST',
    headers: { 'X-API-Key': apiKey },
    body: JSON.stringify({ name: 'Demo', hostnames: [hostname], origin: { url: originUrl } }),
    signal: AbortSignal.timeout(20_000),
  });
  if (response.status === 409) return undefined;
  const { message, data } = Response.parse(await response.json());
  if (!data) throw new LocalRunError(`The demo property cannot be made: ${message}`);
  return { propertyId: data.id, hostname };
}
