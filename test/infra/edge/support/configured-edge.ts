import type { ConfigChange } from '../../../../infra/edge/agent/config-agent.d.mts';
import type { BackendUnderTest } from './edge-under-test.ts';
import type { TlsKit } from './tls-kit.ts';

export const configSecret = 'a secret of sixteen characters or more';

/** An edge that serves what documents say, whoever brings them. */
export interface ConfiguredEdge extends Pick<BackendUnderTest, 'refuses'> {
  /** @returns where browsers ask */
  start(): Promise<string>;
  /** Where it listens for TLS, if it does. */
  readonly tls?: TlsKit | undefined;
  /** Where the tier behind it is purged, if there is one. */
  readonly shieldUrl?: string;
  /** Resolves when every request sees the changes. */
  apply(changes: readonly ConfigChange[]): Promise<void>;
  /** How often it has asked the API, or has been told to. */
  readonly polls: number;
  stop(): Promise<void>;
}
