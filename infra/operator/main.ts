import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Halves the time of a start, where it comes before the imports. Not in the folder for temporary files, which is everybody's.
enableCompileCache(join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'operator'));
const { operate } = await import('./operate.ts');

const { status, stdout, stderr } = await operate(process.argv.slice(2));
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = status;
