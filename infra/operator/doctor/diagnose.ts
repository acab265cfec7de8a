import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../../shared/ground/message-of.ts';
import type { Check } from './check.ts';
import { checks } from './checks.ts';
import type { Examined } from './examined.ts';
import { revocation } from './revocation.ts';

/** A check's line. */
export type Diagnosis = Readonly<{ check: string; ok: boolean; detail: string }>;

/** How long a check may take after its requests were ended, to say what it has seen. */
const graceMilliseconds = 1_000;

/**
 * Runs all checks at once, none of which stops another, and then takes the doctor's key away.
 * @param isDone is told of each check that has ended
 */
export async function diagnose(examined: Examined, isDone: () => void): Promise<readonly Diagnosis[]> {
  const all = await Promise.all(checks.map((check) => diagnosisOf(check, examined).finally(isDone)));
  return [...all, await diagnosisOf(revocation, examined)];
}

async function diagnosisOf({ name: check, run }: Check, examined: Examined): Promise<Diagnosis> {
  const ended = new AbortController();
  try {
    const detail = await Promise.race([run(examined), expiry(examined, ended.signal)]);
    return { check, ok: true, detail };
  } catch (error) {
    const isLate = error instanceof DOMException && error.name === 'TimeoutError';
    return { check, ok: false, detail: isLate ? lateDetail(examined) : lineOf(error) };
  } finally {
    ended.abort();
  }
}

/** @throws Error when the time is over */
async function expiry(examined: Examined, signal: AbortSignal): Promise<never> {
  await sleep(examined.limitSeconds * 1000 + graceMilliseconds, undefined, { signal });
  throw new Error(lateDetail(examined));
}

function lateDetail({ limitSeconds }: Examined): string {
  return `There was no result within ${limitSeconds} s: give it more by --timeout, or see operator status.`;
}

function lineOf(error: unknown): string {
  const message = messageOf(error).replaceAll(/[\s\p{Cc}]+/gu, ' ');
  return message || (error instanceof Error ? error.name : 'Error');
}
