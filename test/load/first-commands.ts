import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstResponses, pasteFirstCommands } from '../support/first-commands.ts';
import { startProgram } from '../support/program.ts';

/** Whether the commands that a start prints do what they promise on a machine that has served nothing yet. */
const starts = 20;

let kept = 0;
for (let start = 1; start <= starts; start += 1) {
  const folder = mkdtempSync(join(tmpdir(), 'cdn-management-first-commands-'));
  const program = await startProgram(folder);
  const responses = await pasteFirstCommands(program.output());
  if (responses.join() === firstResponses.join()) kept += 1;
  console.log(`${start}: ${responses.join(', ')}`);
  await program.stop('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${kept} of ${starts}`);
process.exitCode = kept === starts ? 0 : 1;
