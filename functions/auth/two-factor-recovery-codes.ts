import * as z from 'zod';
import { requireUser } from '../../shared/auth/current-user.ts';
import { useFactor } from '../../shared/auth/factor-use.ts';
import { hashRecoveryCode, newRecoveryCodes } from '../../shared/auth/recovery-code.ts';
import { refuse } from '../../shared/auth/refusal.ts';
import { CodeOnly, exampleRecoveryCodes, hasTwoFactor, RecoveryCodes } from '../../shared/auth/user.ts';
import { changeUser } from '../../shared/auth/user-table.ts';
import { ApiError } from '../../shared/ground/api-error.ts';
import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { examples } from '../../shared/http/examples.ts';
import { serve } from '../../shared/http/serve.ts';

const NewRecoveryCodes = z
  .object({ recoveryCodes: RecoveryCodes })
  .meta({ id: 'NewRecoveryCodes', description: 'Fresh recovery codes.' })
  .register(examples, { codes: { recoveryCodes: exampleRecoveryCodes } });

export const endpoint = declareEndpoint({
  method: 'POST',
  path: '/api/Auth/2fa/recovery-codes',
  access: 'user',
  secret: true,
  summary: 'Make new recovery codes; the old ones die',
  description: 'Tokens stay good.',
  failures: { conflict: 'Two-factor authentication is not enabled.' },
  body: CodeOnly,
  data: NewRecoveryCodes,
  touches: { tables: { users: ['GetItem', 'UpdateItem'] }, keys: { totpSecrets: ['Decrypt'] } },
});

export const handler = serve(endpoint, async ({ caller, body: { code } }) => {
  const user = await requireUser(caller);
  if (!hasTwoFactor(user)) throw new ApiError('conflict', 'Two-factor authentication is not enabled.');
  const { deleteFrom: _, ...use } = await useFactor(user, code, new Date());
  const recoveryCodes = newRecoveryCodes();
  const replaced = await changeUser(user.username, use, {
    set: { recoveryCodes: new Set(recoveryCodes.map(hashRecoveryCode)) },
    conditions: ['generation = :generation'],
    values: { ':generation': user.generation },
  });
  if (!replaced) throw refuse('codeWrong');
  return { recoveryCodes };
});
