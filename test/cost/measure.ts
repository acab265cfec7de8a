import { eventually } from '../support/eventually.ts';
import type { RecordingEdge } from '../support/recording-edge.ts';
import { type CostRun, stackName } from './cost-run.ts';
import { storedBytes } from './stored-bytes.ts';
import type { Usage } from './usage.ts';

/** What is done, how often, and what was counted of it. */
export interface Measured {
  readonly name: string;
  readonly count: number;
  readonly usage: Usage;
}

interface Scenario {
  readonly name: string;
  readonly count: number;
  readonly work: () => Promise<void>;
  /** What is to be done right before, and not counted. */
  readonly before?: () => Promise<void>;
  readonly edges?: readonly RecordingEdge[];
  /** Lines of edges' logs that it sends. */
  readonly logLines?: number;
  /** Whose usage counts, by the name of the function; by default that of all but those which look after edges. */
  readonly isAskedFor?: (functionName: string) => boolean;
}

export const scheduleName = 'catch-up-schedule';
const caretakers: readonly string[] = [scheduleName, 'catch-up'];

export async function measure(
  run: CostRun,
  {
    name,
    count,
    work,
    before = async () => undefined,
    edges = [],
    logLines = 0,
    isAskedFor = (functionName) => !caretakers.includes(functionName),
  }: Scenario,
): Promise<Measured> {
  await before();
  await untilSettled(run);
  const storedBefore = await storedBytes(run.endpoints.dynamodb, stackName);
  const [requestsBefore, bytesBefore] = [requestsOf(edges), bytesOf(edges)];
  run.meter.reset();
  run.aws.calls.length = 0;
  run.cloudfront.invalidations.length = 0;
  await work();
  await untilSettled(run);
  const usage = run.meter.usage(run.aws.calls, isAskedFor, {
    logLines,
    edgeRequests: requestsOf(edges) - requestsBefore,
    edgeBytes: bytesOf(edges) - bytesBefore,
    invalidationPaths: run.cloudfront.invalidations.flatMap(({ paths }) => paths).length,
    storedBytes: (await storedBytes(run.endpoints.dynamodb, stackName)) - storedBefore,
  });
  return { name, count, usage };
}

/** Until no function is at work and no more is written, since a thread's output comes after its response. */
async function untilSettled({ meter, aws }: CostRun): Promise<void> {
  let last = '';
  await eventually(
    async () => {
      const { logBytes } = meter.usage([], () => true, nothing);
      const seen = `${logBytes} ${aws.calls.length}`;
      const isSame = seen === last;
      last = seen;
      return meter.isIdle && isSame;
    },
    (isSettled) => isSettled,
  );
}

const nothing = { edgeRequests: 0, logLines: 0, edgeBytes: 0, invalidationPaths: 0, storedBytes: 0 } as const;

function requestsOf(edges: readonly RecordingEdge[]): number {
  return edges.reduce((sum, { requests }) => sum + requests, 0);
}

function bytesOf(edges: readonly RecordingEdge[]): number {
  return edges.reduce((sum, { receivedBytes }) => sum + receivedBytes, 0);
}
