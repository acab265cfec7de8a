const connectionErrors = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

const throttlingErrors = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'Throttling',
  'RequestThrottled',
  'TransactionConflictException',
  'TransactionInProgressException',
  'KMSInternalException',
]);

/** True when an AWS service refused for want of capacity: the same call may succeed a moment later. */
export function isThrottled(error: unknown): boolean {
  return (
    error instanceof Error &&
    (throttlingErrors.has(error.name) || property(error, '$retryable') !== undefined)
  );
}

/** True when AWS could not be reached, broke down or throttled, as against refusing what we asked. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    isThrottled(error) ||
    error.name === 'TimeoutError' ||
    property(error, '$fault') === 'server' ||
    connectionErrors.has(String(property(error, 'code')))
  );
}

function property(error: object, name: string): unknown {
  return Reflect.get(error, name);
}
