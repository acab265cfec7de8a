import { authenticateEdge, authenticateEdgeTouches } from '../../shared/edge/authenticate-edge.ts';
import { messages } from '../../shared/ground/messages.ts';
import { touching } from '../../shared/ground/touches.ts';
import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { headerValues } from '../../shared/http/headers.ts';
import { serve } from '../../shared/http/serve.ts';
import { ingest, ingestTouches } from '../../shared/statistics/ingest.ts';
import { LogReceipt } from '../../shared/statistics/log-receipt.ts';
import { readLogRequest } from '../../shared/statistics/log-request.ts';

const lines = [
  '{"ts":"1795167000.123456","h":"www.example.com","m":"GET","u":"/","s":200,"b":512,"c":"hit","hd":"hit","ttfb":0.000061}',
  '{"ts":"1795167000.250000","h":"www.example.com","m":"GET","u":"/news","s":404,"b":90,"c":"miss","hd":"miss","ttfb":0.004210}',
];

export const endpoint = declareEndpoint({
  method: 'POST',
  path: '/api/edge/logs',
  access: 'public',
  summary: 'Send in an edge’s access log',
  description:
    'For edges only. One line is one request: ts (Unix seconds), h (host), m (method), s (status), b (bytes of the response) and hd (how the cache took part), as the edge node writes it. Each line counts in the bucket of its own time; a line older than 35 days or more than an hour in the future is rejected, and so is a purge. A batch that is sent twice within 35 days counts once: it is known by its Idempotency-Key, else by its content. After a time-out or a 5xx send the same batch again. Up to 4 MiB as sent, 32 MiB unpacked, 50,000 lines, 16 KiB a line.',
  failures: {
    unauthenticated: {
      description: 'X-Edge-Token is missing, is not known, or its edge was removed. Nothing is counted.',
      message: messages.edgeTokenUnknown,
    },
    conflict: {
      description: 'The Idempotency-Key was used with another body.',
      message: messages.keyReused,
    },
    tooLarge: {
      description:
        'The body is larger than 4 MiB, or 32 MiB unpacked, or holds more than 50,000 lines or a line longer than 16 KiB. Nothing is counted.',
      message: messages.logLinesTooMany,
    },
    unsupportedMediaType: {
      description: 'The body is neither lines of JSON nor gzip.',
      message: messages.logMediaType,
    },
  },
  rawBody: {
    mediaType: 'application/x-ndjson',
    description: 'Lines of JSON, each ended by a newline; plain, or gzip with Content-Encoding: gzip.',
    example: `${lines.join('\n')}\n`,
  },
  headers: [
    { name: 'X-Edge-Token', required: true, description: 'The edge’s token, which the operator made.' },
    {
      name: 'Idempotency-Key',
      required: false,
      description: 'Names the batch, 1 to 255 printable characters. Without it the content does.',
    },
  ],
  data: LogReceipt,
  touches: touching(authenticateEdgeTouches, ingestTouches),
});

export const handler = serve(endpoint, async ({ raw, headers, operation }) => {
  const edge = await authenticateEdge(headerValues(headers, 'x-edge-token'));
  return ingest({ edge, ...readLogRequest(raw) }, operation.startedAt);
});
