import { log } from './log.mjs';

const endOfVcl = 'END_OF_VCL';

/** Varnish's command line, on the standard input and output of its manager: so nobody else can reach it. */
export class VarnishConsole {
  constructor({ stdin, stdout }) {
    this.stdin = stdin;
    this.waiting = [];
    this.text = '';
    this.loads = 0;
    this.used = undefined;
    // It has ended, and says so elsewhere.
    stdin.on('error', () => {});
    stdout.setEncoding('latin1').on('data', (text) => this.read(text));
    stdout.once('close', () => this.close());
    // Its greeting is the first response.
    this.greeted = this.expectResponse();
  }

  /** @returns {Promise<string>} its response. @throws Error with the response of a command that fails */
  async command(text) {
    await this.greeted;
    this.stdin.write(`${text}\n`);
    return this.expectResponse();
  }

  /** Requests in flight end by the configuration before; what is stored stays. */
  async use(vcl) {
    const before = this.used;
    this.loads += 1;
    const name = `vcl${this.loads}`;
    await this.command(`vcl.inline ${name} << ${endOfVcl}\n${vcl}\n${endOfVcl}`);
    await this.command(`vcl.use ${name}`);
    this.used = name;
    if (before) await this.command(`vcl.discard ${before}`).catch(({ message }) => log('varnish', message));
  }

  expectResponse() {
    return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }));
  }

  /** A response is its status and length on a line of 13 bytes, and its text with a newline. */
  read(text) {
    this.text += text;
    for (;;) {
      const [, status, length] = /^(\d{3}) (\d+) *\n/.exec(this.text) ?? [];
      const end = 13 + Number(length) + 1;
      if (status === undefined || this.text.length < end) return;
      const response = this.text.slice(13, end - 1);
      this.text = this.text.slice(end);
      const { resolve, reject } = this.waiting.shift() ?? { resolve: () => {}, reject: () => {} };
      if (status === '200') resolve(response);
      else reject(new Error(response));
    }
  }

  close() {
    for (const { reject } of this.waiting.splice(0)) reject(new Error('varnishd has ended'));
  }
}
