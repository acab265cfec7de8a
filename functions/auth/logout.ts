import * as z from 'zod';
import { requireUser } from '../../shared/auth/current-user.ts';
import { changeUser } from '../../shared/auth/user-table.ts';
import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { examples } from '../../shared/http/examples.ts';
import { serve } from '../../shared/http/serve.ts';

export const endpoint = declareEndpoint({
  method: 'POST',
  path: '/api/Auth/logout',
  access: 'user',
  secret: true,
  summary: 'End all of the user’s tokens',
  description: 'On every device, and before the answer: this token too.',
  data: z.object({}).describe('Nothing.').register(examples, { nothing: {} }),
  touches: { tables: { users: ['GetItem', 'UpdateItem'] } },
});

export const handler = serve(endpoint, async ({ caller }) => {
  const user = await requireUser(caller);
  await changeUser(user.username, { endTokens: true });
  return {};
});
