import { absent, allOf, present } from '../../../../shared/aws/expression.ts';
import { table, updateItem } from '../../../../shared/aws/table.ts';
import { messages } from '../../../../shared/ground/messages.ts';
import type { IdempotencyRecord } from '../../../../shared/http/idempotency-table.ts';
import type { ApiResponse } from '../../../support/api-client.ts';
import { eventually } from '../../../support/eventually.ts';
import type { WorldState } from './world-state.ts';

const settleMilliseconds = 20_000;
const mostTries = 5;

/** The response that comes once nothing is wrong any more; a claim whose process is gone ends after a while. */
export async function untilServed(
  send: () => Promise<ApiResponse>,
  idempotencyKey: string | undefined,
): Promise<ApiResponse | undefined> {
  for (let tries = 1; tries <= mostTries; tries += 1) {
    const response = await send();
    const isInUse = response.status === 409 && response.envelope.message === messages.keyInUse;
    if (response.status < 500 && !isInUse) return response;
    if (isInUse && idempotencyKey) await endClaim(idempotencyKey);
  }
  return undefined;
}

async function endClaim(key: string): Promise<void> {
  const records = table<'idempotency', IdempotencyRecord>('idempotency');
  await updateItem(records, { key }, { set: { lockedUntil: 0 } }, allOf(present('key'), absent('response')));
}

/** Some of the work goes on after the response. */
export function untilState(state: WorldState, expected: string): Promise<string> {
  let seen = '';
  return eventually(
    async () => {
      seen = await state.read();
      return seen;
    },
    (read) => read === expected,
    settleMilliseconds,
  ).catch(() => seen);
}
