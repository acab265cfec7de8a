import type { MakeEnvironment } from '../../../../infra/local/lambda/environments.ts';
import { type Lives, MortalEnvironment } from './mortal-environment.ts';

/** The environments of a run, as far as their lives are in a test's hands. */
export class MortalEnvironments implements Lives {
  readonly fresh = new Set<string>();
  readonly killAt = new Map<string, number>();
  readonly awaits = new Map<string, number>();
  private readonly made = new Map<string, Set<MortalEnvironment>>();

  readonly make: MakeEnvironment = (source, log) => {
    const environment = new MortalEnvironment(source, log, this);
    const made = this.made.get(source.name) ?? new Set();
    this.made.set(source.name, made.add(environment));
    return environment;
  };

  /** Ends what the function has under way, as when the machine below it goes; nobody tells the caller. */
  kill(functionName: string): void {
    for (const environment of this.made.get(functionName) ?? []) {
      if (!environment.alive) this.made.get(functionName)?.delete(environment);
      else if (environment.isBusy) void environment.terminate();
    }
  }
}
