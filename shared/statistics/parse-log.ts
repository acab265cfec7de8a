import { canonicalHostname } from '../property/hostname.ts';
import { addCount, type CellCounts } from './cell.ts';
import { dayMilliseconds, granularities } from './granularity.ts';
import { type LogLine, type MinuteCounts, readLogLine } from './log-line.ts';

export interface LineError {
  /** From 1. */
  readonly line: number;
  readonly reason: string;
}

/** What a batch says, before anybody knows whose hosts these are. */
export interface ParsedLog {
  readonly hosts: ReadonlyMap<string, MinuteCounts>;
  readonly rejected: number;
  /** Lines whose host is no host name that a property could have. */
  readonly unnamed: number;
  readonly errors: readonly LineError[];
}

/** How far an edge's clock may be ahead, and how late a line may come: while its minute is kept. */
const aheadSeconds = 3_600;
const lateSeconds = (granularities.minute.keptDays * dayMilliseconds) / 1000;

const maximumErrors = 20;

/** The last minute is kept at hand, because lines come nearly in the order of time. */
interface HostLog {
  readonly minutes: MinuteCounts;
  minute: number;
  counts: CellCounts;
}

class LogParser {
  readonly hosts = new Map<string, MinuteCounts>();
  readonly errors: LineError[] = [];
  rejected = 0;
  unnamed = 0;
  private readonly spellings = new Map<string, HostLog | undefined>();
  private readonly line: LogLine = { time: 0, host: '', bytes: 0, cell: 0 };
  private readonly earliest: number;
  private readonly latest: number;

  constructor(receivedAt: Date) {
    const now = receivedAt.getTime() / 1000;
    this.earliest = now - lateSeconds;
    this.latest = now + aheadSeconds;
  }

  read(text: string, number: number): void {
    const reason = readLogLine(text, this.line) ?? this.wrongTime(this.line.time);
    if (reason === undefined) this.count(this.line);
    else this.reject(number, reason);
  }

  private wrongTime(seconds: number): string | undefined {
    if (seconds < this.earliest) return 'ts is more than 35 days ago';
    return seconds > this.latest ? 'ts is more than an hour in the future' : undefined;
  }

  private reject(line: number, reason: string): void {
    this.rejected += 1;
    if (this.errors.length < maximumErrors) this.errors.push({ line, reason });
  }

  private count({ time, host, bytes, cell }: LogLine): void {
    const log = this.spellings.get(host) ?? this.spell(host);
    if (!log) {
      this.unnamed += 1;
      return;
    }
    const minute = Math.floor(time / 60);
    if (log.minute !== minute) {
      log.minute = minute;
      log.counts = entryOf(log.minutes, minute, () => new Map());
    }
    addCount(log.counts, cell, 1, bytes);
  }

  /** Edges write the host as the client sent it: in any case, with a port, with a dot at its end. */
  private spell(host: string): HostLog | undefined {
    if (this.spellings.has(host)) return undefined;
    const hostname = canonicalHostname(host.replace(/:\d*$/, '').replace(/\.$/, ''));
    const minutes = hostname && entryOf<MinuteCounts>(this.hosts, hostname, () => new Map());
    const log = minutes ? { minutes, minute: Number.NaN, counts: new Map() } : undefined;
    this.spellings.set(host, log);
    return log;
  }
}

/** Counts a batch's lines by host, minute and cell. A line that cannot be read loses no other. */
export function parseLog(text: string, receivedAt: Date): ParsedLog {
  const parser = new LogParser(receivedAt);
  let number = 0;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(start, end);
    start = end + 1;
    number += 1;
    if (line !== '' && line !== '\r') parser.read(line, number);
  }
  const { hosts, rejected, unnamed, errors } = parser;
  return { hosts, rejected, unnamed, errors };
}

function entryOf<Value, Key = string>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
