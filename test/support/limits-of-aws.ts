import type { LocalFunction } from '../../infra/local/lambda/execution-environment.ts';
import { patienceVariable } from '../../shared/aws/client-settings.ts';

/** The same function, which waits for a service only as long as it does in AWS. */
export function withLimitsOfAws(source: LocalFunction): LocalFunction {
  const { [patienceVariable]: _, ...environment } = source.environment;
  return { ...source, environment };
}
