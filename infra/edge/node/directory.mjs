import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lock } from './directory-lock.mjs';
import { failure } from './exit.mjs';

/** Its mode and owner change, so it must be new, empty or of an earlier run: never somebody's home or /tmp. */
export function enterDirectory({ dir, listen }, user) {
  const path = dir ?? join(tmpdir(), `cdn-edge-${process.getuid()}-${listen.split(':').at(-1)}`);
  makeAndEnter(path);
  const { uid } = statSync('.');
  if (dir === undefined && !isHere(path)) throw failure(`the directory ${path} is a link of somebody’s`);
  if (![process.getuid(), user.uid].includes(uid))
    throw failure(`the directory ${path} belongs to another user`);
  if (!existsSync('edge.vcl') && readdirSync('.').length > 0)
    throw failure(`the directory ${path} holds other files: choose another --dir`);
  // Two at once would take each other's sockets.
  if (!lock('.')) throw failure(`another node is at work in ${path}`);
  chmodSync('.', 0o700);
  if (user.gid !== undefined) chownSync('.', user.uid, user.gid);
}

function makeAndEnter(path) {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    process.chdir(path);
  } catch {
    throw failure(`the directory ${path} cannot be made`);
  }
}

/** Anybody can write to /tmp, and lead a name there elsewhere. */
function isHere(path) {
  const [named, here] = [lstatSync(path), statSync('.')];
  return named.dev === here.dev && named.ino === here.ino;
}
