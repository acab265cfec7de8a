import type { Check } from './check.ts';

export const purge: Check = {
  name: 'purge',
  run: async (examined) => {
    const { hostname } = await examined.purge();
    return `A purge of one URL of ${hostname}, which nobody visits, was accepted with a new key.`;
  },
};
