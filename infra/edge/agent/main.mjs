import { readFileSync, rmSync } from 'node:fs';
import { ConfigAgent } from './config-agent.mjs';
import { NginxMemory } from './nginx-memory.mjs';
import { notificationServer } from './notification-server.mjs';
import { Notifications } from './notifications.mjs';

/** Runs in the node's directory, beside its nginx. */
const [api] = process.argv.slice(2);
const socket = 'agent.sock';
const keys = 'h,u,p,t,r';
const repeatMilliseconds = 600_000;

const read = (name) => readFileSync(name, 'utf8');
let secret;
let notifications;

const memory = new NginxMemory('config.sock', sayNowAndThen());
const agent = new ConfigAgent({
  dir: 'config',
  api,
  token: () => read('token'),
  keys,
  onBegin: () => memory.begin(),
  apply: (changes) => memory.apply(changes),
  onReady: () => memory.ready(),
  onError: sayNowAndThen(),
});

// nginx was started anew.
process.on('SIGHUP', () => void agent.handOverAll());
process.on('SIGTERM', () => process.exit(0));
agent.start();
rmSync(socket, { force: true });
notificationServer(judge, () => void agent.poll()).listen(socket);

/** By the secret of the moment. What was judged before stays known while it is the same. */
function judge(notification) {
  const now = read('secret');
  if (now !== secret) notifications = new Notifications(now);
  secret = now;
  return notifications.judge(notification);
}

/** The same fault comes back with each poll. */
function sayNowAndThen() {
  let last = '';
  let saidAt = 0;
  return ({ message }) => {
    if (message === last && Date.now() - saidAt < repeatMilliseconds) return;
    console.error(message);
    [last, saidAt] = [message, Date.now()];
  };
}
