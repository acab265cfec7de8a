/** So long after the last of some calls the next would have come, were it not for waiting for their responses. */
const quietMilliseconds = 25;

/**
 * Counts how often a function waits for AWS. Calls are held until no more come, and then let through together: a wave. A
 * machine that is busy makes more waves of them, never fewer.
 */
export class CallWaves {
  private readonly functionName: string;
  private held: (() => void)[] = [];
  private timer: NodeJS.Timeout | undefined;
  count = 0;

  constructor(functionName: string) {
    this.functionName = functionName;
  }

  /** Holds a call of the function, and lets those of others through. */
  readonly hold = (
    _operation: string,
    _body: unknown,
    functionName: string,
  ): Promise<undefined> | undefined => {
    if (functionName !== this.functionName) return undefined;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.release(), quietMilliseconds);
    return new Promise((resolve) => this.held.push(() => resolve(undefined)));
  };

  private release(): void {
    this.count += 1;
    for (const go of this.held.splice(0)) go();
  }
}
