import type { HostnameOwner } from '../property/hostname-table.ts';
import { divideLog, type LogPart } from './log-parts.ts';
import type { ParsedLog } from './parse-log.ts';

/** How a batch is counted; the same each time that it is sent. */
export interface Plan {
  readonly parts: readonly LogPart[];
  /** What the parts are made of, kept where there is more than one; undefined for all hosts. */
  readonly hosts: string | undefined;
  /** Lines that are in no part, because their hosts were nobody's when the batch first came. */
  readonly dropped: number;
}

/** More would not fit into an item; then all hosts are divided, those of nobody too. */
const longestHosts = 200_000;

/**
 * Hosts of nobody take no room in the parts, since anybody can ask an edge for thousands of them.
 * @param earlier the plan's hosts, where the batch came before
 */
export function planBatch(
  log: ParsedLog,
  owners: ReadonlyMap<string, HostnameOwner>,
  earlier: Pick<Plan, 'hosts'> | undefined,
): Plan {
  const hosts = earlier ? earlier.hosts : ownedHosts(owners);
  const chosen = only(log.hosts, hosts);
  const parts = divideLog(chosen);
  const dropped = log.unnamed + linesIn(log.hosts) - linesIn(chosen);
  return { parts, hosts: parts.length > 1 ? hosts : undefined, dropped };
}

/** By spaces. */
function ownedHosts(owners: ReadonlyMap<string, HostnameOwner>): string | undefined {
  const hosts = [...owners.keys()].join(' ');
  return hosts.length <= longestHosts ? hosts : undefined;
}

function only(hosts: LogPart, chosen: string | undefined): LogPart {
  if (chosen === undefined) return hosts;
  const names = new Set(chosen.split(' '));
  return new Map([...hosts].filter(([hostname]) => names.has(hostname)));
}

function linesIn(hosts: LogPart): number {
  let lines = 0;
  for (const minutes of hosts.values())
    for (const counts of minutes.values()) for (const { requests } of counts.values()) lines += requests;
  return lines;
}
