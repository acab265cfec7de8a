import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort, loopback } from '../host/listen.ts';
import { LocalRunError } from '../host/local-run-error.ts';

export interface LocalDatabase {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** Ends the database with this process, however that ends: standard input closes. The shell ends with the database. */
const endsWithEither = `
exec 3<&0
"$@" 3<&- & database=$!
{ cat <&3 >/dev/null; kill $database; } & watcher=$!
wait $database; status=$?
kill $watcher
exit $status`;

/**
 * Starts the embedded database on a free port.
 * @param failure is aborted when it ends without having been asked to
 * @throws LocalRunError where there is none for this platform
 */
export async function startEmbeddedDatabase(file: string, failure: AbortController): Promise<LocalDatabase> {
  const program = executable();
  const port = await freePort();
  const flags = ['serve', '--host', loopback, '--port', String(port), '--db-path', file];
  const log = `${file}.log`;
  const stderr = openSync(log, 'w');
  const child = spawn('sh', ['-c', endsWithEither, 'sh', program, ...flags], {
    stdio: ['pipe', 'ignore', stderr],
    detached: true,
  });
  const ended = once(child, 'exit');
  const fail = (status: number | null): void =>
    failure.abort(new LocalRunError(`The embedded database has ended (${cause(status)}): see ${log}.`));
  child.once('exit', fail);
  return {
    endpoint: `http://${loopback}:${port}`,
    stop: async () => {
      child.off('exit', fail);
      child.stdin?.end();
      await ended;
    },
  };
}

function executable(): string {
  try {
    const manifest = createRequire(import.meta.url).resolve('@dynoxide/linux-x64/package.json');
    return join(dirname(manifest), 'dynoxide');
  } catch {
    throw new LocalRunError(
      'No embedded database for this platform. Set DYNAMODB_ENDPOINT to a DynamoDB-compatible end point.',
    );
  }
}

/** A shell reports a child that was killed by a signal as 128 and the signal's number. */
function cause(status: number | null): string {
  const signal = Object.entries(constants.signals).find(([, code]) => status === 128 + code);
  return signal ? `killed by ${signal[0]}` : `status ${status}`;
}
