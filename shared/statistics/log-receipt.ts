import * as z from 'zod';
import { examples } from '../http/examples.ts';

const LineError = z.object({
  line: z.int().describe('Number of the line in the batch, from 1.'),
  reason: z.string().describe('What is wrong with it.'),
});
export type LineError = z.output<typeof LineError>;

export const LogReceipt = z
  .object({
    accepted: z.int().describe('Lines that are counted.'),
    rejected: z.int().describe('Lines that could not be read, or are too old or of the future.'),
    unknownHost: z
      .int()
      .describe('Lines of hosts that no property in the edge’s scope has; they are dropped.'),
    duplicate: z
      .boolean()
      .describe('Whether the batch was seen before; the counts are those of its first time.'),
    errors: z.array(LineError).describe('The first 20 rejected lines.'),
  })
  .meta({ id: 'LogReceipt', description: 'What became of a batch of log lines.' })
  .register(examples, {
    received: {
      accepted: 2,
      rejected: 1,
      unknownHost: 0,
      duplicate: false,
      errors: [{ line: 3, reason: 'not a JSON object' }],
    },
  });
export type LogReceipt = z.output<typeof LogReceipt>;
