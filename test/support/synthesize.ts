import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { hashSources, noteSources } from '../../infra/local/synthesis/sources-hash.ts';
import { buildApp, makeApp } from '../../infra/synthesize.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Removed when the tests are over. */
    folder: string;
    /** Folder of the synthesized cloud assembly. */
    assembly: string;
    /** Folder of the bundles and of esbuild's metafile. */
    bundles: string;
  }
}

/** Bundles, unless the bundles are given, and synthesizes once for all test files. */
export default async function synthesize(project: TestProject): Promise<() => void> {
  process.env.CDK_VALIDATION = 'false';
  const folder = mkdtempSync(join(tmpdir(), 'cdn-management-test-'));
  // What one process has compiled, the workers and the programs that they start need not compile again.
  process.env.NODE_COMPILE_CACHE = join(folder, 'compile-cache');
  const { TEST_BUNDLES: given } = process.env;
  const bundles = given ?? join(folder, 'bundles');
  const assembly = join(folder, 'cdk.out');
  const app = await (given ? makeApp : buildApp)({ bundles, assembly });
  app.synth();
  noteSources(assembly, hashSources());
  project.provide('folder', folder);
  project.provide('assembly', assembly);
  project.provide('bundles', bundles);
  return () => rmSync(folder, { recursive: true, force: true });
}
