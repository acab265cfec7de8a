import { Writable } from 'node:stream';
import * as z from 'zod';
import type { Environment, MakeEnvironment } from '../../infra/local/lambda/environments.ts';
import { ExecutionEnvironment, type LocalFunction } from '../../infra/local/lambda/execution-environment.ts';
import type { AwsCall } from '../support/aws-calls.ts';
import { eventSourceRequests, sqsRequestsOf, writeUnitsOf } from './billed.ts';
import type { FunctionUsage, Usage } from './usage.ts';

const QueueEvent = z.object({ Records: z.array(z.object({ body: z.string() })) });
const ApiEvent = z.object({ httpMethod: z.string(), methodArn: z.undefined().optional() });
const ApiResult = z.object({ headers: z.record(z.string(), z.string()), body: z.string() });

interface Counted extends FunctionUsage {
  calls: number;
  messages: number;
  apiRequests: number;
  /** Those of the event source. */
  sqsRequests: number;
  logBytes: number;
  sentBytes: number;
}

/** What the meter cannot see. */
type Elsewhere = Pick<Usage, 'edgeRequests' | 'logLines' | 'invalidationPaths' | 'storedBytes'> & {
  readonly edgeBytes: number;
};

/** Counts what the functions of a run are used for: their calls, what they respond and what they log. */
export class Meter {
  private readonly functions = new Map<string, Counted>();
  private running = 0;

  /** To be given to a local run. */
  readonly makeEnvironment: MakeEnvironment = (source, log) => {
    const environment = new ExecutionEnvironment(source, this.countingLog(source, log));
    return {
      get alive() {
        return environment.alive;
      },
      invoke: (event) => this.invoke(source, environment, event),
      terminate: () => environment.terminate(),
    };
  };

  /** Whether no function is at work. */
  get isIdle(): boolean {
    return this.running === 0;
  }

  reset(): void {
    this.functions.clear();
  }

  /**
   * What the functions that are asked for have used since the last reset.
   * @param calls that functions made of AWS since then
   */
  usage(calls: readonly AwsCall[], isAskedFor: (name: string) => boolean, elsewhere: Elsewhere): Usage {
    const { edgeBytes, ...rest } = elsewhere;
    const counted = [...this.functions].filter(([name]) => isAskedFor(name));
    const made = calls.filter(({ functionName }) => isAskedFor(shortName(functionName)));
    const sum = (of: (one: Counted) => number) => sumOf(counted.map(([, one]) => of(one)));
    return {
      ...rest,
      apiRequests: sum(({ apiRequests }) => apiRequests),
      functions: Object.fromEntries(counted.map(([name, one]) => [name, functionUsage(one)])),
      writeUnits: sumOf(made.map(writeUnitsOf)),
      readUnits: sumOf(made.map(({ readUnits }) => readUnits)),
      sqsRequests: sum(({ sqsRequests }) => sqsRequests) + sumOf(made.map(sqsRequestsOf)),
      kmsRequests: made.filter(({ operation }) => operation.startsWith('kms:')).length,
      secretRequests: made.filter(({ operation }) => operation.startsWith('secretsManager:')).length,
      logBytes: sum(({ logBytes }) => logBytes),
      sentBytes: sum(({ sentBytes }) => sentBytes) + edgeBytes,
    };
  }

  private async invoke(source: LocalFunction, environment: Environment, event: unknown): Promise<unknown> {
    const counted = this.of(source);
    counted.calls += 1;
    const bodies = QueueEvent.safeParse(event).data?.Records.map(({ body }) => body) ?? [];
    counted.messages += bodies.length;
    counted.sqsRequests += eventSourceRequests(bodies);
    this.running += 1;
    try {
      const result = await environment.invoke(event);
      if (ApiEvent.safeParse(event).success) countResponse(counted, result);
      return result;
    } finally {
      this.running -= 1;
    }
  }

  /** What is written before the meter is reset may come after it. */
  private countingLog(source: LocalFunction, log: Writable): Writable {
    return new Writable({
      write: (chunk: Buffer, encoding, done) => {
        this.of(source).logBytes += chunk.length;
        log.write(chunk, encoding, done);
      },
    });
  }

  private of({ name: physicalName, memoryMegabytes }: LocalFunction): Counted {
    const name = shortName(physicalName);
    const nothing = { calls: 0, messages: 0, apiRequests: 0, sqsRequests: 0, logBytes: 0, sentBytes: 0 };
    const counted = this.functions.get(name) ?? { ...nothing, memoryMegabytes };
    this.functions.set(name, counted);
    return counted;
  }
}

function functionUsage({ calls, messages, memoryMegabytes }: Counted): FunctionUsage {
  return { calls, messages, memoryMegabytes };
}

function countResponse(counted: Counted, result: unknown): void {
  const { headers, body } = ApiResult.parse(result);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  counted.apiRequests += 1;
  counted.sentBytes += Buffer.byteLength(lines.join('')) + Buffer.byteLength(body);
}

/** Of a stack whose name has no hyphen. */
function shortName(physicalName: string): string {
  return physicalName.slice(physicalName.indexOf('-') + 1);
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}
