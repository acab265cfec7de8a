import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Agent, request } from 'undici';
import type { ConfigChange } from '../../../../infra/edge/agent/config-agent.d.mts';
import { Certificates } from '../../../../infra/edge/node/certificates.mjs';
import { freePort } from '../../../../infra/local/host/listen.ts';
import { eventually } from '../../../support/eventually.ts';
import type { TlsKit } from './tls-kit.ts';

export const luaFolder = 'infra/edge/node/nginx';

interface NginxOptions {
  /** Another folder of Lua files. */
  readonly lua?: string;
  readonly workers?: number;
  readonly configMemory?: string;
  /** As a shield has it with a fixed origin, which believes everybody, or with these edges. */
  readonly edges?: 'all' | readonly string[];
  /** What a site has that is served under every name. */
  readonly fixedSite?: object;
  readonly purgers?: readonly string[];
  /** Where it is to listen for TLS, and its certificates. */
  readonly tls?: TlsKit | undefined;
}

/** What of the node's parts stands in Varnish's place. */
type Varnish = (request: IncomingMessage, response: ServerResponse) => void;

/** The node's nginx alone, between a test's visitors and what the test puts in Varnish's place. */
export class NodeNginx {
  readonly dir = mkdtempSync(join(tmpdir(), 'cdn-node-test-'));
  baseUrl = '';
  private readonly varnish;
  private readonly agent = new Agent({ connect: { socketPath: join(this.dir, 'config.sock') } });
  private child: ChildProcess | undefined;
  private output = '';

  constructor(varnish: Varnish) {
    this.varnish = createServer({ insecureHTTPParser: true, maxHeaderSize: 256 * 1024 }, varnish);
    this.varnish.keepAliveTimeout = 60_000;
  }

  async start({
    lua = luaFolder,
    workers = 1,
    configMemory = '16m',
    edges = [],
    fixedSite,
    purgers = [],
    tls,
  }: NginxOptions = {}) {
    const port = await freePort();
    this.baseUrl = `http://127.0.0.1:${port}`;
    const isKnowing = edges !== 'all' && edges.length > 0;
    const values: Readonly<Record<string, string>> = {
      LISTEN: `127.0.0.1:${port}`,
      DIR: this.dir,
      LUA: resolve(lua),
      PURGERS: purgers.map((network) => `${network} 1;`).join('\n'),
      WORKERS: String(workers),
      CONFIG_MEMORY: configMemory,
      VISIT: isKnowing ? 'edge-request' : 'visit',
      EDGES: edges === 'all' ? '' : edges.map((network) => `${network} 1;`).join('\n'),
      HEADER_BUFFERS: isKnowing ? '8 32k' : '4 8k',
      FORWARDED_FOR: edges === 'all' ? '$cdn_edge_addresses' : '$remote_addr',
      SCHEME: edges === 'all' ? '$cdn_edge_scheme' : '$scheme',
      TLS: tls ? await this.listenForTls(tls) : '',
      ACCESS_LOG: `${this.dir}/access.log edge if=$log_is_traffic`,
    };
    const template = readFileSync(join(luaFolder, 'nginx.conf'), 'utf8');
    const conf = join(this.dir, 'nginx.conf');
    writeFileSync(
      conf,
      template.replace(/@([A-Z_]+)@/g, (_, name: string) => values[name] ?? ''),
    );
    if (fixedSite) writeFileSync(join(this.dir, 'fixed-site.json'), JSON.stringify(fixedSite));
    await new Promise<void>((done) => this.varnish.listen(join(this.dir, 'varnish.sock'), done));
    // Root's workers would be another user, who may not open the sockets.
    const user = process.getuid?.() === 0 ? ['-g', 'user root;'] : [];
    this.child = spawn('/usr/sbin/nginx', ['-e', 'stderr', '-c', conf, ...user]);
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.output += text;
    });
    await eventually(
      async () => existsSync(join(this.dir, 'config.sock')) || this.output,
      (state) => state === true,
    );
  }

  /** @returns the part of the configuration that says so */
  private async listenForTls(tls: TlsKit): Promise<string> {
    new Certificates(tls.folder, join(this.dir, 'certificates')).look({ isSettled: true });
    const template = readFileSync(join(luaFolder, 'tls.conf'), 'utf8');
    return template.replace('@TLS_LISTEN@', await tls.listen());
  }

  async stop(): Promise<void> {
    if (this.child && this.child.exitCode === null) {
      this.child.kill('SIGTERM');
      await once(this.child, 'exit');
    }
    await this.agent.destroy();
    this.varnish.closeAllConnections();
    this.varnish.close();
    rmSync(this.dir, { recursive: true, force: true });
  }

  /** As the agent hands changes over; @returns the status and the text */
  async apply(changes: readonly ConfigChange[], isReady = true): Promise<readonly [number, string]> {
    const { statusCode, body } = await request('http://config/changes', {
      method: 'POST',
      dispatcher: this.agent,
      body: JSON.stringify({ changes, isReady }),
    });
    return [statusCode, await body.text()];
  }

  /** The processes that serve. */
  workers(): readonly number[] {
    const { pid } = this.child ?? {};
    if (pid === undefined) return [];
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return [...children.matchAll(/\d+/g)].map(Number);
  }

  /** What nginx complained of. */
  complaints(): string {
    return this.output;
  }

  log(): readonly string[] {
    return readFileSync(join(this.dir, 'access.log'), 'utf8').split('\n').slice(0, -1);
  }
}
