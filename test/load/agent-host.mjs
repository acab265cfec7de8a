import { createServer } from 'node:http';
import { ConfigAgent } from '../../infra/edge/agent/config-agent.mjs';
import { Notifications } from '../../infra/edge/agent/notifications.mjs';

const lateMilliseconds = 300;

/**
 * Edges that only hold what they are given: `agent-host.mjs '{"api":…,"isWell":…,"edges":[{"id":…,"port":…,"dir":…,
 * "token":…,"secret":…}]}'`. Tells its parent all that it applies. Of three notifications one is lost, one comes twice
 * and one late, unless it is well, or is told to be.
 */
const { api, edges, ...given } = JSON.parse(process.argv[2] ?? '{}');
const troubles = ['lost', 'twice', 'late'];
let { isWell } = given;
let notified = 0;

process.on('message', () => {
  isWell = true;
});

for (const { id, port, dir, token, secret } of edges) {
  const notifications = new Notifications(secret);
  const agent = new ConfigAgent({
    dir,
    api,
    token: () => token,
    keys: 'h,u,p,t,r',
    apply: (changes) => void process.send?.({ id, at: now(), applied: changes.map(summaryOf) }),
    // The API is away again and again.
    onError: () => undefined,
  });
  const take = (notification) => {
    if (notifications.judge(notification) === 'accepted') agent.poll();
  };
  createServer(({ method, headers }, response) => {
    if (method !== 'PURGE') return void response.end();
    const notification = {
      time: Number(headers['x-purge-time']),
      keys: String(headers['x-purge-keys']),
      signature: String(headers['x-purge-signature']),
    };
    const trouble = isWell ? undefined : troubles[notified++ % troubles.length];
    if (trouble) process.send?.({ id, trouble });
    if (trouble === 'late') setTimeout(take, lateMilliseconds, notification);
    else if (trouble !== 'lost') take(notification);
    if (trouble === 'twice') take(notification);
    response.end('{"removed":0}');
  }).listen(port, '127.0.0.1');
  agent.start();
}

function now() {
  return performance.timeOrigin + performance.now();
}

function summaryOf({ propertyId, version, document }) {
  const headers = document?.rules.flatMap(({ actions }) => actions.map(({ value }) => value));
  return { propertyId, version, content: document && [document.cache.ttlSeconds, ...headers].join(' ') };
}
