import type { ApiResponse } from '../../../support/api-client.ts';
import type { Tally } from '../tally.ts';
import { difference, type Outcome } from './judge-outcome.ts';
import { untilState } from './until-served.ts';
import type { WorldState } from './world-state.ts';

/** What is done by more than one write: a purge's message makes what is missing of its record; a retry goes on with the others. */
const inSteps = /purge-create|property-delete/;

/** What was not acknowledged is done or not, and a retry comes to what it comes to after either. */
export async function judgeRetry(
  tally: Tally,
  what: string,
  after: string,
  { statuses, states: [before, once, twice] }: Outcome,
  state: WorldState,
  retry: () => Promise<ApiResponse | undefined>,
): Promise<void> {
  if (after !== before && after !== once && !inSteps.test(what))
    tally.found('wrong', `${what}: half done: ${difference(before, after)}`);
  const [status, expected] = after === once ? [statuses[1], twice] : [statuses[0], once];
  const response = await retry();
  if (!response) return tally.found('stuck', `${what}: no retry is served`);
  if (response.status !== status)
    tally.found('wrong', `${what}: the retry is ${response.status}, not ${status}: ${response.text}`);
  const settled = await untilState(state, expected);
  if (settled !== expected) tally.found('doubled', `${what}, retried: ${difference(expected, settled)}`);
}
