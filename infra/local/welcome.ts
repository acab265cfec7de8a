import { demoFile } from './demo/demo-file.ts';
import type { DataDirectory } from './host/data-directory.ts';
import { functionsLogName } from './host/functions-log.ts';
import type { LocalRun } from './local-run.ts';

/** What runs, how to log in, and three commands that show it: they can be pasted at once. */
export function welcome(run: LocalRun, directory: DataDirectory): string {
  const { baseUrl, edgeUrl, username, password, apiKey, propertyId, hostname } = run;
  const page = `${edgeUrl}/`;
  return [
    `Ready: API ${baseUrl}  edge ${edgeUrl}  in a browser ${baseUrl}/swagger`,
    `Log in as ${username} with the password ${password} (all credentials: ${directory.file(demoFile)})`,
    '',
    ...enabling(run, directory),
    '1. See a MISS and a HIT: the page comes from the origin, then from the cache:',
    `   curl -si -H 'Host: ${hostname}' ${page} ${page} | grep -i x-cache`,
    '2. Purge everything of the demo property, and wait until it is done:',
    `   curl -sw '\\n' -H 'X-API-Key: ${apiKey}' -H 'Content-Type: application/json' \\`,
    `     -d '{"type":"all"}' '${baseUrl}/api/property/${propertyId}/purge?wait=10'`,
    '3. See a MISS again:',
    `   curl -si -H 'Host: ${hostname}' ${page} | grep -i x-cache`,
    '',
    `Logs: ${directory.file(functionsLogName)}  stop: Ctrl-C`,
  ].join('\n');
}

function enabling({ isDisabled, accountId }: LocalRun, { path }: DataDirectory): readonly string[] {
  if (!isDisabled) return [];
  return [
    'The demo account is disabled. Enable it first:',
    `   DATA_DIR='${path}' npm run -s operator -- account enable --account ${accountId}`,
  ];
}
