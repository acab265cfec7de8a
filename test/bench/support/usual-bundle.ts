import { build } from 'esbuild';

/** What a bundle is given to be, and where it goes. */
interface Bundle {
  /** Below the project's folder. */
  readonly entry: string;
  readonly outfile: string;
}

/** Bundles as esbuild does for Node unless it is told otherwise, and so as CDK's NodejsFunction does. */
export async function usualBundle({ entry, outfile }: Bundle): Promise<number> {
  const { metafile } = await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    metafile: true,
    logLevel: 'error',
  });
  return Object.values(metafile.outputs).reduce((sum, { bytes }) => sum + bytes, 0);
}
