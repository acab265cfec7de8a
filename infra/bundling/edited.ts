import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';
import { filterOf } from './left-out.ts';

interface Edit {
  readonly from: RegExp;
  readonly to: string;
  /** How often it is there. */
  readonly times: number;
}

/** What packages do at each start though no function has a use for it, by file below `node_modules`. */
const edits: Readonly<Record<string, readonly Edit[]>> = {
  'zod/v4/classic/schemas.js': [
    // A description, a name or an example is for the API's description, and makes a copy of its schema.
    {
      from: /^ {4}(describe|meta|register)\([^)]*\) \{\n[\s\S]*?\n {4}\},\n/gm,
      to: '    $1() {\n        return this;\n    },\n',
      times: 3,
    },
    // Shortcuts, for which every bundle would hold each format there is: z.email() stands for z.string().email().
    {
      from: /^ {4}\w+\(params\) \{\n {8}return this\.check\(core\._\w+\(Zod\w+, params\)\);\n {4}\},\n/gm,
      to: '',
      times: 26,
    },
    // Under a name that another module gives it, esbuild does not see what of a module is used.
    {
      from: /import \{ util \} from "\.\.\/core\/index\.js";/g,
      to: 'import * as util from "../core/util.js";',
      times: 1,
    },
  ],
  // No body is a stream of a file; asking whether one is loads all of Node's streams of files.
  '@smithy/core/dist-es/submodules/serde/util-body-length/calculateBodyLength.js': [
    {
      from: /^import .* from "node:fs";\n|^ {4}else if \(body instanceof ReadStream\) \{\n[\s\S]*?\n {4}\}\n/gm,
      to: '',
      times: 2,
    },
  ],
  // Few edges speak HTTP/2: what does is loaded with the first connection to one.
  'undici/lib/dispatcher/client.js': [
    {
      from: /const connectH2 = require\('\.\/client-h2\.js'\)/g,
      to: "const connectH2 = (...given) => require('./client-h2.js')(...given)",
      times: 1,
    },
  ],
};

export const edited: Plugin = {
  name: 'edited',
  setup({ onLoad }) {
    for (const [file, all] of Object.entries(edits))
      onLoad({ filter: filterOf(file) }, ({ path }) => ({
        contents: all.reduce((source, edit) => applied(edit, source, file), readFileSync(path, 'utf8')),
      }));
  },
};

/** @throws Error where a package has changed, so that each edit is looked at again */
function applied({ from, to, times }: Edit, source: string, file: string): string {
  const found = source.match(from)?.length ?? 0;
  if (found !== times)
    throw new Error(`${file} has ${from} ${found} times, not ${times}: its package has changed`);
  return source.replace(from, to);
}
