import { DataDirectory, dataDirectoryPath } from './host/data-directory.ts';
import { checkPort } from './host/listen.ts';
import { LocalRunError } from './host/local-run-error.ts';
import type { LocalRun } from './local-run.ts';
import { Progress } from './progress.ts';
import { synthesizeApart } from './synthesis/synthesize-apart.ts';
import { welcome } from './welcome.ts';

const progress = new Progress(process.stdout);

main().catch((error: unknown) => {
  report(error);
  process.exit(1);
});

async function main(): Promise<void> {
  const ports = { port: port('PORT', 3000), edgePort: port('EDGE_PORT', 3001) };
  const directory = DataDirectory.open(dataDirectoryPath());
  await checkPort(ports.port, 'PORT');
  await checkPort(ports.edgePort, 'EDGE_PORT');
  const assembly = directory.file('cdk.out');
  await synthesizeApart({ bundles: directory.file('bundles'), assembly }, () =>
    progress.say('Bundling the functions, once for these sources: 5 to 30 s'),
  );
  progress.say('Starting the database, the queues, the API and the edge');
  // Loading it takes longer than a newcomer should see nothing.
  const { startLocalRun } = await import('./local-run.ts');
  const run = await startLocalRun({
    assembly,
    stackName: 'CdnManagement',
    directory,
    ...ports,
    dynamodbEndpoint: process.env.DYNAMODB_ENDPOINT,
  });
  endWith(run);
  progress.clear();
  console.log(welcome(run, directory));
}

function port(variable: string, fallback: number): number {
  const text = process.env[variable] ?? String(fallback);
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new LocalRunError(`${variable} must be a port number from 0 to 65535.`);
}

/** Ends the run at the first signal, or when it fails; a second signal does not wait. */
function endWith(run: LocalRun): void {
  let ending = false;
  const end = async (status: 0 | 1): Promise<void> => {
    if (ending) process.exit(1);
    ending = true;
    await run.stop();
    process.exit(status);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(0));
  run.failure.addEventListener('abort', () => {
    if (ending) return;
    report(run.failure.reason);
    void end(1);
  });
}

/** One line for what the person at the terminal can fix; anything else is our own fault, and shown whole. */
function report(error: unknown): void {
  progress.clear();
  console.error(error instanceof LocalRunError ? error.message : (systemRefusal(error) ?? error));
}

/** What the system refuses concerns the data directory: nothing else is written. */
function systemRefusal(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && error.code === 'ENOSPC')
    return `The disk of the data directory ${dataDirectoryPath()} is full.`;
  return 'syscall' in error ? error.message : undefined;
}
