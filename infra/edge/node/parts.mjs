import { openSync, readdirSync, rmSync } from 'node:fs';
import { asBatch, nginxFiles } from './checks.mjs';
import { here } from './configuration.mjs';
import { log } from './log.mjs';
import { Part } from './part.mjs';
import { asRoot, nginxRights } from './user.mjs';
import { VarnishConsole } from './varnish-console.mjs';

/**
 * What a node consists of. An agent is where the API configures it.
 * @param vcl says what Varnish runs
 */
export function partsOf({ options, programs, user }, vcl) {
  const setprivArgs = (...privileges) => [
    programs.setpriv,
    ...user.become,
    ...privileges,
    '--pdeathsig=TERM',
    '--',
  ];
  const parts = {
    haproxy: new Part({
      name: 'haproxy',
      command: [...setprivArgs(), programs.haproxy, '-W', '-db', '-f', `${here}/haproxy.cfg`],
      socket: 'haproxy.sock',
    }),
    // As a batch job it does not interrupt nginx each time it is handed a request, which would cost a sixth of a hit's CPU.
    varnish: varnish([...setprivArgs(), programs.chrt, ...asBatch, programs.varnishd], options.storage, vcl),
    nginx: new Part({
      name: 'nginx',
      command: [...setprivArgs(...nginxRights(options, user)), programs.nginx, ...nginxFiles],
      socket: 'config.sock',
      // A visitor who sends nonsense could fill the log: nginx takes it for critical.
      unsaid: /\[crit\] .*SSL_do_handshake\(\) failed .* while SSL handshaking/,
      // Its memory is empty then, and not everything may come from what the agent hands over to the one before.
      beforeRestart: () => parts.agent?.signal('SIGHUP'),
    }),
    agent: options.api === undefined ? undefined : agent(setprivArgs(), options.api),
  };
  return parts;
}

/**
 * Compiling takes most of Varnish's start, so what was compiled last is kept with what it was made of. Without
 * optimization it takes half a second less; the code mostly calls what is compiled already.
 */
const compiler = [
  'umask 077; if cmp -s %s ../compiled.c; then exec cp ../compiled.so %o; fi',
  '(%D -O0) && rm -f ../compiled.c && cp %o ../compiled.so && cp %s ../compiled.next && mv ../compiled.next ../compiled.c',
].join('; ');

/**
 * In its debugging mode it takes commands from its standard input, and ends with it. The sizes let a response have
 * 16 KB of tags and a URL have thousands of parameters.
 */
function varnish(varnishd, storage, vcl) {
  const parameters = {
    cc_command: compiler,
    workspace_backend: '1m',
    workspace_client: '512k',
    // nginx adds the canonical target, whose escapes are up to three times as long.
    http_req_hdr_len: '32k',
    http_req_size: '160k',
    http_resp_hdr_len: '32k',
    http_resp_size: '128k',
    http_max_hdr: '600',
    // Beyond it Varnish drops who waits for a thread, and a burst is faster than threads are made.
    thread_queue_limit: '5000',
    // A visitor may pause in the middle of an upload.
    timeout_idle: '60',
    vsl_mask: unloggedTags.map((name) => `-${name}`).join(','),
    vsl_buffer: '16k',
    vsl_reclen: '1k',
  };
  const part = new Part({
    name: 'varnish',
    command: [
      ...varnishd,
      ...['-d', '-j', 'none', '-T', 'none', '-n', here, '-a', `${here}/varnish.sock`],
      ...['-f', '', '-s', `malloc,${storage}`, '-s', `Transient=malloc,${transientOf(storage)}`],
      ...Object.entries(parameters).flatMap(([name, value]) => ['-p', `${name}=${value}`]),
    ],
    socket: 'varnish.sock',
    stdio: ['pipe', 'pipe', 'pipe'],
    async whenStarted(child) {
      removeLeftovers();
      part.console = new VarnishConsole(child);
      try {
        await part.console.use(vcl());
        await part.console.command('start');
      } catch (error) {
        log(part.name, error.message);
        part.signal('SIGTERM');
      }
    },
  });
  return part;
}

/** What is on its way to a slow visitor and is not stored has no more memory than what is stored, and 256 MB at least. */
function transientOf(storage) {
  const [, size, unit] = /^(\d+)(\w)$/.exec(storage);
  const megabytes = Number(size) * 1024 ** ('kmg'.indexOf(unit.toLowerCase()) - 1);
  return `${Math.max(256, Math.ceil(megabytes))}m`;
}

/** nginx writes the access log; Varnish's own, in memory, would cost a tenth of a hit's CPU, and is left with what fails and with keys. */
const unloggedTags = [
  ...['Req', 'Resp', 'Bereq', 'Beresp'].flatMap((name) => [`${name}Header`, `${name}Protocol`]),
  ...['ReqUnset', 'BereqUnset', 'BerespUnset'],
  ...[
    'ReqMethod',
    'ReqURL',
    'BereqMethod',
    'BereqURL',
    'RespStatus',
    'RespReason',
    'BerespStatus',
    'BerespReason',
  ],
  ...[
    'ReqStart',
    'ReqAcct',
    'BereqAcct',
    'Begin',
    'End',
    'Link',
    'Timestamp',
    'VCL_call',
    'VCL_return',
    'VCL_acl',
  ],
  ...[
    'Hit',
    'TTL',
    'Filters',
    'Length',
    'Storage',
    'Fetch_Body',
    'HttpGarbage',
    'SessOpen',
    'SessClose',
    'BackendOpen',
  ],
  ...['BackendReuse', 'BackendClose', 'BackendStart', 'Hash', 'PipeAcct', 'VCL_use', 'Proxy', 'Gzip'],
];

/** One that is killed leaves what it compiled. */
function removeLeftovers() {
  const names = readdirSync('.').filter((name) => name.startsWith('vcl_'));
  for (const name of names) rmSync(name, { recursive: true, force: true });
}

/** Node is run by its open file, since the way to it may be closed to the serving user. */
function agent(command, api) {
  const node = asRoot(() => openSync(process.execPath));
  const flags = ['--preserve-symlinks', '--preserve-symlinks-main'];
  return new Part({
    name: 'agent',
    command: [...command, '/proc/self/fd/3', ...flags, `${here}/agent/main.mjs`, api],
    socket: 'agent.sock',
    stdio: ['ignore', 'ignore', 'pipe', node],
  });
}
