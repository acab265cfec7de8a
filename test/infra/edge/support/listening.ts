import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { processTree } from '../../../support/process-tree.ts';

const listeningState = '0A';

/** Inodes of all TCP sockets that listen, with their addresses as the kernel writes them. */
function listeners(): ReadonlyMap<string, string> {
  const lines = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) =>
    readFileSync(file, 'utf8').split('\n').slice(1),
  );
  const sockets = lines
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state]) => state === listeningState);
  return new Map(sockets.map((fields) => [fields[9] ?? '', fields[1] ?? '']));
}

/** TCP addresses on which a process and its children listen, as `0100007F:1F90`: address and port in hexadecimal. */
export function listeningAddresses(pid: number): readonly string[] {
  const addresses = listeners();
  const links = processTree(pid).flatMap((process) =>
    readdirSync(`/proc/${process}/fd`).map((fd) => readlinkSync(`/proc/${process}/fd/${fd}`)),
  );
  const inodes = links.map((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? '');
  return [...new Set(inodes.flatMap((inode) => addresses.get(inode) ?? []))];
}
