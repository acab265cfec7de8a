import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, type BuildResult, context, formatMessages, transformSync } from 'esbuild';
import { functionSources, routes } from '../definition/functions.ts';
import { builtins } from './builtins.ts';
import { edited } from './edited.ts';
import { leavesOut } from './left-out.ts';
import { replaces } from './replaced.ts';
import { writeSwagger } from './swagger.ts';

const root = join(import.meta.dirname, '..', '..');

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
    minifySyntax: true,
    minifyWhitespace: true,
    // Node shows the line of whatever ends a process.
    lineLimit: 200,
    banner: { js: stackTraces() },
    // By this name undici knows a bundle, and leaves out its experimental parser.
    define: { esbuildDetection: 'true' },
    plugins: [builtins, leavesOut, replaces, edited],
  } satisfies BuildOptions;
}

/** In a block, so that its names are no others'. */
function stackTraces(): string {
  const source = readFileSync(join(import.meta.dirname, 'stack-traces.ts'), 'utf8');
  return `{${transformSync(source, { loader: 'ts', minify: true }).code}}`;
}

async function finish(outdir: string, { metafile, warnings }: BuildResult): Promise<void> {
  for (const text of await formatMessages(warnings, { kind: 'warning' })) console.warn(text);
  writeFileSync(join(outdir, 'meta.json'), JSON.stringify(metafile));
  writeFileSync(join(outdir, 'fallback', 'routes.json'), JSON.stringify(routes));
  writeSwagger(outdir);
}
