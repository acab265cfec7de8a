import * as z from 'zod';
import {
  changeUser,
  changeUserTouches,
  getUserTouches,
  requireUser,
  revokeTokens,
} from '../../shared/auth/user-table.ts';
import { touching } from '../../shared/ground/touches.ts';
import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { examples } from '../../shared/http/examples.ts';
import { serve } from '../../shared/http/serve.ts';

export const endpoint = declareEndpoint({
  method: 'POST',
  path: '/api/Auth/logout',
  access: 'user',
  neverStored: true,
  summary: 'Revoke all of the user’s tokens',
  description: 'On every device, and before the response: this token too.',
  data: z.object({}).describe('Nothing.').register(examples, { nothing: {} }),
  touches: touching(getUserTouches, changeUserTouches),
});

export const handler = serve(endpoint, async ({ caller }) => {
  const user = await requireUser(caller);
  await changeUser(user.username, revokeTokens);
  return {};
});
