import { execFileSync } from 'node:child_process';
import { failure } from './exit.mjs';

const name = 'vcache';
const lowPorts = 1024;
const lowPort = ['--inh-caps=-all,+net_bind_service', '--ambient-caps=-all,+net_bind_service'];

/**
 * The user that serves: as root it is the package varnish's own, with no right of root's.
 * @returns its number, and the arguments by which `setpriv` becomes it
 */
export function servingUser() {
  if (process.getuid() !== 0) return { uid: process.getuid(), become: [] };
  const [uid, gid] = ['-u', '-g'].map(idOf);
  return { uid, gid, become: [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--no-new-privs'] };
}

/** By which `setpriv` leaves nginx the right to listen on a port below 1024, where it needs it. */
export function nginxRights({ listen, tlsListen = listen }, { become }) {
  const isLow = [listen, tlsListen].some((address) => Number(address.split(':').at(-1)) < lowPorts);
  return isLow && become.length > 0 ? lowPort : [];
}

/** From here on this process may do in files what the serving user may, whose folder could lead it anywhere. */
export function layDownRights({ uid, gid }) {
  if (gid === undefined) return;
  process.setgroups([]);
  process.setegid(gid);
  process.seteuid(uid);
}

/** For what only root may: read the operator's files, and start and signal processes. @param work returns no promise */
export function asRoot(work) {
  const [uid, gid] = [process.geteuid(), process.getegid()];
  process.seteuid(process.getuid());
  process.setegid(process.getgid());
  try {
    return work();
  } finally {
    process.setegid(gid);
    process.seteuid(uid);
  }
}

function idOf(which) {
  try {
    return Number(
      execFileSync('id', [which, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    );
  } catch {
    throw failure(`the user ${name} is missing: reinstall the package varnish`);
  }
}
