import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** Runs an agent that is killed at the given step of its work on the disk, in the middle of a write too. */
const [dir, api, killAt] = process.argv.slice(2);
let steps = 0;

const killHere = () => {
  steps += 1;
  if (steps === Number(killAt)) process.kill(process.pid, 'SIGKILL');
};
const mortal =
  (act) =>
  (...args) => {
    killHere();
    return act(...args);
  };

const { open, rename, rm } = fs.promises;
fs.promises.rename = mortal(rename);
fs.promises.rm = mortal(rm);
fs.promises.open = async (...args) => {
  killHere();
  const handle = await open(...args);
  const { writeFile, sync } = handle;
  handle.sync = mortal(sync.bind(handle));
  handle.writeFile = async (text) => {
    steps += 1;
    if (steps === Number(killAt)) fs.writeSync(handle.fd, text.slice(0, text.length / 2));
    if (steps === Number(killAt)) process.kill(process.pid, 'SIGKILL');
    await writeFile.call(handle, text);
  };
  return handle;
};
syncBuiltinESMExports();

const { ConfigAgent } = await import('../../../../infra/edge/agent/config-agent.mjs');
const agent = new ConfigAgent({
  dir,
  api,
  token: () => 'edge_token',
  keys: 'h,u,p,t,r',
  apply: (changes) => {
    const versions = changes.map(({ propertyId, version, document }) => [propertyId, document && version]);
    fs.writeSync(1, `${JSON.stringify(versions)}\n`);
    killHere();
  },
});
agent.start();
await agent.poll();
await agent.stop();
fs.writeSync(1, `${JSON.stringify({ steps })}\n`);
