import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../infra/local/host/listen.ts';

/** nginx as one would have it in front of Varnish where nothing is asked of either but to serve. */
const nginxText = (dir: string, port: number) => `daemon off;
worker_processes auto;
pid ${dir}/nginx.pid;
error_log stderr crit;
events { worker_connections 4096; }
http {
  client_body_temp_path ${dir}/temporary;
  proxy_temp_path ${dir}/temporary;
  fastcgi_temp_path ${dir}/temporary;
  uwsgi_temp_path ${dir}/temporary;
  scgi_temp_path ${dir}/temporary;
  access_log ${dir}/access.log;
  keepalive_requests 100000;
  tcp_nodelay on;
  upstream varnish { server unix:${dir}/varnish.sock; keepalive 512; keepalive_requests 1000000; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_pass http://varnish;
    }
  }
}
`;

const vclOf = (origin: URL) => `vcl 4.1;
backend default { .host = "${origin.hostname}"; .port = "${origin.port}"; }
`;

export interface PlainEdge {
  readonly baseUrl: string;
  readonly pids: readonly number[];
  stop(): Promise<void>;
}

export async function startPlainEdge(originUrl: string): Promise<PlainEdge> {
  const dir = mkdtempSync(join(tmpdir(), 'cdn-plain-edge-'));
  const port = await freePort();
  chmodSync(dir, 0o755);
  mkdirSync(join(dir, 'temporary'));
  writeFileSync(join(dir, 'nginx.conf'), nginxText(dir, port));
  writeFileSync(join(dir, 'plain.vcl'), vclOf(new URL(originUrl)));
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
  const start = (name: string, ...flags: readonly string[]) => spawn(name, flags, { env, stdio: 'ignore' });
  const programs = [
    start(
      'varnishd',
      ...['-F', '-j', 'none', '-T', 'none', '-n', join(dir, 'varnish'), '-f', join(dir, 'plain.vcl')],
      ...['-a', `${join(dir, 'varnish.sock')},mode=666`, '-s', 'malloc,64m'],
    ),
    start('nginx', '-c', join(dir, 'nginx.conf')),
  ];
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    pids: programs.map(({ pid = 0 }) => pid),
    async stop() {
      const ended = programs.map((program) => once(program, 'exit'));
      for (const program of programs) program.kill('SIGTERM');
      await Promise.all(ended);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
