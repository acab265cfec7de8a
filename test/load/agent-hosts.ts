import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePort } from '../../infra/local/host/listen.ts';
import { addEdge } from '../../shared/edge/edge-table.ts';
import { hashEdgeToken, newEdgeToken } from '../../shared/edge/edge-token.ts';

const script = join(import.meta.dirname, 'agent-host.mjs');

export interface HostedEdge {
  readonly id: string;
  readonly port: number;
  readonly dir: string;
  readonly token: string;
  readonly secret: string;
}

/** Registers an edge whose agent is to keep everything in a folder of its own. */
export async function registerHostedEdge(id: string, folder: string): Promise<HostedEdge> {
  const token = newEdgeToken();
  const edge = { id, port: await freePort(), dir: join(folder, id), token, secret: 's'.repeat(32) };
  const url = `http://127.0.0.1:${edge.port}`;
  await addEdge({ id, driver: 'varnish', tier: 'edge', url, secret: edge.secret }, hashEdgeToken(token));
  return edge;
}

interface Applied {
  readonly propertyId: string;
  readonly version: number;
  /** Null where the property is no longer served. */
  readonly content: string | null;
}

type Told =
  | { readonly id: string; readonly at: number; readonly applied: readonly Applied[] }
  | { readonly id: string; readonly trouble: string };

/** What agents have applied, as their processes tell it. */
export class Witness {
  /** By edge, then property: what it serves now. */
  readonly held = new Map<string, Map<string, number>>();
  /** Everything that was ever applied: `property version`, and its content. */
  readonly contents = new Map<string, Set<string | null>>();
  /** When edges applied it, by `property version`, in milliseconds of Unix time. */
  readonly appliedAt = new Map<string, number[]>();
  readonly troubles: Record<string, number> = {};
  applied = 0;
  backwards = 0;
  private readonly newest = new Map<string, number>();

  see(told: Told): void {
    if ('trouble' in told) this.troubles[told.trouble] = (this.troubles[told.trouble] ?? 0) + 1;
    else for (const each of told.applied) this.seeApplied(told.id, told.at, each);
  }

  private seeApplied(id: string, at: number, { propertyId, version, content }: Applied): void {
    this.applied += 1;
    const key = `${id} ${propertyId}`;
    if (version < (this.newest.get(key) ?? 0)) this.backwards += 1;
    this.newest.set(key, version);
    const name = `${propertyId} ${version}`;
    this.appliedAt.set(name, [...(this.appliedAt.get(name) ?? []), at]);
    this.contents.set(name, (this.contents.get(name) ?? new Set()).add(content));
    const held = this.held.get(id) ?? new Map<string, number>();
    this.held.set(id, held);
    if (content === null) held.delete(propertyId);
    else held.set(propertyId, version);
  }
}

/** A process with some edges, which can be killed and started again on what it keeps. */
export class AgentHost {
  private readonly api: string;
  private readonly edges: readonly HostedEdge[];
  private readonly witness: Witness;
  private readonly isWell: boolean;
  private child: ChildProcess | undefined;

  /** @param isWell whether it takes each notification at once, and once */
  constructor(api: string, edges: readonly HostedEdge[], witness: Witness, isWell = false) {
    this.isWell = isWell;
    this.api = api;
    this.edges = edges;
    this.witness = witness;
  }

  start(): void {
    for (const { id } of this.edges) this.witness.held.set(id, new Map());
    this.child = fork(script, [JSON.stringify({ api: this.api, isWell: this.isWell, edges: this.edges })], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.child.on('message', (told) => this.witness.see(told as Told));
  }

  behaveWell(): void {
    this.child?.send('well');
  }

  async kill(): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (!child) return;
    child.kill('SIGKILL');
    // Only then has everything been read that it told.
    await once(child, 'close');
  }
}
