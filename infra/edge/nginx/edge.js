// What nginx's own language cannot say: which request may be stored and under which key, and who may purge.
// The njs of Debian 12 knows neither destructuring nor spread, for-of, or the prefix `node:`. Paths of files begin
// in the edge's directory, where `run` starts nginx.

// biome-ignore lint/style/useNodejsImportProtocol: unknown to njs
import crypto from 'crypto';
// biome-ignore lint/style/useNodejsImportProtocol: unknown to njs
import fs from 'fs';

const freshSeconds = 60;

const isTenant = (host) =>
  host.length <= 253 &&
  /^(?:[a-z0-9-]{1,63}\.)+(?!\d+$)[a-z0-9-]{1,63}$/.test(host) &&
  !/(?:^|\.)-|-(?:\.|$)/.test(host);

/** Whether browsers would write it just so, but for what `canonical` mends. */
const isReadable = (path, query) =>
  /^\/[A-Za-z0-9._~!$&'()*+,;=:@/|[\]%-]*$/.test(path) &&
  /^[A-Za-z0-9._~!$&()*+,;=:@/|[\]{}^`\\?%-]*$/.test(query) &&
  !/%(?![0-9A-Fa-f]{2})/.test(`${path}?${query}`) &&
  !/\/(?:\.|%2e){1,2}(?:\/|$)/i.test(path);

const upperCaseEscapes = (text) => text.replace(/%[0-9a-f]{2}/gi, (hex) => hex.toUpperCase());

/** The form that shared/edge/canonical-url.ts describes; empty for what cannot be brought into it, and is never stored. */
const canonical = (text) => {
  const border = `${text}?`.indexOf('?');
  const path = text.slice(0, border);
  const query = text.slice(border + 1);
  if (!isReadable(path, query)) return '';
  const sorted = upperCaseEscapes(query).split('&').sort().join('&');
  return upperCaseEscapes(path) + (query === '' ? '' : `?${sorted}`);
};

const target = (r) => (isTenant(r.variables.host) ? canonical(r.variables.request_uri) : '');

/** As shared/edge/cache-keys.ts makes it. */
const key = (r) => {
  const digest = crypto.createHash('sha256').update(r.variables.cdn_target).digest('hex');
  return `u/${r.variables.host}/${digest.slice(0, 32)}`;
};

/**
 * A fetch that began before a purge may bring the old content after it. Each purge makes a file longer, one of 256
 * by the URL's key; a fetch notes its length, and stores nothing when it finds another one. `run` makes the files,
 * because njs takes ten times as long to find out that one is missing.
 */
const guardFile = (name) => `guard/${name.slice(-2)}`;

const guardOf = (name) => String(fs.statSync(guardFile(name)).size);

const route = (r) => {
  if (r.method === 'PURGE') return '//purge';
  if (!/^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/.test(r.method)) return '//refuse';
  const isShared =
    /^(?:GET|HEAD)$/.test(r.method) &&
    r.headersIn.Authorization === undefined &&
    r.headersIn.Cookie === undefined;
  if (!isShared || r.variables.cdn_target === '') return '//pass';
  r.variables.cdn_guard = guardOf(r.variables.cdn_key);
  return '//lookup';
};

/** Statuses that say something of the URL and not of the moment; a part of a page, or 304, is none. */
const isStorableStatus = (status) => /\b(?:200|203|204|300|301|302|307|308|404|410)$/.test(status);

/** All lines of the header: nginx itself reads the last one only. */
const varies = (r) =>
  r.rawHeadersOut.some(
    (pair) => pair[0].toLowerCase() === 'vary' && !/^[\s,]*(?:accept-encoding[\s,]*)*$/i.test(pair[1]),
  );

/** Read when the origin's header has come; nginx itself looks after Cache-Control, Expires and Set-Cookie. */
const notStorable = (r) => {
  const isStorable =
    isStorableStatus(r.variables.upstream_status) &&
    !varies(r) &&
    guardOf(r.variables.cdn_key) === r.variables.cdn_guard;
  return isStorable ? '' : '1';
};

const age = (r) => {
  const date = Date.parse(r.variables.upstream_http_date);
  if (r.variables.cdn_cache !== 'HIT' || Number.isNaN(date)) return r.variables.upstream_http_age || '';
  const seconds = Math.max(0, Math.floor((Date.now() - date) / 1000));
  return String(seconds + (Number(r.variables.upstream_http_age) || 0));
};

const hmac = (text) => crypto.createHmac('sha256', fs.readFileSync('secret')).update(text).digest('hex');

/** Both sides are hashed once more, so that how long the comparison takes tells nothing of the right signature. */
const isSigned = (text, signature) => hmac(hmac(text)) === hmac(signature);

const isKey = (text) => /^u\/[a-z0-9.-]+\/[0-9a-f]{32}$/.test(text);

const answer = (r, status, body) => {
  r.headersOut['Content-Type'] = 'application/json';
  r.return(status, JSON.stringify(body));
};

const removeAll = async (r, keys) => {
  keys.forEach((name) => {
    fs.appendFileSync(guardFile(name), '.');
  });
  const replies = await Promise.all(keys.map((name) => r.subrequest('//remove', { args: `key=${name}` })));
  const fault = replies.find((reply) => ![200, 404, 412].includes(reply.status));
  if (fault) throw new Error(`the cache answered ${fault.status} to a purge`);
  return replies.filter((reply) => reply.status === 200).length;
};

/** The edge's side of shared/edge/purge-protocol.ts. njs joins a header that comes twice by a comma: no form allows one. */
const purge = async (r) => {
  const header = (name) => r.headersIn[`x-purge-${name}`] || '';
  const time = header('time');
  const mode = header('mode');
  const keys = header('keys');
  const named = keys === '' ? [] : keys.split(' ');
  const isOfProtocol =
    r.variables.request_uri === '/' &&
    /^\d{1,11}$/.test(time) &&
    (mode === 'check' || (mode === 'hard' && named.length > 0)) &&
    named.every(isKey);
  if (!isOfProtocol) return answer(r, 400, { message: 'not a purge that this edge can do' });
  const isFresh = Math.abs(Date.now() / 1000 - Number(time)) <= freshSeconds;
  if (!isFresh || !isSigned(`${time} ${mode} ${keys}`, header('signature')))
    return answer(r, 401, { message: 'the signature is not right, or not of the last 60 seconds' });
  const removed = await removeAll(r, mode === 'hard' ? named : []);
  return answer(r, 200, { removed });
};

export default { age, key, notStorable, purge, route, target };
