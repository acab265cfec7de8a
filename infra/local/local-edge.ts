import { messageOf } from '../../shared/ground/message-of.ts';
import { ConfigAgent } from '../edge/agent/config-agent.mjs';
import { AccessLog } from '../edge/embedded/access-log.ts';
import { EmbeddedEdge } from '../edge/embedded/embedded-edge.ts';
import { Sites } from '../edge/embedded/sites.ts';
import type { Directory } from '../edge/embedded/visit.ts';
import type { EdgeSecrets } from './demo/demo.ts';
import { demoHostname } from './demo/demo-property.ts';
import type { DataDirectory } from './host/data-directory.ts';
import { listen, loopback } from './host/listen.ts';
import type { Stop } from './host/stops.ts';

/** Kinds of purge key that it stores objects under. */
const acceptedKeys = 'h,u,p,t,r';

interface LocalEdgeOptions extends EdgeSecrets {
  /** Base address of the API. */
  readonly api: string;
  readonly port: number;
  readonly directory: DataDirectory;
  /** Served instead of what the API configures. */
  readonly sites?: Directory['sites'] | undefined;
}

/** The run's own edge, which the run's API configures as it does any other. */
export class LocalEdge {
  private readonly options: LocalEdgeOptions;
  private readonly log = new AccessLog();
  private readonly agent: ConfigAgent | undefined;
  private readonly edge: EmbeddedEdge;

  constructor(options: LocalEdgeOptions) {
    const configured = new Sites();
    const { sites = configured, secret } = options;
    this.options = options;
    this.agent = sites === configured ? agentOf(options, configured) : undefined;
    this.edge = new EmbeddedEdge({
      sites,
      // The origins of a laptop lie on it.
      origins: { allowsPrivate: true },
      secret,
      defaultHostname: demoHostname,
      log: this.log,
      onPoll: () => void this.agent?.poll(),
      onError: sayOnce('The edge responds with 502'),
    });
  }

  /** @returns its base address */
  async listen(stops: Stop[]): Promise<string> {
    const url = `http://${loopback}:${await listen(this.edge.server, this.options.port, 'EDGE_PORT')}`;
    stops.push(() => this.edge.stop());
    return url;
  }

  /** Ready when it serves what the API has. */
  async configure(stops: Stop[]): Promise<void> {
    const { api, token } = this.options;
    this.log.start(api, token);
    stops.push((grace) => Promise.race([this.log.stop(api, token), grace]));
    const synced = this.agent?.start();
    stops.push((grace) => Promise.race([Promise.resolve(this.agent?.stop()), grace]));
    await synced;
  }
}

function agentOf({ api, token, directory }: LocalEdgeOptions, sites: Sites): ConfigAgent {
  return new ConfigAgent({
    dir: directory.file('edge'),
    api,
    token: () => token,
    keys: acceptedKeys,
    apply: (changes) => sites.apply(changes),
    onError: sayOnce('The edge’s configuration'),
  });
}

/** What goes wrong again and again, as with each poll, is said once. */
function sayOnce(subject: string): (error: unknown) => void {
  let last = '';
  return (error) => {
    const message = messageOf(error);
    if (message !== last) console.error(`${subject}: ${message}`);
    last = message;
  };
}
