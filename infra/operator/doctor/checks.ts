import type { Check } from './check.ts';
import { completion } from './completion.ts';
import { doubleSlash } from './double-slash.ts';
import { envelope } from './envelope.ts';
import { login } from './login.ts';
import { logs } from './logs.ts';
import { outputs } from './outputs.ts';
import { purge } from './purge.ts';
import { queues } from './queues.ts';
import { quotas } from './quotas.ts';
import { spelling } from './spelling.ts';
import { tables } from './tables.ts';

/** In the order of their lines. */
export const checks: readonly Check[] = [
  outputs,
  envelope,
  spelling,
  doubleSlash,
  login,
  purge,
  completion,
  logs,
  queues,
  quotas,
  tables,
];
