import { messages } from '../../../shared/ground/messages.ts';
import { ask, requireStatus } from './ask.ts';
import type { Check } from './check.ts';

/** What a base address that ends in a slash makes, and what nobody is served. */
const [served, unknown] = ['//api/account', '/api//account'];

export const doubleSlash: Check = {
  name: 'double slash',
  run: async ({ addresses, key: makeKey, signal }) => {
    const { key } = await makeKey();
    for (const address of await addresses()) {
      requireStatus(await ask(address + served, { key, signal }), 200);
      const response = await ask(address + unknown, { key, signal });
      requireStatus(response, 404);
      const { message } = response.envelope;
      if (message !== messages.endpointNotFound)
        throw new Error(`The 404 of ${response.request} says "${message}": the path came changed.`);
    }
    return `${served} is served, ${unknown} is a 404 in the envelope.`;
  },
};
