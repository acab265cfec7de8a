import { ApiClient } from '../../support/api-client.ts';
import { tokenOf, withToken } from '../../support/identity.ts';
import type { CostRun } from '../cost-run.ts';
import { type Measured, measure } from '../measure.ts';

const path = '/api/account';

/** What the authorizer takes, of whatever request. */
export async function measureAuthentications(run: CostRun): Promise<readonly Measured[]> {
  const { keys, baseUrl } = run;
  const api = new ApiClient(baseUrl, run.apiKey);
  const user = withToken(api, await tokenOf(api, run.username, run.password));
  await user.get(path);
  const measured = (name: string, ask: (key: string) => Promise<unknown>): Promise<Measured> =>
    measure(run, {
      name: `authentications, ${name}`,
      count: keys.length,
      isAskedFor: (functionName) => functionName === 'authorizer',
      work: async () => {
        for (const key of keys) await ask(key);
      },
    });
  return [
    await measured('API key, once a second at most', (key) => new ApiClient(baseUrl, key).get(path)),
    await measured('API key in use all the time', () => api.get(path)),
    await measured('access token', () => user.get(path)),
  ];
}
