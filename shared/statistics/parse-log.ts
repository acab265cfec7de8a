import { canonicalHostname } from '../property/hostname.ts';
import { dayMilliseconds, granularities } from './granularity.ts';
import { type LogLine, readLogLine } from './log-line.ts';
import type { LineError } from './log-receipt.ts';
import { addMetrics, type LogMetrics, type MetricsByDimension, type MinuteMetrics } from './metrics.ts';

/** What a batch says, before anybody knows whose hosts these are. */
export interface ParsedLog {
  readonly hosts: LogMetrics;
  readonly rejected: number;
  /** Lines whose host is no host name that a property could have. */
  readonly unnamed: number;
  readonly errors: readonly LineError[];
}

/** Counts a batch's lines by host, minute and dimension. A line that cannot be read loses no other. */
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

/** How far an edge's clock may be ahead, and how late a line may come: while its minute is kept. */
const aheadSeconds = 3_600;
const lateSeconds = (granularities.minute.keptDays * dayMilliseconds) / 1000;

const maximumErrors = 20;

/** The last minute is kept at hand, because lines come nearly in the order of time. */
interface HostLog {
  readonly minutes: MinuteMetrics;
  minute: number;
  metrics: MetricsByDimension;
}

class LogParser {
  readonly hosts = new Map<string, MinuteMetrics>();
  readonly errors: LineError[] = [];
  rejected = 0;
  unnamed = 0;
  /** By the host as lines have it. */
  private readonly logs = new Map<string, HostLog | undefined>();
  private readonly earliest: number;
  private readonly latest: number;

  constructor(receivedAt: Date) {
    const now = receivedAt.getTime() / 1000;
    this.earliest = now - lateSeconds;
    this.latest = now + aheadSeconds;
  }

  read(text: string, number: number): void {
    const line = readLogLine(text);
    if (typeof line === 'string') {
      this.reject(number, line);
      return;
    }
    const reason = this.wrongTime(line.time);
    if (reason === undefined) this.count(line);
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

  private count({ time, host, bytes, dimension }: LogLine): void {
    const log = this.logs.get(host) ?? this.canonicalise(host);
    if (!log) {
      this.unnamed += 1;
      return;
    }
    const minute = Math.floor(time / 60);
    if (log.minute !== minute) {
      log.minute = minute;
      log.metrics = log.minutes.get(minute) ?? new Map();
      log.minutes.set(minute, log.metrics);
    }
    addMetrics(log.metrics, dimension, 1, bytes);
  }

  /** Edges write the host as the client sent it: in any case, with a port, with a dot at its end. */
  private canonicalise(host: string): HostLog | undefined {
    if (this.logs.has(host)) return undefined;
    const hostname = canonicalHostname(host.replace(/:\d*$/, '').replace(/\.$/, ''));
    const log = hostname === undefined ? undefined : this.logOf(hostname);
    this.logs.set(host, log);
    return log;
  }

  private logOf(hostname: string): HostLog {
    const minutes: MinuteMetrics = this.hosts.get(hostname) ?? new Map();
    this.hosts.set(hostname, minutes);
    return { minutes, minute: Number.NaN, metrics: new Map() };
  }
}
