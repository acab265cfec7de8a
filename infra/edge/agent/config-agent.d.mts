import type { ConfigDocument } from '../../../shared/edge-config/document.ts';

export interface ConfigChange {
  readonly propertyId: string;
  readonly version: number;
  /** Null where the property is no longer served. */
  readonly document: ConfigDocument | null;
}

/** Why a server does not take a change: for `noRoom` it is handed over again with each poll. */
export interface Refusal {
  readonly propertyId: string;
  readonly fault: 'noRoom' | 'unreadable';
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
  /**
   * Takes all changes at once, before it returns or its promise is fulfilled.
   * What it does not take stays as it was.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: a server that takes everything returns nothing
  apply(changes: readonly ConfigChange[]): void | Promise<readonly Refusal[]>;
  /** Called each time before everything is handed over. */
  onBegin?(): void;
  /** Called each time when everything that the server should have has been handed over. */
  onReady?(): void | Promise<void>;
  /** Is told of what went wrong; the agent continues. By default it is written to standard error. */
  onError?(error: Error): void;
}

export class ConfigAgent {
  constructor(options: ConfigAgentOptions);
  start(): Promise<void>;
  poll(): Promise<void>;
  /** For a server that was started anew. */
  handOverAll(): Promise<void>;
  stop(): Promise<void>;
}
