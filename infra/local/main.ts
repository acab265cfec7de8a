import { buildApp } from '../synthesize.ts';
import { DataDirectory, dataDirectoryPath } from './data-directory.ts';
import { functionsLog, type LocalRun, startLocalRun } from './local-run.ts';
import { LocalRunError } from './local-run-error.ts';

main().catch((error: unknown) => {
  console.error(error instanceof LocalRunError ? error.message : error);
  process.exit(1);
});

async function main(): Promise<void> {
  const ports = { port: port('PORT', 3000), edgePort: port('EDGE_PORT', 3001) };
  const directory = DataDirectory.open(dataDirectoryPath());
  const assembly = directory.file('cdk.out');
  // The template is checked when it is synthesized for a deployment; here that would only delay the start.
  process.env.CDK_VALIDATION ??= 'false';
  const app = await buildApp({ bundles: directory.file('bundles'), assembly });
  app.synth();
  const run = await startLocalRun({
    assembly,
    stackName: 'CdnManagement',
    directory,
    ...ports,
    dynamodbEndpoint: process.env.DYNAMODB_ENDPOINT,
  });
  stopOnSignal(run);
  console.log(welcome(run, directory));
}

function port(variable: string, fallback: number): number {
  const text = process.env[variable] ?? String(fallback);
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new LocalRunError(`${variable} must be a port number from 0 to 65535.`);
}

/** Ends at the first signal; a second one does not wait. */
function stopOnSignal(run: LocalRun): void {
  let stopping = false;
  const stop = (): void => {
    if (stopping) process.exit(1);
    stopping = true;
    run.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
}

function welcome(
  { baseUrl, edgeUrl, apiKey, propertyId, hostname }: LocalRun,
  directory: DataDirectory,
): string {
  return [
    `Ready: API ${baseUrl}  edge ${edgeUrl}  data ${directory.path}`,
    '',
    '1. See a HIT (the first answer is a MISS, the second comes from the cache):',
    `   curl -si -H 'Host: ${hostname}' ${edgeUrl}/ | grep -i x-cache`,
    '2. Purge everything of the demo property:',
    `   curl -s -H 'X-API-Key: ${apiKey}' -H 'Content-Type: application/json' \\`,
    `     -d '{"type":"all"}' ${baseUrl}/api/property/${propertyId}/purge`,
    '3. See a MISS again:',
    `   curl -si -H 'Host: ${hostname}' ${edgeUrl}/ | grep -i x-cache`,
    '',
    `Credentials: ${directory.file('demo.json')}  logs: ${directory.file(functionsLog)}  stop: Ctrl-C`,
  ].join('\n');
}
