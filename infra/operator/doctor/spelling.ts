import { ask, requireStatus } from './ask.ts';
import type { Check } from './check.ts';

/** Other ones than the gateway knows. */
const spellings = ['/API/Account', '/api/account/', '/api/%61ccount'];

export const spelling: Check = {
  name: 'spelling',
  run: async ({ addresses, key: makeKey, signal }) => {
    const { key, accountId } = await makeKey();
    for (const address of await addresses())
      for (const path of spellings) {
        const response = await ask(address + path, { key, signal });
        requireStatus(response, 200);
        if (response.envelope.data?.id !== accountId)
          throw new Error(`${response.request} shows another account than its key's.`);
      }
    return `${spellings.join(', ')} are the endpoint /api/account.`;
  },
};
