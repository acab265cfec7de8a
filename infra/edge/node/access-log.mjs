import { execFile } from 'node:child_process';
import {
  closeSync,
  existsSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { log } from './log.mjs';
import { asRoot, nginxRights } from './user.mjs';

/** A test makes it smaller. */
const fileBytes = Number(process.env.EDGE_LOG_FILE_BYTES ?? 16 * 1024 * 1024);
/** 4 GiB. */
const mostFiles = 256;
const checkMilliseconds = 250;
const reopenMilliseconds = 10;
const longestReopenMilliseconds = 10_000;

const current = 'access.log';

/**
 * nginx writes to `access.log`. Each such file has a second name `access.log.TIME.NUMBER`, by which it is sent in. It
 * gets that name when nothing writes to the one before any more: so the newest name is the file that is written to.
 */
export class AccessLog {
  constructor({ options, programs, user }, nginx) {
    // With nginx's rights, without which nobody sees what it has open.
    this.find = [programs.setpriv, ...user.become, ...nginxRights(options, user), '--', 'find', '-L'];
    this.nginx = nginx;
    this.startedAt = Math.floor(Date.now() / 1000);
    this.number = 0;
  }

  /** Before nginx is started. */
  begin() {
    // An end in the middle of a change of files has left it without its name.
    const { nlink, size } = statSync(current, { throwIfNoEntry: false }) ?? {};
    if (nlink === 1 && size > 0) this.name();
    rmSync(current, { force: true });
    closeSync(openSync(current, 'ax', 0o600));
    this.name();
    this.timer = setInterval(() => this.inspect(), checkMilliseconds);
  }

  end() {
    clearInterval(this.timer);
  }

  async inspect() {
    if (this.isChanging) return;
    this.isChanging = true;
    try {
      this.nameWhereMissing();
      if (sizeOf(current) >= fileBytes) await this.change();
    } catch (error) {
      log('run', `the access log’s file cannot be changed: ${error.message}`);
    } finally {
      this.isChanging = false;
    }
  }

  /** No line is lost: what is written meanwhile goes to the old file or to the new one, and each has a name. */
  async change() {
    unlinkSync(current);
    const until = Date.now() + longestReopenMilliseconds;
    do {
      this.nginx.signal('SIGUSR1');
      await sleep(reopenMilliseconds);
    } while (!(await this.isReopened()) && Date.now() < until);
    this.nameWhereMissing();
  }

  /** Where nginx was away while its file should change, it has made one since. */
  nameWhereMissing() {
    if (statSync(current, { throwIfNoEntry: false })?.nlink === 1) this.name();
  }

  /** Whether all of nginx's processes write to the new file. */
  async isReopened() {
    const processes = [this.nginx.child.pid, ...childrenOf(this.nginx.child.pid)];
    if (!existsSync(current)) return false;
    const [program, ...args] = this.find;
    const folders = processes.map((pid) => `/proc/${pid}/fd`);
    const found = await output(program, [...args, ...folders, '-maxdepth', '1', '-samefile', current]);
    return processes.every((pid) => found.includes(`/proc/${pid}/fd/`));
  }

  name() {
    const isNamed = () => {
      this.number += 1;
      try {
        linkSync(current, `${current}.${this.startedAt}.${String(this.number).padStart(6, '0')}`);
        return true;
      } catch (error) {
        if (error.code === 'EEXIST') return false;
        throw error;
      }
    };
    while (!isNamed());
    removeOldest();
  }
}

/** Where nobody takes the files away. */
function removeOldest() {
  const names = readdirSync('.').filter((name) => /^access\.log\.[\d.]+$/.test(name));
  for (const name of names.sort().slice(0, -mostFiles)) unlinkSync(name);
}

function sizeOf(path) {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function childrenOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  } catch {
    return [];
  }
}

function output(program, args) {
  return new Promise((resolve) => {
    asRoot(() => execFile(program, args, (_, stdout) => resolve(stdout)));
  });
}
