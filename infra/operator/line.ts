import { SingleLine } from '../../shared/http/text.ts';
import { parseFlag } from './command.ts';

/** @throws UsageError when the flag's text is not one line of 1 to 200 characters */
export function parseLine(flag: string, text: string): string {
  return parseFlag(flag, text, SingleLine);
}
