import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { AccessLog } from './access-log.mjs';
import { Certificates } from './certificates.mjs';
import { check } from './checks.mjs';
import { configurationOf } from './configuration.mjs';
import { failure } from './exit.mjs';
import { readInputs } from './inputs.mjs';
import { log } from './log.mjs';
import { writeFiles } from './node-files.mjs';
import { partsOf } from './parts.mjs';
import { asRoot } from './user.mjs';

/** What visitors have begun may come to its end. */
const longestRequestMilliseconds = 3_000;
const endMilliseconds = 3_000;

/** Certificates with their keys, for nginx. */
const store = 'certificates';

/** nginx, Varnish, HAProxy and the agent as one. */
export class EdgeNode {
  /** @param setting the options, the programs and the serving user */
  constructor(setting) {
    this.setting = setting;
    this.parts = partsOf(setting, () => this.texts.get('edge.vcl'));
    this.accessLog = setting.options.isLogging ? new AccessLog(setting, this.parts.nginx) : undefined;
    this.certificates = setting.options.tlsListen
      ? new Certificates(setting.options.certificates, store)
      : undefined;
    this.run = { guardKey: randomBytes(16).toString('hex'), secrets: 0 };
    this.reloading = Promise.resolve();
  }

  async start() {
    const { options } = this.setting;
    const inputs = await readInputs(options);
    this.secret = inputs.secret;
    this.texts = asRoot(() => configurationOf(options, inputs, this.run));
    writeFiles(this.texts);
    await check(this.setting);
    if (this.certificates) this.certificates.begin();
    else rmSync(store, { force: true });
    this.accessLog?.begin();
    // What is asked is served from the first connection on.
    const { haproxy, varnish, nginx, agent } = this.parts;
    await startTogether(haproxy, varnish);
    await startTogether(nginx, ...(agent ? [agent] : []));
  }

  /** Secret, token and configuration as they are now; where they are wrong, everything stays as it was. */
  reload() {
    this.reloading = this.reloading
      .then(() => this.readAgain())
      .catch(({ message }) => log('run', `nothing is read again: ${message}`));
    return this.reloading;
  }

  async readAgain() {
    const { options } = this.setting;
    const inputs = await readInputs(options);
    if (inputs.secret !== this.secret) this.run.secrets += 1;
    const texts = asRoot(() => configurationOf(options, inputs, this.run));
    const isChanged = (...names) => names.some((name) => textsOf(this.texts, name) !== textsOf(texts, name));
    try {
      writeFiles(texts);
      await check(this.setting);
      if (isChanged('edge.vcl')) await this.useVcl(texts.get('edge.vcl'));
    } catch (error) {
      writeFiles(this.texts);
      throw error;
    }
    this.certificates?.tryToLook({ isSettled: true });
    this.signalOthers(isChanged);
    Object.assign(this, { texts, secret: inputs.secret });
    log('run', 'secret, token and configuration are read again');
  }

  /** First of all parts, since it alone may still refuse what it is given. */
  async useVcl(vcl) {
    const { varnish } = this.parts;
    if (!(await varnish.isUp)) throw failure('varnish has just ended; send SIGHUP again');
    await varnish.console.use(vcl);
  }

  signalOthers(isChanged) {
    const { haproxy, nginx, agent } = this.parts;
    if (isChanged('haproxy.cfg', 'authorities.pem')) haproxy.signal('SIGUSR2');
    nginx.signal('SIGHUP');
    // It reads the secret and the token whenever it needs them.
    if (isChanged('agent/')) agent?.signal('SIGTERM');
  }

  /** Visitors first, then what serves them. */
  async end() {
    this.accessLog?.end();
    this.certificates?.end();
    const { nginx, ...others } = this.parts;
    await nginx.end('SIGQUIT', longestRequestMilliseconds);
    await Promise.all(Object.values(others).map((part) => part?.end('SIGTERM', endMilliseconds)));
  }
}

async function startTogether(...parts) {
  for (const part of parts) part.start();
  await Promise.all(
    parts.map(async (part) => {
      if (!(await part.isUp)) throw failure(`${part.name} does not start`);
    }),
  );
}

function textsOf(texts, prefix) {
  return JSON.stringify([...texts].filter(([name]) => name.startsWith(prefix)));
}
