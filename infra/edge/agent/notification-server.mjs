import { createServer } from 'node:http';

const responses = {
  accepted: [200, { removed: 0 }],
  replayed: [200, { removed: 0 }],
  refused: [401, { message: 'the signature is not right, or not of the last 60 seconds' }],
  malformed: [400, { message: 'not a purge of this protocol' }],
};

/**
 * Responds to the API's word “poll now”, which the edge's server hands on as it came.
 * @param judge says what a notification is worth
 */
export function notificationServer(judge, onAccepted) {
  return createServer((request, response) => {
    const judgement = judged(request.headers, judge);
    const [status, body] = responses[judgement];
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    if (judgement === 'accepted') onAccepted();
  });
}

function judged(headers, judge) {
  const time = Number(headers['x-purge-time']);
  if (!Number.isInteger(time) || headers['x-purge-mode'] !== 'poll') return 'malformed';
  return judge({
    time,
    keys: headers['x-purge-keys'] ?? '',
    signature: headers['x-purge-signature'] ?? '',
  });
}
