import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { reservedHeaders } from '../../../shared/rule/header-name.ts';

test('the names that no rule may decide on are the same for the API and for a node’s nginx', () => {
  const lua = readFileSync('infra/edge/node/nginx/reserved-header.lua', 'utf8');
  const names = /\[\[([^\]]*)\]\]/.exec(lua)?.[1]?.trim().split(/\s+/);
  expect(names?.sort()).toEqual(reservedHeaders.map((name) => name.toLowerCase()).sort());
});
