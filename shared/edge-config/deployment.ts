import * as z from 'zod';
import { isConfigured, readRegistry, readRegistryTouches } from '../edge/registry.ts';
import { touching } from '../ground/touches.ts';
import { examples, exampleTime } from '../http/examples.ts';
import { Time } from '../http/time.ts';
import { changesOf, changesOfTouches } from '../property/config-change-table.ts';
import { getProperty, getPropertyTouches } from '../property/property-table.ts';
import { deploymentsOf, deploymentsOfTouches } from './deployment-table.ts';

const DeployedEdge = z.object({
  id: z.string().describe('Id of the edge.'),
  version: z.int().describe('Version that it runs; 0 while it has applied none.'),
  appliedAt: Time.nullable().describe('When the edge said that it runs that version; null with version 0.'),
  lastError: z
    .string()
    .optional()
    .describe('What went wrong with the last version that the edge was given; absent where nothing did.'),
});

export const Deployment = z
  .object({
    version: z
      .int()
      .describe(
        'Version of the configuration: rises by one with each change of the property or of its rules.',
      ),
    status: z
      .enum(['deploying', 'live'])
      .describe('live once each of the edges runs this version, and where there are none.'),
    edges: z.array(DeployedEdge).describe('The edges that the API configures and that have the property.'),
  })
  .meta({ id: 'Deployment', description: 'Which version of a property’s configuration edges run.' })
  .register(examples, {
    deploying: {
      version: 7,
      status: 'deploying',
      edges: [
        { id: 'paris-1', version: 7, appliedAt: exampleTime },
        { id: 'tokyo-1', version: 6, appliedAt: exampleTime },
      ],
    },
  });
export type Deployment = z.output<typeof Deployment>;

const nothingYet = { version: 0, appliedAt: null } as const;

export const readDeploymentTouches = touching(
  getPropertyTouches,
  changesOfTouches,
  deploymentsOfTouches,
  readRegistryTouches,
);

/** @throws ApiError `notFound` */
export async function readDeployment(accountId: string, propertyId: string): Promise<Deployment> {
  await getProperty(accountId, propertyId);
  const [changes, deployments, configured] = await Promise.all([
    changesOf([propertyId]),
    deploymentsOf(propertyId),
    configuredEdges(accountId, propertyId),
  ]);
  const version = changes.get(propertyId)?.version ?? 0;
  const edges = configured.map(({ id, createdAt }) => {
    const found = deployments.get(id);
    // What an edge of the same id ran before it was registered anew says nothing of this one.
    const isOfThis = (time: string | undefined): time is string => time !== undefined && time >= createdAt;
    const { version: applied = 0, appliedAt, failedAt, lastError } = found ?? {};
    return {
      id,
      ...(isOfThis(appliedAt) ? { version: applied, appliedAt } : nothingYet),
      ...(isOfThis(failedAt) && lastError !== undefined && { lastError }),
    };
  });
  const isLive = edges.every((edge) => edge.version === version);
  return { version, status: isLive ? 'live' : 'deploying', edges };
}

/** In the order of their ids. */
async function configuredEdges(accountId: string, propertyId: string) {
  const edges = await (await readRegistry(true)).edgesOf({ accountId, propertyId });
  return edges.filter(isConfigured).toSorted((one, other) => (one.id < other.id ? -1 : 1));
}
