import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import { endpoints } from '../../../../functions/endpoints.ts';
import { usualBundle } from '../usual-bundle.ts';

const root = join(import.meta.dirname, '..', '..', '..', '..');

const ownServe: Plugin = {
  name: 'own-serve',
  setup({ onResolve }) {
    onResolve({ filter: /\/http\/serve\.ts$/ }, () => ({ path: join(import.meta.dirname, 'serve.ts') }));
  },
};

/** What the bundle does when it is loaded. */
const endings = {
  lambda: 'export const handler = lambdaHandler(app);',
  server: "const server = app.listen(0, '127.0.0.1', () => process.send(server.address()));",
} as const;

/** One bundle of all endpoints, as a function or as a server that sends its parent where it listens. */
export async function bundleExpress(kind: keyof typeof endings, outfile: string): Promise<void> {
  const files = Object.keys(endpoints);
  const contents = [
    "import { lambdaHandler, makeApp } from './test/bench/support/express/app.ts';",
    ...files.map((file, index) => `import * as endpoint${index} from './functions/${file}.ts';`),
    `const app = makeApp([${files.map((_, index) => `endpoint${index}`).join(', ')}]);`,
    endings[kind],
  ].join('\n');
  await usualBundle({ stdin: { contents, resolveDir: root }, plugins: [ownServe] }, outfile);
}
