import { enterDirectory } from './directory.mjs';
import { EdgeNode } from './edge-node.mjs';
import { Exit } from './exit.mjs';
import { checkAddress } from './listen-address.mjs';
import { optionsOf } from './options.mjs';
import { findPrograms } from './programs.mjs';
import { layDownRights, servingUser } from './user.mjs';

process.umask(0o077);
let node;
let isEnding = false;

// One that comes before the start is over waits for it.
process.on('SIGHUP', () => void started.then(() => isEnding || node.reload()));
const started = start().catch((error) => {
  if (isEnding) return;
  console.error(error instanceof Exit ? `run: ${error.message}` : error);
  end(error.status ?? 1);
});

async function start() {
  const options = optionsOf(process.argv.slice(2));
  const programs = findPrograms();
  const user = servingUser();
  enterDirectory(options, user);
  await checkAddress('listen', options.listen);
  if (options.tlsListen !== undefined) await checkAddress('tls-listen', options.tlsListen);
  layDownRights(user);
  node = new EdgeNode({ options, programs, user });
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => void end(0));
  await node.start();
}

async function end(status) {
  if (isEnding) return;
  isEnding = true;
  await node?.end();
  process.exit(status);
}
