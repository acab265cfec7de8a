import type { ConfigDocument } from '../../../shared/edge-config/document.ts';

export interface ConfigChange {
  readonly propertyId: string;
  readonly version: number;
  /** Null where the property is no longer served. */
  readonly document: ConfigDocument | null;
}

export interface ConfigAgentOptions {
  /** Where everything is kept; made where it is missing. One agent at a time may use it. */
  readonly dir: string;
  /** Base address of the API. */
  readonly api: string;
  /** The edge's token, read anew for each request. */
  token(): string;
  /** Kinds of purge key that the server accepts, separated by commas. */
  readonly keys: string;
  /** Takes all changes at once, before it returns. */
  apply(changes: readonly ConfigChange[]): void;
  /** Is told of what went wrong; the agent continues. By default it is written to standard error. */
  onError?(error: Error): void;
}

export class ConfigAgent {
  constructor(options: ConfigAgentOptions);
  start(): Promise<void>;
  poll(): Promise<void>;
  stop(): Promise<void>;
}
