import { Line } from '../../shared/http/text.ts';
import { UsageError } from './command.ts';

/** @throws UsageError when the flag's text is not one line of 1 to 200 characters */
export const parseLine = (flag: string, text: string): string => {
  const result = Line.safeParse(text);
  if (result.success) return result.data;
  throw new UsageError(`--${flag} ${result.error.issues[0]?.message ?? 'is not valid'}`);
};
