import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { endpoints } from '../../functions/endpoints.ts';
import { withEndpointTable } from '../../infra/generate/endpoint-table.ts';
import { functionEvents } from '../../infra/generate/events.ts';

const command = 'npm run generate';

test(`each function has the test event that \`${command}\` writes, and there is no other`, () => {
  const written = globSync('test/events/*.json').map((path) => [
    basename(path, '.json'),
    JSON.parse(readFileSync(path, 'utf8')),
  ]);
  expect(Object.fromEntries(written), command).toEqual(Object.fromEntries(functionEvents()));
});

test(`the README’s table of endpoints is the one that \`${command}\` writes`, () => {
  const readme = readFileSync('README.md', 'utf8');
  expect(readme, command).toBe(withEndpointTable(readme, endpoints));
});
