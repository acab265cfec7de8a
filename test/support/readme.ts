import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Envelope } from '../../shared/http/envelope.ts';

/** The README's blocks of code in a language. */
export function blocks(language: string): string[] {
  return [
    ...readFileSync('README.md', 'utf8').matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms')),
  ].map(([, code = '']) => code);
}

/**
 * Calls the API as the README's first examples do.
 * @param folder holds `.local`, the data directory of the run
 * @returns what each call said
 */
export async function callExamples(folder: string): Promise<readonly Envelope[]> {
  const [setUp = '', calls = ''] = blocks('bash');
  const script = setUp + calls.replaceAll('\n\n', '\necho\n');
  const { stdout } = await promisify(execFile)('bash', ['-ec', script], { cwd: folder });
  return stdout
    .trim()
    .split('\n')
    .map((line): Envelope => JSON.parse(line));
}
