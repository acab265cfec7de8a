import type { SourceMap } from 'node:module';

/*
 * Stands at the beginning of each bundle, so that stacks name the lines of the sources. Node's own --enable-source-maps
 * does so too, but reads the bundle's map at each start; this reads it when the first stack is read.
 */

const bundle = import.meta.url;
let map: SourceMap | undefined;

Error.prepareStackTrace = (error, calls) =>
  [headOf(error), ...calls.map((call) => `    at ${placeOf(call)}`)].join('\n');

function headOf(error: Error): string {
  try {
    return String(error);
  } catch {
    return 'Error';
  }
}

function placeOf(call: NodeJS.CallSite): string {
  const [line, column] = [call.getLineNumber(), call.getColumnNumber()];
  if (call.getFileName() !== bundle || !line || !column) return String(call);
  map ??= readMap();
  const entry = map?.findEntry(line - 1, column - 1);
  if (!entry || !('originalSource' in entry)) return String(call);
  const { originalSource, originalLine, originalColumn } = entry;
  const place = `${originalSource.replace(/^(\.\.\/)+/, '')}:${originalLine + 1}:${originalColumn + 1}`;
  return String(call).replace(`${bundle}:${line}:${column}`, place);
}

/** Without its map a bundle's own lines are named. */
function readMap(): SourceMap | undefined {
  const { SourceMap } = process.getBuiltinModule('node:module');
  const { existsSync, readFileSync } = process.getBuiltinModule('node:fs');
  const file = new URL(`${bundle}.map`);
  return existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, 'utf8'))) : undefined;
}
