import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { log } from './log.mjs';
import { asRoot } from './user.mjs';

/** Between two starts of one part. */
const leastMilliseconds = 500;
const pollMilliseconds = 10;
const groupEndMilliseconds = 1_000;

/**
 * A process of the node, in a process group of its own, which is started again whenever it ends. It ends with this
 * process, however that ends.
 */
export class Part {
  /**
   * @param command what to run, with all its arguments; `setpriv`, which runs it, stands before them
   * @param socket that it makes in the node's directory
   * @param unsaid what its lines look like that are not worth a line of the node's log
   * @param whenStarted is given each new process; may return a promise of what comes before it is up
   * @param beforeRestart is called before each start but the first
   */
  constructor({ name, command, socket, stdio, unsaid, whenStarted = () => {}, beforeRestart = () => {} }) {
    Object.assign(this, { name, command, socket, unsaid, whenStarted, beforeRestart });
    this.stdio = stdio ?? ['ignore', 'ignore', 'pipe'];
    this.isEnding = false;
  }

  start() {
    if (this.isEnding) return;
    this.startedAt = performance.now();
    rmSync(this.socket, { force: true });
    const [setpriv, ...args] = this.command;
    const child = asRoot(() => spawn(setpriv, args, { detached: true, stdio: this.stdio }));
    this.child = child;
    this.ended = new Promise((resolve) => {
      child.once('error', ({ message }) => resolve(message));
      child.once('exit', (code, signal) => resolve(signal ?? `exit ${code}`));
    });
    this.ended.then((how) => this.startAgain(how));
    createInterface({ input: child.stderr }).on('line', (line) => this.say(line));
    this.isUp = this.comesUp(this.whenStarted(child));
  }

  say(line) {
    if (!this.unsaid?.test(line)) log(this.name, line);
  }

  get isRunning() {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** @returns {Promise<boolean>} false where it ends before */
  async comesUp(started) {
    await started;
    while (this.isRunning) {
      if (await accepts(this.socket)) return true;
      await sleep(pollMilliseconds);
    }
    return false;
  }

  signal(signal) {
    if (this.isRunning) asRoot(() => this.child.kill(signal));
  }

  /** @returns {Promise<void>} resolves when nothing of it is left */
  async end(signal, limitMilliseconds) {
    this.isEnding = true;
    if (!this.child) return;
    this.signal(signal);
    const timer = setTimeout(() => this.killGroup(), limitMilliseconds);
    await this.ended;
    clearTimeout(timer);
    await this.endGroup();
  }

  async startAgain(how) {
    await this.endGroup();
    if (this.isEnding) return;
    log('run', `${this.name} has ended (${how}) and is started again`);
    await sleep(Math.max(0, this.startedAt + leastMilliseconds - performance.now()));
    if (this.isEnding) return;
    this.beforeRestart();
    this.start();
  }

  /** What is left of it would hold its port. */
  async endGroup() {
    const until = Date.now() + groupEndMilliseconds;
    this.killGroup();
    while (isAlive(this.child.pid) && Date.now() < until) await sleep(pollMilliseconds);
  }

  killGroup() {
    try {
      asRoot(() => process.kill(-this.child.pid, 'SIGKILL'));
    } catch {
      // Nothing is left of it.
    }
  }
}

/** Whether any process of a group runs; one that has ended may stay in the kernel's table for a while. */
function isAlive(group) {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return processes.some((pid) => {
    const [state, , processGroup] = statusOf(pid);
    return Number(processGroup) === group && state !== 'Z' && state !== 'X';
  });
}

/** What follows its name, which may hold anything. */
function statusOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

function accepts(socket) {
  return new Promise((resolve) => {
    const connection = createConnection(socket, () => {
      connection.destroy();
      resolve(true);
    });
    connection.once('error', () => resolve(false));
  });
}
