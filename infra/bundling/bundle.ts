import { rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { type BuildOptions, type BuildResult, context, formatMessages, type Plugin } from 'esbuild';
import { functionSources, routes } from '../definition/functions.ts';
import { writeSwagger } from './swagger.ts';

const root = join(import.meta.dirname, '..', '..');

/** An ESM import of node:http loads undici too, 16 ms of every cold start; getBuiltinModule does not. */
const lazyBuiltins: Plugin = {
  name: 'lazy-builtins',
  setup({ onResolve, onLoad }) {
    const names = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]));
    onResolve({ filter: /^[\w:/]+$/ }, ({ path }) =>
      names.has(path) ? { path, namespace: 'builtin', sideEffects: false } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)})`,
    }));
  },
};

/**
 * Bundles every function into a folder of its own below `outdir`, named after the function, and writes the
 * fallback's route table and the description beside their bundles and esbuild's metafile beside them all.
 */
export async function bundleFunctions(outdir: string): Promise<void> {
  rmSync(outdir, { recursive: true, force: true });
  const { bundle, end } = await bundler(outdir);
  await bundle().finally(end);
}

/**
 * Does so again and again, and parses anew only what has changed meanwhile.
 * @param folder of the sources
 */
export async function bundler(outdir: string, folder = root) {
  const building = await context(optionsOf(outdir, folder));
  return {
    bundle: async () => finish(outdir, await building.rebuild()),
    end: () => building.dispose(),
  };
}

function optionsOf(outdir: string, folder: string) {
  return {
    absWorkingDir: folder,
    entryPoints: functionSources.map(({ file, name }) => ({
      in: join('functions', `${file}.ts`),
      out: join(name, 'index'),
    })),
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    mainFields: ['module', 'main'],
    sourcemap: 'linked',
    sourcesContent: false,
    metafile: true,
    logLevel: 'silent',
    alias: { '@aws-sdk/credential-provider-node': './infra/bundling/lambda-credentials.ts' },
    plugins: [lazyBuiltins],
  } satisfies BuildOptions;
}

async function finish(outdir: string, { metafile, warnings }: BuildResult): Promise<void> {
  for (const text of await formatMessages(warnings, { kind: 'warning' })) console.warn(text);
  writeFileSync(join(outdir, 'meta.json'), JSON.stringify(metafile));
  writeFileSync(join(outdir, 'fallback', 'routes.json'), JSON.stringify(routes));
  writeSwagger(outdir);
}
