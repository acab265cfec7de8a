type Level = 'info' | 'warn' | 'error';

/** What a line may say beside its message; each is left out where it does not apply. */
interface LogFields {
  readonly requestId?: string | undefined;
  readonly accountId?: string | undefined;
  readonly messageId?: string | undefined;
  readonly edgeId?: string | undefined;
  readonly propertyId?: string | undefined;
  readonly purgeIds?: readonly string[];
  readonly since?: string | undefined;
  readonly reason?: string | undefined;
  /** Whatever was thrown; it is written with its stack and its cause. */
  readonly error?: unknown;
}

const write = { info: console.info, warn: console.warn, error: console.error } as const;

/**
 * Writes one line, from which an operator finds the request, the account and the place in the code. Lambda makes an event
 * of JSON of it, whose `message` is the entry, beside the time, the level and its own id of the call.
 */
export function log(level: Level, message: string, fields: LogFields = {}): void {
  write[level](logEntry(message, fields));
}

/** The entry, for those who write it somewhere else. */
export function logEntry(message: string, { error, ...fields }: LogFields): object {
  return { message, ...fields, ...(error !== undefined && { error: described(error) }) };
}

function described(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  return { name, message, stack, ...(cause !== undefined && { cause: described(cause) }) };
}
