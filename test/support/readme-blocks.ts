import { globSync, readFileSync } from 'node:fs';

/** Every fenced block of the project's READMEs, by `FILE › HEADING › NUMBER`. */
export function readmeBlocks(): ReadonlyMap<string, string> {
  const files = ['README.md', ...globSync('{functions,infra,shared,test}/**/README.md')];
  return new Map(files.filter((file) => !file.includes('node_modules')).flatMap(blocksOf));
}

/** @throws Error for a block that the READMEs do not have */
export function readmeBlock(name: string): string {
  const code = readmeBlocks().get(name);
  if (code === undefined) throw new Error(`The READMEs have no block ${name}`);
  return code;
}

/** A fenced block is taken as a whole, so that a comment in it is no heading. */
const blockOrHeading = /^ *(```|~~~).*\n([\s\S]*?)^ *\1 *$|^#+ (.*)$/gm;

function blocksOf(file: string): readonly (readonly [name: string, code: string])[] {
  const blocks: [string, string][] = [];
  let heading = '';
  let number = 0;
  for (const [, , code, nextHeading] of readFileSync(file, 'utf8').matchAll(blockOrHeading)) {
    number = code === undefined ? 0 : number + 1;
    if (code === undefined) heading = nextHeading ?? '';
    else blocks.push([`${file} › ${heading} › ${number}`, code]);
  }
  return blocks;
}
