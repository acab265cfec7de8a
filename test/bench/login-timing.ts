import { ApiClient } from '../support/api-client.ts';
import { login, makeUser } from '../support/identity.ts';
import type { Benchmark, Measured } from './support/benchmark.ts';
import { withLocalRun } from './support/local-run.ts';
import { interleaved } from './support/medians.ts';

/** Whether a login tells by its time if there is such a user: whichever is slower of an unknown name and a wrong password. */
export const benchmark: Benchmark = { unit: 'ms', goal: 1.1, run };

const rounds = 50;

function run(): Promise<Measured> {
  return withLocalRun(async ({ baseUrl, apiKey, accountId }) => {
    const api = new ApiClient(baseUrl, apiKey);
    const username = await makeUser(accountId);
    const time = async (name: string): Promise<number> => {
      const startedAt = performance.now();
      await login(api, name, 'not the password');
      return performance.now() - startedAt;
    };
    const { ours: unknown, other: wrong } = await interleaved(
      rounds,
      (round) => time(`nobody-${round}@example.com`),
      () => time(username),
    );
    return { ours: Math.max(unknown, wrong), other: Math.min(unknown, wrong) };
  });
}
