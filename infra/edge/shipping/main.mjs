import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { lock } from '../node/directory-lock.mjs';
import { Shipper } from './ship.mjs';

const usage = 'ship-logs --dir DIR --api URL --token-file FILE [--keep MEBIBYTES]';

const end = (status, reason) => {
  console.error(`ship-logs: ${reason}`);
  process.exit(status);
};

const misuse = (reason) => end(2, `${reason}; usage: ${usage}`);

const optionsOf = () => {
  const texts = Object.fromEntries(
    ['dir', 'api', 'token-file', 'keep'].map((name) => [name, { type: 'string' }]),
  );
  try {
    return parseArgs({ options: texts }).values;
  } catch (error) {
    return misuse(error.message.split('.')[0]);
  }
};

const { dir, api, 'token-file': tokenFile, keep = '2048' } = optionsOf();
if (!dir) misuse('--dir is missing');
if (!tokenFile) misuse('--token-file is missing');
if (!/^https?:\/\/[^/?#@]+(\/[^?#]*)?$/.test(api ?? '')) misuse('--api must be http://HOST or https://HOST');
if (!/^[1-9]\d{1,7}$/.test(keep)) misuse('--keep must be a number of mebibytes, 10 or more');

try {
  accessSync(dir, constants.R_OK | constants.W_OK);
} catch {
  end(1, `the directory ${dir} cannot be read and written`);
}
try {
  accessSync(tokenFile, constants.R_OK);
} catch {
  end(1, `the token file ${tokenFile} cannot be read`);
}

// Two at once would send the same lines in different batches.
if (!lock(join(dir, 'ship-logs.lock'), 'a')) end(1, `another ship-logs is at work in ${dir}`);
const keptBytes = Number(keep) * 1024 * 1024;
new Shipper({ dir, api: api.replace(/\/+$/, ''), tokenFile, keptBytes })
  .run()
  .catch((error) => end(1, error.message));
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
