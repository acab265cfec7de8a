import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { isIP } from 'node:net';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { isInternalHost } from '../../../shared/property/origin.ts';

const timeoutMilliseconds = 30_000;

/** As the edge node reads, for thousands of tags. */
const maximumHeaderBytes = 32 * 1024;

export interface OriginOptions {
  /** Whether origins may lie in some network's inside. */
  readonly allowsPrivate: boolean;
  /** Who resolves names; the host by default. */
  readonly resolve?: (
    hostname: string,
    options: LookupOptions & { readonly all: true },
    callback: (error: Error | null, addresses: LookupAddress[]) => void,
  ) => void;
}

type AskOptions = Pick<Dispatcher.RequestOptions, 'method' | 'path' | 'headers' | 'body'>;

/** Connections to origins, by http or by https that proves its name. */
export class Origins {
  private readonly agent: Agent;

  constructor(options: OriginOptions) {
    this.agent = new Agent({
      connect: connectorOf(options),
      maxHeaderSize: maximumHeaderBytes,
      headersTimeout: timeoutMilliseconds,
      bodyTimeout: timeoutMilliseconds,
    });
  }

  /** @param url base address of the origin */
  ask(url: string, { path, ...options }: AskOptions): Promise<Dispatcher.ResponseData> {
    const { origin, pathname } = new URL(url);
    return this.agent.request({ origin, path: pathname.replace(/\/$/, '') + path, ...options });
  }

  async stop(): Promise<void> {
    await this.agent.destroy();
  }
}

function connectorOf({ allowsPrivate, resolve = lookup }: OriginOptions): buildConnector.connector {
  const connect = buildConnector(allowsPrivate ? {} : { lookup: publicLookup(resolve) });
  return (options, callback) => {
    const { hostname } = options;
    if (!allowsPrivate && isInternalHost(hostname)) return callback(refusal(hostname), null);
    // By default the name is the one of the `Host` header, which visitors choose.
    connect({ ...options, servername: isIP(hostname) ? undefined : hostname }, callback);
  };
}

/** Looks at the very addresses that are connected to, whatever the name resolved to before. */
function publicLookup(resolve: NonNullable<OriginOptions['resolve']>) {
  return (
    hostname: string,
    options: LookupOptions,
    callback: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
  ): void =>
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      const allowed = addresses.filter(({ address }) => !isInternalHost(address));
      const [first] = allowed;
      if (!first) return callback(refusal(hostname), []);
      if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
}

function refusal(hostname: string): Error {
  return new Error(`the origin ${hostname} lies on a private address`);
}
