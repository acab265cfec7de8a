import { createAccount } from '../../../shared/account/account-table.ts';
import { CreateProperty } from '../../../shared/property/property-input.ts';
import { ApiClient } from '../../support/api-client.ts';
import { holdOffOthers, PollingEdge } from '../../support/config-poll.ts';
import { makeEdge } from '../../support/edge-log.ts';
import { putProperties } from '../../support/put-properties.ts';
import type { CountedRun } from './counted-run.ts';

const origin = { url: 'https://origin.example.com' };

let sites = 0;

function site() {
  sites += 1;
  return CreateProperty.parse({ name: 'Site', hostnames: [`polled-${sites}.example.com`], origin });
}

/** An edge that polls, and all of whose properties are of one account. */
export class AccountEdge {
  readonly edge: PollingEdge;
  private readonly accountId: string;

  private constructor(edge: PollingEdge, accountId: string) {
    this.edge = edge;
    this.accountId = accountId;
  }

  /** No other edge of the run is served from now on. */
  static async make({ aws, baseUrl, apiKey }: CountedRun): Promise<AccountEdge> {
    process.env.ALLOW_PRIVATE_ORIGINS = 'true';
    const { accountId } = await createAccount('Polled');
    const token = await makeEdge(`edge-of-${accountId}`, { accounts: [accountId], properties: [] });
    const run = { aws, api: new ApiClient(baseUrl, apiKey) };
    holdOffOthers(run, token);
    return new AccountEdge(new PollingEdge(run, token), accountId);
  }

  async seed(count: number): Promise<void> {
    await putProperties(this.accountId, Array.from({ length: count }, site));
  }

  /** Has everything, and has said so. */
  async sync(): Promise<void> {
    await this.edge.sync();
    await this.edge.poll();
  }
}
