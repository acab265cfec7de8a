import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { here } from './configuration.mjs';
import { failure } from './exit.mjs';
import { asRoot, nginxRights } from './user.mjs';

const longestCheckMilliseconds = 30_000;

/** Lets each program read its configuration as the serving user. @throws Exit for what is missing or wrong */
export async function check(setting) {
  checkChallenges(setting.options);
  await Promise.all([checkBatch(setting), checkVarnish(setting), checkNginx(setting), checkHaproxy(setting)]);
}

/** nginx itself finds out when it is asked for one. */
function checkChallenges({ acmeDir }) {
  try {
    if (acmeDir !== undefined) statSync(`${acmeDir}/.`);
  } catch ({ code }) {
    throw failure(`the serving user cannot reach the folder of challenges ${acmeDir}: ${code}`);
  }
}

/** A container may forbid what every process else may do. */
async function checkBatch(setting) {
  const said = await run(setting, 'chrt', [...asBatch, 'true']);
  if (said !== '') throw failure(`Varnish cannot run as a batch job: ${firstLine(said)}`);
}

/** The arguments of `chrt` before a command. */
export const asBatch = ['--batch', '0'];

/** Varnish's half of the compilation finds a missing VMOD; the C compiler's half is left to the real start. */
async function checkVarnish(setting) {
  const args = ['-C', '-j', 'none', '-p', 'cc_command=false', '-n', here, '-f', `${here}/edge.vcl`];
  const said = await run(setting, 'varnishd', args);
  const [, vmod] = /Could not find VMOD ([a-z]+)/.exec(said) ?? [];
  if (vmod !== undefined)
    throw failure(
      `the VMOD ${vmod} is missing: install the packages varnish-modules and varnish-vmod-digest (infra/edge/install does)`,
    );
  // The last message is the fault; warnings come before it.
  if (said.includes('VCC-compiler failed'))
    throw failure(
      `varnishd refuses the configuration: ${firstLine(said.split('(That was just a warning)').at(-1))}`,
    );
}

async function checkNginx(setting) {
  const rights = nginxRights(setting.options, setting.user);
  const said = await run(setting, 'nginx', ['-t', ...nginxFiles], rights);
  // Its own check leaves the Lua out.
  const loaded = await run(setting, 'nginx', nginxFiles, rights, { EDGE_NODE_CHECK: '1' });
  const module = /dlopen\(\) "[^"]*\/(ndk|ngx)_http_(?:lua_)?module\.so" failed/.test(said);
  if (module)
    throw failure(
      'nginx’s Lua module is missing: install the package libnginx-mod-http-lua (infra/edge/install does)',
    );
  if (/module 'cjson(?:\.safe)?' not found/.test(loaded))
    throw failure('the Lua module cjson is missing: install the package lua-cjson (infra/edge/install does)');
  const [, range] = /low address bits of (\S+) are meaningless/.exec(said) ?? [];
  const option = setting.options.purgeFrom.includes(range) ? 'purge-from' : 'edge-from';
  if (range !== undefined) throw failure(`--${option} ${range}: Non-zero bits beyond its length`);
  const [refused] = /\[emerg\].*/.exec(said) ?? /init_by_lua error: .*/.exec(loaded) ?? [];
  if (refused !== undefined) throw failure(`nginx refuses the configuration: ${refused}`);
}

/** The log goes to standard error until the configuration names it. */
export const nginxFiles = ['-e', 'stderr', '-c', `${here}/nginx.conf`];

async function checkHaproxy(setting) {
  const said = await run(setting, 'haproxy', ['-c', '-f', `${here}/haproxy.cfg`]);
  const [, closed] = /Impossible to get back to initial directory '(.*)'/.exec(said) ?? [];
  if (closed !== undefined)
    throw failure(`the serving user cannot reach ${closed}: a folder above it is closed`);
  const [refused] = /\[ALERT\].*/.exec(said) ?? [];
  if (refused !== undefined) throw failure(`haproxy refuses the configuration: ${refused}`);
}

/** @returns what it says on standard error */
function run({ programs, user }, name, args, rights = [], variables = {}) {
  const all = [...user.become, ...rights, '--', programs[name], ...args];
  const env = { ...process.env, ...variables };
  const options = { env, maxBuffer: 64 * 1024 * 1024, timeout: longestCheckMilliseconds };
  return new Promise((resolve) => {
    asRoot(() => execFile(programs.setpriv, all, options, (_, __, stderr) => resolve(stderr)));
  });
}

function firstLine(text) {
  return (
    text.split('\n').find((line) => !/^\s*$|^(?:Error|Warnings|Message from VCC-compiler):/.test(line)) ?? ''
  );
}
