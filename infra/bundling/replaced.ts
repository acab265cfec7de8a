import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import { filterOf } from './left-out.ts';

const standIns = join(import.meta.dirname, 'stand-ins');

/** Files of packages that functions need less of than they do, and what stands in for them. */
const replaced: Readonly<Record<string, string>> = {
  '@aws-sdk/credential-provider-node/dist-es/index.js': exportsOf('lambda-credentials.ts'),
  '@smithy/core/dist-es/submodules/config/node-config-provider/fromSharedConfigFiles.js':
    exportsOf('no-config-files.ts'),
  // Its own loads each of its clients, a browser's interfaces and its mocks. test/imports.test.ts knows what is left.
  'undici/index.js':
    "exports.Pool = require('./lib/dispatcher/pool.js'); exports.buildConnector = require('./lib/core/connect.js');",
};

export const replaces: Plugin = {
  name: 'replaces',
  setup({ onLoad }) {
    for (const [path, contents] of Object.entries(replaced))
      onLoad({ filter: filterOf(path) }, () => ({ contents }));
  },
};

function exportsOf(file: string): string {
  return `export * from ${JSON.stringify(join(standIns, file))};`;
}
