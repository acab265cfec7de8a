import type { ConfigChange, Refusal } from './config-agent.d.mts';

export class NginxMemory {
  constructor(socket: string, onError: (error: Error) => void);
  begin(): void;
  apply(changes: readonly ConfigChange[]): Promise<readonly Refusal[]>;
  ready(): Promise<void>;
}
