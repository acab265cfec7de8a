import type { IncomingMessage } from 'node:http';
import { isCacheableRequest } from '../../../../infra/edge/embedded/cacheability.ts';
import { identityOf } from '../../../../infra/edge/embedded/object-identity.ts';
import { originPath } from '../../../../infra/edge/embedded/origin-request.ts';
import { ownReply, type Reply } from '../../../../infra/edge/embedded/reply.ts';
import { type Visit, visitOf } from '../../../../infra/edge/embedded/visit.ts';
import { withBrowserTtl, withRuledHeaders } from '../../../../infra/edge/embedded/visitor-reply.ts';
import type { ConfigDocument } from '../../../../shared/edge-config/document.ts';
import { evaluate } from '../../../../shared/rule/evaluate.ts';
import { evaluatedRequest } from '../../../../shared/rule/evaluated-request.ts';
import { derivedHostname, type SentRequest } from './derived-case.ts';

/** What the twins in TypeScript make of the request. */
export function expectedVisit(document: ConfigDocument, request: SentRequest): Visit | Reply {
  const sites = { find: () => document };
  const visit = visitOf(received(request), { sites, defaultHostname: '' });
  return 'statusCode' in visit || request.scheme === 'http' ? visit : overHttps(visit, request);
}

/** The embedded edge, whose twins these are, has no TLS. What forceHttps would come to has come over https. */
function overHttps(visit: Visit, { scheme, method, target, headers }: SentRequest): Visit {
  const decoded = (text: string): string => Buffer.from(text, 'latin1').toString();
  const evaluated = evaluatedRequest({
    scheme,
    hostname: derivedHostname,
    method,
    target: decoded(target),
    headers: headers.map(([name, text]) => [name, decoded(text.trim())]),
  });
  if (!evaluated) throw new Error(`${target} was read before`);
  return { ...visit, treatment: { ...evaluate(visit.document, evaluated).treatment, forceHttps: false } };
}

/** What Varnish is told. */
export function toldOf(
  visit: Visit,
  scheme: SentRequest['scheme'],
): Readonly<Record<string, string | undefined>> {
  const { treatment, document, request } = visit;
  const [, host, target, isReduced] = JSON.parse(identityOf(visit).url);
  const isPassed =
    !isCacheableRequest(request.method ?? '', request.headers, treatment) ||
    target.split('?', 1)[0].split('/').length > 25;
  return {
    url: `/base${originPath(visit)}`,
    host,
    'x-cdn-key': [
      document.propertyId,
      host,
      isReduced ? '1' : '-',
      target,
      ...schemeOf(scheme),
      ...variantOf(visit),
    ].join(' '),
    'x-cdn-fetch': [
      treatment.cacheTtlSeconds ?? '-',
      treatment.cacheTtlOverridesOrigin ? '1' : '-',
      document.cache.staleWhileRevalidateSeconds,
      document.cache.staleIfErrorSeconds,
      `http 81 ${document.accountId} origin.example /base/`,
      derivedHostname,
    ].join(' '),
    'x-cdn-pass': isPassed ? '1' : undefined,
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-host': derivedHostname,
    'x-forwarded-proto': scheme,
  };
}

function schemeOf(scheme: SentRequest['scheme']): readonly string[] {
  return scheme === 'https' ? [scheme] : [];
}

/** In the node's form, but for escapes of slashes. */
function variantOf({ treatment: { path, requestHeaders } }: Visit): readonly string[] {
  const headers = Object.entries(requestHeaders).map(([name, value]) =>
    JSON.stringify([name.toLowerCase(), value ?? false]),
  );
  return path === null && headers.length === 0 ? [] : [path ?? '-', ...headers.sort()];
}

const internal = /^x[^a-z0-9](?:cdn|origin)[^a-z0-9]/;

/** Every header line of a name, in its order; a rule's values where it changes one. */
export function expectedLines({ treatment }: Visit, { headers }: SentRequest): readonly string[] {
  const ruled = Object.entries(treatment.requestHeaders).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  const isRuled = (name: string): boolean => ruled.some(([other]) => other === name);
  const left = headers
    .map(([name, value]) => [name.toLowerCase(), value.trim()] as const)
    .filter(([name]) => !isRuled(name) && !internal.test(name));
  const set = ruled.filter(([, value]) => value !== null);
  return [...left, ...set].map(([name, value]) => `${name}: ${value}`).sort();
}

const ofNginx = /^(?:host|connection|content-length|x-cdn-(?!set-).*|x-origin-.*|x-forwarded-.*)$/;

/** The same as Varnish got them; it drops some names from visitors, so that a rule's value comes under another one. */
export function seenLines({ rawHeaders }: IncomingMessage): readonly string[] {
  const pairs = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name.toLowerCase(), rawHeaders[index + 1] ?? ''] as const] : [],
  );
  return pairs
    .filter(([name]) => !ofNginx.test(name))
    .map(([name, value]) => `${name.replace(/^x-cdn-set-/, '')}: ${value}`)
    .sort();
}

/** What a visitor sees of a response, be it the edge's own or Varnish's. */
export function expectedHeaders(
  visit: Visit,
  own: Reply | undefined,
  varnishHeaders: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  const reply = own ?? withBrowserTtl({ ...ownReply(200, ''), headers: varnishHeaders }, visit.treatment);
  return withRuledHeaders(reply, visit.treatment).headers;
}

/** The same request as the embedded edge gets it, but for its target, which is UTF-8. */
function received({ method, target, headers }: SentRequest, hostname = derivedHostname): IncomingMessage {
  const url = Buffer.from(target, 'latin1').toString();
  const byName = Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]));
  const rawHeaders = [['Host', hostname], ...headers.map(([name, value]) => [name, value.trim()])].flat();
  return { method, url, headers: { ...byName, host: hostname }, rawHeaders } as unknown as IncomingMessage;
}
