import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import * as z from 'zod';
import { LocalRunError } from '../host/local-run-error.ts';
import { forgetSources, hashSources, isMadeOf, noteSources } from './sources-hash.ts';

/** Where the bundles and the cloud assembly go. */
interface Folders {
  readonly bundles: string;
  readonly assembly: string;
}

const script = join(import.meta.dirname, 'synthesize-child.ts');

/** What the child says when it fails. */
const Failure = z.object({ message: z.string() });

/**
 * Bundles and synthesizes, unless an earlier start has done so with the same sources. It is done in a process that
 * ends: the CDK and the bundler take a gigabyte that the run must not keep.
 * @param onMaking is called where there is something to make
 * @throws LocalRunError with the reason, in one line
 */
export async function synthesizeApart({ bundles, assembly }: Folders, onMaking: () => void): Promise<void> {
  const hash = hashSources();
  if (isMadeOf(assembly, hash)) return;
  onMaking();
  forgetSources(assembly);
  const child = fork(script, [bundles, assembly]);
  let reason: string | undefined;
  child.on('message', (message) => {
    reason = Failure.parse(message).message;
  });
  const [status, signal] = await once(child, 'exit');
  if (status === 0) return noteSources(assembly, hash);
  const cause = reason ?? (signal ? `killed by ${signal}` : `status ${status}`);
  throw new LocalRunError(`The template cannot be made: ${cause.trim().replaceAll(/\s*\n\s*/g, ' ')}`);
}
