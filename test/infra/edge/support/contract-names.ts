import { expect, test } from 'vitest';
import type { Backend } from '../../../../shared/edge/backends.ts';
import { canonicalUrl, formatUrl } from '../../../../shared/property/canonical-url.ts';
import type { Bench } from './bench.ts';
import { expectRemoved } from './contract-table.ts';
import type { Ask } from './edge-client.ts';
import type { BackendUnderTest } from './edge-under-test.ts';
import { sharedAs, wholeQuery } from './query-modes.ts';
import { words } from './words.ts';

const hostname = 'www.names.example';
const bystander: Ask = {
  hostname,
  target: '/bystander',
  wish: { headers: { 'surrogate-key': 'bystander' } },
};

/** What would be special in a regular expression, a ban, a URL or a header. */
const targets = words(String.raw`
  /.* /. /a|b /( /[ /^$ /$ /a%20b /%22 /" /' /%27 /&& /%c3%a9 /%C3%A9 /%7C /* // ///a// /a;b=c /a,b /\E /a#b /%00
  /%0a /%E2%80%AE /~ /a:b@c /%2e%2e/a /a/../b /? /a?b /a?b=%2f&a /a?& /a?%26 /a?%c3=1&%C3=2 /a&&b?c&&d /x%20&&%20obj.status%20==%20999`);
const tags = words(String.raw`.* a|b ( [ ^$ " ' && %c3 \ \E # * h/x t/x/y { ! x=1`);
const hosts = words('xn--bcher-kva.example 127-0-0-1.example 0.example a.b.c.d.e.example');

export const namedHostnames = [hostname, ...hosts];

const hostPurges = hosts.flatMap((host) => [
  { host, type: 'hostname', value: host } as const,
  { host, type: 'url', value: `https://${host}/` } as const,
]);

export function purgesEveryName(
  bench: () => Bench,
  { types }: Backend,
  refuses: NonNullable<BackendUnderTest['refuses']> = () => false,
  mode = wholeQuery,
): void {
  const staysStored = async (ask: Ask): Promise<void> => {
    await bench().client.ask(ask);
    expect(await bench().client.isHit(ask)).toBe(true);
  };

  const isRenewed = async (ask: Ask): Promise<boolean> =>
    (await bench().client.epoch(ask)) === bench().origin.epoch;

  test.each(targets.filter(refuses))('%s is refused, and reaches no origin', async (target) => {
    const before = bench().origin.requests;
    expect((await bench().client.ask({ hostname, target })).status).toBe(400);
    expect(bench().origin.requests).toBe(before);
  });

  const served = targets.filter((target) => !refuses(target));
  test.each(types.url ? served : [])('the URL %s, and nothing beside it', async (target) => {
    const ask = { hostname, target };
    // Behind a dot segment two slashes begin no host name.
    const url = canonicalUrl(`/.${target}`);
    expect(url).toBeDefined();
    await Promise.all([bench().client.ask(ask), staysStored(bystander)]);
    bench().origin.epoch += 1;
    const values = url ? [formatUrl(url)] : [];
    await bench().purge({ type: 'url', soft: false, hostnames: [hostname], values });
    expect([await isRenewed(ask), await bench().client.isHit(bystander)]).toEqual([true, true]);
  });

  test.each(types.tag ? tags : [])('the tag %s, and nothing beside it', async (tag) => {
    const ask = {
      hostname,
      target: `/tagged/${encodeURIComponent(tag)}`,
      wish: { headers: { 'surrogate-key': `before ${tag} after` } },
    };
    await Promise.all([bench().client.ask(ask), staysStored(bystander)]);
    bench().origin.epoch += 1;
    await bench().purge({ type: 'tag', soft: false, hostnames: [hostname], values: [tag] });
    expect([await isRenewed(ask), await bench().client.isHit(bystander)]).toEqual([true, true]);
  });

  test.each(hostPurges.filter(({ type }) => types[type]))(
    'the host $host by $type, in capitals and with a port too',
    async ({ host, type, value }) => {
      const spellings = [host, host.toUpperCase(), `${host}:8080`].map((name) => ({
        hostname: name,
        target: '/',
      }));
      for (const ask of spellings) await bench().client.ask(ask);
      await Promise.all([...spellings, bystander].map(staysStored));
      bench().origin.epoch += 1;
      const purge = { type, soft: false, hostnames: [host], values: [value] };
      const isReduced = sharedAs(mode, { target: '/' })?.isReduced === true;
      expectRemoved(await bench().purge(purge), 1, isReduced && type === 'url');
      for (const ask of spellings) expect(await isRenewed(ask)).toBe(true);
      expect(await bench().client.isHit(bystander)).toBe(true);
    },
  );
}
