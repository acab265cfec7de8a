import { type BuildOptions, build } from 'esbuild';

/** What is bundled: a file below the project's folder, or a text that imports some. */
export type Source = Pick<BuildOptions, 'entryPoints' | 'stdin' | 'plugins'>;

/**
 * Bundles as esbuild does for Node unless it is told otherwise, and so as CDK's NodejsFunction does.
 * @returns the bundle's bytes
 */
export async function usualBundle(source: Source, outfile: string): Promise<number> {
  const { metafile } = await build({
    ...source,
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    metafile: true,
    logLevel: 'error',
  });
  return Object.values(metafile.outputs).reduce((sum, { bytes }) => sum + bytes, 0);
}
