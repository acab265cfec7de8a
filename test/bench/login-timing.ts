import { ApiClient } from '../support/api-client.ts';
import { login, makeUser } from '../support/identity.ts';
import { percentile, withLocalRun } from './run.ts';

/** Whether a login tells by its time if there is such a user: unknown names and wrong passwords in turn. */
const rounds = 50;
const warmUpRounds = 10;

await withLocalRun(async (run) => {
  const api = new ApiClient(run.baseUrl, run.apiKey);
  const username = await makeUser(run.accountId);
  const time = async (name: string): Promise<number> => {
    const startedAt = performance.now();
    await login(api, name, 'not the password');
    return performance.now() - startedAt;
  };
  const unknown: number[] = [];
  const wrong: number[] = [];
  for (let round = -warmUpRounds; round < rounds; round += 1) {
    const pair = [await time(`nobody-${round}@example.com`), await time(username)] as const;
    if (round < 0) continue;
    unknown.push(pair[0]);
    wrong.push(pair[1]);
  }
  const [a, b] = [percentile(unknown, 0.5), percentile(wrong, 0.5)];
  console.log(
    `medians: unknown user ${a.toFixed(1)} ms, wrong password ${b.toFixed(1)} ms, ratio ${(a / b).toFixed(3)}`,
  );
});
