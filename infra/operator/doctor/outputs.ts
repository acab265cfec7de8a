import * as z from 'zod';
import { fetchFrom } from './ask.ts';
import type { Check } from './check.ts';

const descriptionPath = '/swagger/v1/swagger.json';
const Description = z.object({ openapi: z.string() });

export const outputs: Check = {
  name: 'outputs',
  run: async ({ addresses, localRun, signal }) => {
    const found = await addresses();
    for (const address of found) await requireDescription(address, signal);
    const source = localRun ? 'of the local run' : 'of the stack’s outputs';
    return `The API’s description comes from ${found.join(' and ')} ${source}.`;
  },
};

async function requireDescription(address: string, signal: AbortSignal): Promise<void> {
  const url = address + descriptionPath;
  const response = await fetchFrom(url, { signal });
  const isDescribed =
    response.ok && Description.safeParse(await response.json().catch(() => undefined)).success;
  if (isDescribed) return;
  throw new Error(
    `GET ${url} gives ${response.status} without the API’s description. Deploy again; a domain must point at the output DomainTarget.`,
  );
}
