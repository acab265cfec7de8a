import { sendRequest } from '../../shared/edge/http-client.ts';

/** Asks edges in a process of its own: `ask-edges.ts <requests to each> <url...>`; prints how many responded, and what kept a response away. */
const [requests, ...urls] = process.argv.slice(2);
const all = urls.flatMap((url) => Array.from({ length: Number(requests) }, () => url));
const outcomes = await Promise.allSettled(
  all.map((url) => sendRequest(url, { method: 'GET', path: '/', headers: {} }, 60_000)),
);
const reasons = outcomes.flatMap((outcome) =>
  outcome.status === 'rejected' ? [String(outcome.reason)] : [],
);
console.log(JSON.stringify({ responded: outcomes.length - reasons.length, reasons: [...new Set(reasons)] }));
process.exit();
