import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * Pastes the commands that a start has printed into a shell, all at once.
 * @returns what each said, in order: of the cache, of the purge's status, or as it stands
 */
export async function pasteFirstCommands(welcome: string): Promise<readonly string[]> {
  const commands = welcome.split('\n').filter((line) => line.startsWith('   '));
  const shell = promisify(execFile)('bash', ['-s']);
  shell.child.stdin?.end(`${commands.join('\n')}\n`);
  const { stdout } = await shell;
  return stdout.trim().split(/\r?\n/).map(said);
}

/** What a newcomer is promised to see. */
export const firstResponses = ['MISS', 'HIT', 'completed', 'MISS'];

function said(line: string): string {
  const [, cache] = /^x-cache: (\w+)$/i.exec(line) ?? [];
  if (cache) return cache;
  return line.startsWith('{') ? JSON.parse(line).data.status : line;
}
