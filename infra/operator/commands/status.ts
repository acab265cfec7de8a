import { namesOf } from '../../../shared/ground/names.ts';
import { type QueueName, queues } from '../../../shared/ground/resources.ts';
import { physicalDeadLetterQueueName, physicalQueueName } from '../../definition/physical-names.ts';
import { queueDepth } from '../aws/queue-depth.ts';
import { tableOf } from '../text/table.ts';
import { type Command, type Context, Report } from './command.ts';
import { laggingEdges, listEdgeRows } from './edge-rows.ts';
import { purgeColumns, readPurges } from './purge-list.ts';

const purgesShown = 5;

export const status: Command = {
  summary: 'Show edges that lag, queues, failed work and last purges',
  details: `Of every lagging edge it says what to do. The last ${purgesShown} purges are shown.`,
  run: async (_, context) => {
    const found = await look(context);
    return new Report(found, (width) => textOf(found, width));
  },
};

type Found = Awaited<ReturnType<typeof look>>;

async function look({ stack, progress }: Context) {
  const [edges, depths, { purges }] = await Promise.all([
    listEdgeRows(),
    Promise.all(namesOf(queues).map((queue) => depthsOf(stack, queue))),
    readPurges({ count: purgesShown, progress }),
  ]);
  return {
    edges,
    queues: depths.map(({ deadLetters: _, ...depth }) => depth),
    deadLetters: depths.map(({ queue, deadLetters: messages }) => ({ queue, messages })),
    lastPurges: purges,
  };
}

async function depthsOf(stack: string, name: QueueName) {
  const [depth, dead] = await Promise.all([
    queueDepth(physicalQueueName(stack, name)),
    queueDepth(physicalDeadLetterQueueName(stack, name)),
  ]);
  return { queue: queues[name].name, ...depth, deadLetters: dead.waiting + dead.inWork + dead.putOff };
}

function textOf(found: Found, width: number | undefined): string {
  return [edgesText(found, width), queuesText(found, width), purgesText(found, width)].join('\n');
}

function edgesText({ edges }: Found, width: number | undefined): string {
  const lagging = edges.filter((edge) => edge.lagging);
  const state = lagging.length > 0 ? `${lagging.length} lagging` : 'none lags';
  return `Edges: ${edges.length}, ${state}\n${laggingEdges(lagging, width)}`;
}

function queuesText({ queues: depths, deadLetters }: Found, width: number | undefined): string {
  const rows = depths.map((depth, index) => ({ ...depth, failed: deadLetters[index]?.messages }));
  const columns = {
    queue: 'QUEUE',
    waiting: 'WAITING',
    inWork: 'IN WORK',
    putOff: 'PUT OFF',
    failed: 'FAILED',
  };
  const isFailing = deadLetters.some(({ messages }) => messages > 0);
  const todo = isFailing ? 'To do: purge failed shows the failed work, purge replay tries it again\n' : '';
  return tableOf(rows, columns, width) + todo;
}

function purgesText({ lastPurges }: Found, width: number | undefined): string {
  return `Last purges\n${tableOf(lastPurges, purgeColumns, width)}`;
}
