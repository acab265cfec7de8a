import type { NonEmpty } from '../../../shared/ground/non-empty.ts';
import type { FoundRun } from '../../local/host/run-file.ts';
import { stackOutputs } from '../aws/stack-outputs.ts';
import { makeKey } from './own-accounts.ts';
import { type AcceptedPurge, purgeOwnProperty } from './own-property.ts';

/** The deployment that is examined, and what several checks share: made when the first of them asks for it. */
export class Examined {
  readonly stack: string;
  /** Undefined for a deployed stack. */
  readonly localRun: FoundRun | undefined;
  readonly limitSeconds: number;
  /** Aborted when the time of the checks is over. */
  readonly signal: AbortSignal;
  /** Where the API is to respond, without a slash at the end. */
  readonly addresses = once(() => this.findAddresses());
  /** Of an account that is the doctor's own. */
  readonly key = once(makeKey);
  readonly purge = once(() => this.acceptPurge());

  constructor(stack: string, localRun: FoundRun | undefined, limitSeconds: number) {
    this.stack = stack;
    this.localRun = localRun;
    this.limitSeconds = limitSeconds;
    this.signal = AbortSignal.timeout(limitSeconds * 1000);
  }

  private async acceptPurge(): Promise<AcceptedPurge> {
    const [address] = await this.addresses();
    return purgeOwnProperty(address, await this.key(), this.signal);
  }

  private async findAddresses(): Promise<NonEmpty<string>> {
    if (this.localRun) return [this.localRun.baseUrl];
    const outputs = await stackOutputs(this.stack);
    const [api, domain] = ['ApiUrl', 'DomainUrl'].map((name) => outputs.get(name)?.replace(/\/$/, ''));
    if (!api) throw new Error(`The stack ${this.stack} has no output ApiUrl: deploy it again.`);
    return domain ? [api, domain] : [api];
  }
}

function once<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let made: Promise<Result> | undefined;
  return () => (made ??= make());
}
