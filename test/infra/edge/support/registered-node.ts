import { freePort } from '../../../../infra/local/host/listen.ts';
import { addEdge } from '../../../../shared/edge/edge-table.ts';
import { hashEdgeToken, newEdgeToken } from '../../../../shared/edge/edge-token.ts';
import { madeEdge } from '../../../support/edge-log.ts';
import { type NodeOptions, type NodeSource, type RunningNode, startNode } from './node-kit.ts';

const secret = 'a secret of sixteen characters or more';

/** A node that a run's API knows as an edge. @param sourceOf says by the edge's token what configures it */
export async function startRegisteredNode(
  id: string,
  sourceOf: (token: string) => NodeSource,
  { flags = [], ...options }: NodeOptions = {},
): Promise<RunningNode & { readonly token: string }> {
  const port = await freePort();
  const token = newEdgeToken();
  await addEdge({ ...madeEdge(id), url: `http://127.0.0.1:${port}`, secret }, hashEdgeToken(token));
  const node = await startNode(sourceOf(token), secret, {
    ...options,
    port,
    flags: ['--allow-private-origins', ...flags],
  });
  return { ...node, token };
}
