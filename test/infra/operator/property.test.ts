import { expect, test } from 'vitest';
import { deleteItem, table } from '../../../shared/aws/table.ts';
import { changesOf } from '../../../shared/property/config-change-table.ts';
import { ApiClient } from '../../support/api-client.ts';
import { json, operator, operatorAtTerminal, run } from '../../support/operator.ts';
import { rule } from '../../support/rules.ts';

test('properties of all accounts or of one, each with its account and its rules in order', async () => {
  const { accountId } = await json('account', 'create', '--name', 'Second');
  const { key } = await json('key', 'create', '--account', accountId, '--name', 'Key');
  const api = new ApiClient(run.baseUrl, key);
  const properties = await Promise.all(
    ['a', 'b'].map(async (name) => {
      const { data } = await api.post('/api/property', {
        name,
        hostnames: [`${name}.example.com`],
        origin: { url: 'https://origin.example.com' },
      });
      return data;
    }),
  );
  const [first] = properties;
  const late = (await api.post(`/api/property/${first.id}/rules`, rule({ priority: 20 }))).data;
  const early = (await api.post(`/api/property/${first.id}/rules`, rule({ priority: 10 }))).data;
  const exported = await json('property', 'export', '--account', accountId);
  expect(exported).toHaveLength(2);
  expect(exported).toContainEqual({ accountId, ...first, rules: [early, late] });
  expect(exported).toContainEqual({ accountId, ...properties[1], rules: [] });
  const all = await json('property', 'export');
  const shown = all.map((each: { accountId: string; id: string }) => [each.accountId, each.id]);
  expect(shown).toContainEqual([run.accountId, run.propertyId]);
  expect(all.filter((each: { accountId: string }) => each.accountId === accountId)).toEqual(exported);
  const lines = await operator('property', 'export', '--account', accountId);
  expect(lines.stdout).toContain(`a.example.com  ${JSON.stringify([early, late])}\n`);
  const watched = await operatorAtTerminal('property', 'export', '--account', accountId);
  expect(watched.shown).toEqual(['1 of 2 properties read', '2 of 2 properties read', '']);
  expect(watched.stderr).toBe('');
  const [head, ...rows] = watched.stdout.trimEnd().split('\n');
  expect(head).toMatch(/^ACCOUNT +PROPERTY +NAME +HOSTN.* +RULES$/);
  for (const row of rows) expect(row).toMatch(new RegExp(`^(?=.{0,80}$)${accountId}  [0-9a-z]{26}  .*…`));
  expect((await operatorAtTerminal('property', 'export', '--json')).shown).toEqual([]);
});

test('an account that does not exist: exit 1 and one line', async () => {
  const { status, stdout, stderr } = await operator('property', 'export', '--account', 'nobody');
  expect([status, stdout, stderr]).toEqual([
    1,
    '',
    'operator: Account not found. help property export says where to find it.\n',
  ]);
});

test('a property that an older version made is published once', async () => {
  const change = (await changesOf([run.propertyId])).get(run.propertyId);
  if (!change) throw new Error('The demo property was never published');
  const { shard, id } = change;
  await deleteItem(table<'configChanges', typeof change>('configChanges'), { shard, id });
  expect(await json('property', 'publish')).toEqual({ published: 1 });
  const published = (await changesOf([run.propertyId])).get(run.propertyId);
  expect(published).toMatchObject({ accountId: run.accountId, version: 1 });
  expect(published?.sequence).toBeGreaterThan(change.sequence);
  expect(await json('property', 'publish')).toEqual({ published: 0 });
});
