import { type RequestOptions, request } from 'node:http';
import { afterAll, beforeAll } from 'vitest';
import type { ConfigChange } from '../../../../infra/edge/agent/config-agent.d.mts';
import { sign } from '../../../../shared/edge/purge-protocol.ts';
import type { ConfigDocument } from '../../../../shared/edge-config/document.ts';
import { newId } from '../../../../shared/ground/id.ts';
import { eventually } from '../../../support/eventually.ts';
import { ConfigApi } from './config-api.ts';
import { type ConfiguredEdge, configSecret } from './configured-edge.ts';
import { type NodeOptions, type RunningNode, roomyNode, startNode } from './node-kit.ts';
import type { TlsKit } from './tls-kit.ts';

/** A node that an API configures, which is as small as it can be. */
export class ConfiguredNode implements ConfiguredEdge {
  readonly refuses = roomyNode.refuses;
  readonly api = new ConfigApi();
  readonly tls: TlsKit | undefined;
  private running: RunningNode | undefined;

  constructor(tls?: TlsKit) {
    this.tls = tls;
  }

  async start({ flags = [], ...options }: NodeOptions = {}): Promise<string> {
    const tlsFlags = (await this.tls?.flags()) ?? [];
    const source = { api: await this.api.start(), token: this.api.token };
    this.running = await startNode(source, configSecret, {
      ...options,
      flags: ['--allow-private-origins', ...tlsFlags, ...flags],
    });
    return this.running.baseUrl;
  }

  async stop(): Promise<void> {
    await this.running?.stop();
    await this.api.stop();
    this.tls?.remove();
  }

  get node(): RunningNode {
    if (!this.running) throw new Error('the node has not been started yet');
    return this.running;
  }

  get polls(): number {
    return this.api.requests;
  }

  /** Without the agent, which knows nothing of these. */
  apply(changes: readonly ConfigChange[]): Promise<void> {
    return pushChanges(this.node.dir, changes);
  }

  /** Writes a document as the API does, tells the node, and waits until it is applied. */
  async write(document: ConfigDocument): Promise<void> {
    this.api.write(document);
    await this.notify();
    await eventually(
      async () => this.api.applied.get(document.propertyId),
      (applied) => applied === String(document.version),
    );
  }

  /** @returns the node's status */
  notify(keys: string = newId(), secret = configSecret): Promise<number> {
    const time = Math.floor(Date.now() / 1000);
    const headers = {
      'x-purge-time': time,
      'x-purge-mode': 'poll',
      'x-purge-keys': keys,
      'x-purge-signature': sign(secret, { time, mode: 'poll', keys }),
    };
    const { hostname, port } = new URL(this.node.baseUrl);
    return statusOf({ hostname, port, method: 'PURGE', headers });
  }
}

/** Gives nginx changes as the agent does, for tests that need many and no agent. */
export async function pushChanges(dir: string, changes: readonly ConfigChange[]): Promise<void> {
  const body = JSON.stringify({ changes, isReady: true });
  const options = { socketPath: `${dir}/config.sock`, path: '/changes', method: 'POST' };
  const status = await statusOf({ ...options, headers: { 'Content-Length': Buffer.byteLength(body) } }, body);
  if (status !== 204) throw new Error(`nginx responded with ${status}`);
}

/** A node for the tests of a file. */
export function useConfiguredNode(options?: NodeOptions): ConfiguredNode {
  const configured = new ConfiguredNode();
  beforeAll(async () => void (await configured.start(options)));
  afterAll(() => configured.stop());
  return configured;
}

function statusOf(options: RequestOptions, body = ''): Promise<number> {
  return new Promise((resolve, reject) => {
    const asking = request(options, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    });
    asking.once('error', reject).end(body);
  });
}
