import { messages } from '../../../../shared/ground/messages.ts';
import type { ApiResponse } from '../../../support/api-client.ts';
import type { Tally } from '../tally.ts';
import type { Mishap } from './mishap.ts';

/** What a request comes to where nothing goes wrong: the first time, and the second. */
export interface Outcome {
  readonly statuses: readonly [first: number, second: number];
  readonly states: readonly [before: string, once: string, twice: string];
  /** Operations of AWS that the first calls. */
  readonly calls: readonly string[];
  /** How often its function comes back from an await. */
  readonly awaits: number;
}

const internal = /injected|amazon|dynamo|sqs|kms|exception|ECONN|socket|\bat \S+:\d+|node:|\.m?js/i;

/** A fault that no second try has made good is the documented 503, or the gateway's own response to a function that ended. */
export function judgeResponse(
  tally: Tally,
  what: string,
  { status, envelope, headers, text }: ApiResponse,
  { isHarmless, isKill }: Pick<Mishap, 'isHarmless' | 'isKill'>,
  expected: number,
): void {
  if (status < 300 && status === expected) return;
  const isBusy = status === 503 && envelope.message === messages.unavailable && headers['retry-after'];
  const isEnded = isKill && status === 502 && envelope.message === messages.internal;
  if (isHarmless)
    tally.found('wrong', `${what}: ${status}, though a second try had done: ${envelope.message}`);
  else if (status >= 500 && !isBusy && !isEnded)
    tally.found('serverErrors', `${what}: ${status} ${envelope.message}`);
  else if (!isBusy && !isEnded) tally.found('wrong', `${what}: ${status} ${envelope.message}`);
  if (internal.test(text)) tally.found('leaks', `${what}: ${text}`);
}

export function judgeAcknowledged(tally: Tally, what: string, after: string, { states }: Outcome): void {
  const [before, once, twice] = states;
  if (after === once) return;
  const finding = after === before ? 'lost' : after === twice ? 'doubled' : 'wrong';
  tally.found(finding, `${what}, acknowledged: ${difference(once, after)}`);
}

/** The lines in which two states differ. */
export function difference(expected: string, seen: string): string {
  const [wanted, found] = [expected.split('\n'), seen.split('\n')];
  const missing = wanted.filter((line) => !found.includes(line)).map((line) => `-${line.trim()}`);
  const extra = found.filter((line) => !wanted.includes(line)).map((line) => `+${line.trim()}`);
  return [...missing, ...extra].slice(0, 12).join(' ') || `${wanted.length} lines, ${found.length} seen`;
}
