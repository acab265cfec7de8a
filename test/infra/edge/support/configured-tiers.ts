import type { ConfigChange } from '../../../../infra/edge/agent/config-agent.d.mts';
import type { ConfigDocument } from '../../../../shared/edge-config/document.ts';
import type { ConfiguredEdge } from './configured-edge.ts';
import { ConfiguredNode } from './configured-node.ts';
import { roomyNode } from './node-kit.ts';
import type { TlsKit } from './tls-kit.ts';

/** An edge and its shield, each configured by an API of its own. The way between them is a test's. */
export class ConfiguredTiers implements ConfiguredEdge {
  readonly shield = new ConfiguredNode();
  readonly edge: ConfiguredNode;
  readonly refuses = roomyNode.refuses;

  private readonly wayTo: (shieldUrl: string) => Promise<string>;
  private readonly flags: readonly string[];

  /** @param flags, tls of the edge */
  constructor(wayTo = async (shieldUrl: string) => shieldUrl, flags: readonly string[] = [], tls?: TlsKit) {
    this.edge = new ConfiguredNode(tls);
    this.wayTo = wayTo;
    this.flags = flags;
  }

  async start(): Promise<string> {
    const shieldUrl = await this.shield.start({ tier: 'shield', flags: ['--edge-from', '127.0.0.1'] });
    return this.edge.start({ flags: [...this.flags, '--shield', await this.wayTo(shieldUrl)] });
  }

  async stop(): Promise<void> {
    await Promise.all([this.edge.stop(), this.shield.stop()]);
  }

  get tls(): TlsKit | undefined {
    return this.edge.tls;
  }

  get shieldUrl(): string {
    return this.shield.node.baseUrl;
  }

  /** Of the tier that visitors ask. */
  get polls(): number {
    return this.edge.polls;
  }

  async apply(changes: readonly ConfigChange[]): Promise<void> {
    for (const node of [this.shield, this.edge]) await node.apply(changes);
  }

  async write(document: ConfigDocument): Promise<void> {
    await Promise.all([this.shield.write(document), this.edge.write(document)]);
  }
}
