import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpoints } from '../../functions/endpoints.ts';
import { withEndpointTable } from './endpoint-table.ts';
import { functionEvents } from './events.ts';

const root = join(import.meta.dirname, '..', '..');
const folder = join(root, 'test', 'events');

const events = functionEvents();
for (const file of globSync(join(folder, '*.json'))) rmSync(file);
for (const [name, event] of events)
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(event, null, 2)}\n`);

const readme = join(root, 'README.md');
writeFileSync(readme, withEndpointTable(readFileSync(readme, 'utf8'), endpoints));
