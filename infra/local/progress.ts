import type { WriteStream } from 'node:tty';

/** What a start is doing, in few words: one line that is rewritten on a terminal, a line each elsewhere. */
export class Progress {
  private readonly output: WriteStream;

  constructor(output: WriteStream) {
    this.output = output;
  }

  say(doing: string): void {
    this.clear();
    this.output.write(this.output.isTTY ? `${doing} …` : `${doing} …\n`);
  }

  /** Leaves a terminal's line to what comes next. */
  clear(): void {
    if (!this.output.isTTY) return;
    this.output.clearLine(0);
    this.output.cursorTo(0);
  }
}
