import fc from 'fast-check';
import { expect, test } from 'vitest';
import { evaluate } from '../../../../shared/rule/evaluate.ts';
import type { Outcome } from '../../../../shared/rule/outcome.ts';
import { testedRequest } from '../../../../shared/rule/test-request.ts';
import { type ConfigBench, certifiedDomain } from './config-bench.ts';
import type { Ask, EdgeClient } from './edge-client.ts';
import { expectedReply, picked, type Seen } from './expected-reply.ts';
import { type ConfigCase, configCase } from './generated-config.ts';

/** Cases that are tried at once, each on a site of its own. */
const batchSize = 100;

/** One case, and what was seen where it should have been something else. */
interface Difference {
  readonly given: ConfigCase;
  readonly expected: Seen;
  readonly seen: Seen;
}

type Counts = Record<'blocked' | 'redirected' | 'forced' | 'rewritten' | 'kept' | 'passed', number>;

/** The edge does with generated requests what `rules/test` says of them. */
export function doesWhatRulesTestSays(bench: ConfigBench, count: number): void {
  test(`${count} generated cases: the edge does what rules/test says`, async () => {
    const counts = { blocked: 0, redirected: 0, forced: 0, rewritten: 0, kept: 0, passed: 0 };
    const cases = fc.sample(configCase, { numRuns: count, seed: 20_261_122 });
    const differences: Difference[] = [];
    for (let start = 0; start < count; start += batchSize)
      differences.push(...(await tryBatch(bench, cases.slice(start, start + batchSize), counts)));
    expect([differences.length, differences.slice(0, 3)]).toEqual([0, []]);
    expect(Object.entries(counts).filter(([, number]) => number === 0)).toEqual([]);
  });
}

async function tryBatch(
  bench: ConfigBench,
  cases: readonly ConfigCase[],
  counts: Counts,
): Promise<readonly Difference[]> {
  const ids = cases.map(() => bench.fresh());
  const nameOf = (index: number) => `www-${ids[index]}${certifiedDomain}`;
  await bench.apply(
    cases.map(({ rules, cache }, index) => ({
      propertyId: ids[index],
      hostnames: [{ hostname: nameOf(index), claimedAt: 1 }],
      rules,
      cache,
    })),
  );
  const tried = await Promise.all(
    cases.map(async (given, index) => {
      const hostname = nameOf(index);
      const { method, target, headers, rules, cache } = given;
      const { client, scheme } = bench.visitor(index);
      const tested = testedRequest({ url: `${scheme}://${hostname}${target}`, method, headers }, [hostname]);
      const treatment = asAsked(evaluate({ rules, cache }, tested).treatment, scheme);
      const expected = expectedReply(given, treatment, hostname, scheme);
      counts[kindOf(treatment, expected)] += 1;
      return { given, expected, seen: await seenOf(bench, client, hostname, given, expected) };
    }),
  );
  await bench.remove(...ids);
  return tried.filter(({ expected, seen }) => !isEqual(expected, seen));
}

/** What forceHttps would come to has come over https. */
function asAsked(treatment: Outcome, scheme: 'http' | 'https'): Outcome {
  return { ...treatment, forceHttps: treatment.forceHttps && scheme === 'http' };
}

function kindOf({ block, redirect, forceHttps, path }: Outcome, { isKept }: Seen): keyof Counts {
  if (block) return 'blocked';
  if (redirect) return 'redirected';
  if (forceHttps) return 'forced';
  if (path !== null) return 'rewritten';
  return isKept ? 'kept' : 'passed';
}

/** Sends the request twice, as it goes over the wire. */
async function seenOf(
  bench: ConfigBench,
  client: EdgeClient,
  hostname: string,
  { method, target, headers, wish }: ConfigCase,
  expected: Seen,
): Promise<Seen> {
  const bytes = (text: string): string => Buffer.from(text).toString('latin1');
  const text = (value: string): string => Buffer.from(value, 'latin1').toString();
  const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, bytes(value)]));
  const ask: Ask = { hostname, target, method, headers: sent, wish };
  const response = await client.ask(ask);
  const asked = bench.origin.noted.get(hostname);
  const again = await client.ask(ask);
  const received = Object.entries(asked ? picked(asked.headers, expected.requestHeaders) : {});
  bench.origin.noted.delete(hostname);
  return {
    status: response.status,
    location: response.headers.location,
    asked: asked?.target,
    requestHeaders: Object.fromEntries(received.map(([name, value]) => [name, value && text(value)])),
    responseHeaders: picked(response.headers, expected.responseHeaders),
    cacheControl: response.headers['cache-control'],
    isKept: again.isHit,
    forwardedProto: asked && String(asked.headers['x-forwarded-proto']),
    requests: asked?.requests ?? 0,
  };
}

function isEqual(one: Seen, other: Seen): boolean {
  try {
    expect(one).toEqual(other);
    return true;
  } catch {
    return false;
  }
}
