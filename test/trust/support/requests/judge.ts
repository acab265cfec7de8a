import { endpoints } from '../../../../functions/endpoints.ts';
import { success } from '../../../../shared/http/envelope.ts';
import { matchPath, type Route } from '../../../../shared/http/route.ts';
import { responseFaults } from '../../../support/described-responses.ts';
import { describedSchemas } from '../../../support/description.ts';
import type { Finding } from '../tally.ts';
import type { Attack } from './attack.ts';
import type { Outcome, WireRequest } from './wire.ts';

type Response = Exclude<Outcome, string>;
type Fault = readonly [finding: Finding, says: string];

const routes: readonly Route[] = Object.entries(endpoints).map(([functionName, endpoint]) => ({
  ...endpoint,
  functionName,
}));

/** Texts of the inside: stacks, files, errors by their class, services, tables and functions. */
const internal =
  /\n?\s+at \S+ \(|\b\w*(?:Error|Exception)\b|node_modules|file:\/\/|\/var\/task|\/tmp\/|\.ts:\d|\.m?js:\d|arn:aws|amazonaws|DynamoDB|CdnManagement|ConditionalCheck|TransactItems|\[object |\bundefined\b|\bNaN\b|ECONN|zod/i;

/** Everything that is wrong with the response to an attack. */
export function judge(
  attack: Attack,
  sent: WireRequest,
  response: Outcome,
  secrets: readonly string[],
): readonly Fault[] {
  if (response === 'stuck') return [['stuck', 'no response']];
  if (response === 'closed') return attack.isBroken ? [] : [['stuck', 'closed without a response']];
  const { status } = response;
  return [
    ...(status >= 500 ? [['serverErrors', String(status)] as const] : []),
    ...(attack.isRefused && status < 300 ? [['wrong', 'it was accepted'] as const] : []),
    ...leaks(sent, response, secrets),
    ...(isOutsideEnvelope(attack, sent, response) ? [] : envelopeFaults(sent, response)),
    ...acceptedFaults(sent, response),
  ];
}

function leaks(
  { headers, target, body }: WireRequest,
  response: Response,
  secrets: readonly string[],
): Fault[] {
  const received = JSON.stringify(response.headers) + response.text;
  const asked = `${JSON.stringify(headers)}${target}${body ?? ''}`;
  const inside = response.status < 300 ? undefined : internal.exec(received)?.[0];
  const repeated = secrets.flatMap(piecesOf).some((piece) => received.includes(piece));
  return [
    ...(inside && !asked.includes(inside.trim()) ? [['leaks', `it says ${inside}`] as const] : []),
    ...(repeated ? [['leaks', 'it repeats a secret'] as const] : []),
  ];
}

const pieceCharacters = 12;

/** Of a secret no part may be repeated either; the first 8 characters of a key are shown in lists. */
function piecesOf(secret: string): readonly string[] {
  return Array.from({ length: Math.floor(secret.length / 4) - 2 }, (_, index) =>
    secret.slice(index * 4, index * 4 + pieceCharacters),
  );
}

/** The gateway's own responses to broken HTTP, the page of the description, and HEAD, which has no body. */
function isOutsideEnvelope(
  { isBroken }: Attack,
  { method, target }: WireRequest,
  { status }: Response,
): boolean {
  const isPage = method === 'GET' && status === 200 && /^\/swagger/i.test(pathOf(target));
  return (
    isPage || method === 'HEAD' || (isBroken === true && [400, 408, 417, 431, 501, 505].includes(status))
  );
}

function envelopeFaults({ method, target }: WireRequest, response: Response): Fault[] {
  const path = pathOf(target);
  const { headers, envelope, status } = response;
  const fields = Object.entries(success({}));
  const isEnvelope =
    Object.keys(envelope).join() === fields.map(([name]) => name).join() &&
    fields.every(([name, value]) => typeof Reflect.get(envelope, name) === typeof value) &&
    envelope.succeeded === status < 400 &&
    envelope.succeeded === (envelope.message === '') &&
    envelope.succeeded === (envelope.data !== null);
  return [
    ...responseFaults(method, path, response).map((fault) => ['envelope', fault] as const),
    ...(isEnvelope ? [] : [['envelope', `no envelope: ${response.text.slice(0, 100)}`] as const]),
    ...(/^[\w-]{20,64}$/.test(String(headers['x-request-id']))
      ? []
      : [['envelope', 'no X-Request-Id'] as const]),
    ...(/^application\/json(; charset=utf-8)?$/.test(String(headers['content-type']))
      ? []
      : [['envelope', `Content-Type ${headers['content-type']}`] as const]),
    ...statusFaults(method, path, response),
  ];
}

/** Of what no operation describes. */
function statusFaults(method: string, path: string, { status, headers }: Response): Fault[] {
  if (routes.some((route) => route.method === method && matchPath([route], path))) return [];
  const matched = matchPath(routes, path);
  const isRoot = /^\/*$/.test(path) && method === 'GET';
  const expected = isRoot
    ? [302]
    : method === 'OPTIONS' && status !== 404
      ? [200]
      : matched
        ? [405]
        : [404, 405];
  const hasAllow = status !== 405 || /^[A-Z, ]+$/.test(String(headers.allow));
  return [
    ...(expected.includes(status) ? [] : [['wrong', `${status} where ${expected} is meant`] as const]),
    ...(hasAllow ? [] : [['wrong', '405 without Allow'] as const]),
  ];
}

let schemas: ReturnType<typeof describedSchemas> | undefined;

/** A body that was accepted is one that the description describes. */
function acceptedFaults({ method, target, body }: WireRequest, { status }: Response): Fault[] {
  const route = matchPath(routes, pathOf(target))?.routes.find((each) => each.method === method);
  if (status >= 300 || !body || !route || !endpoints[route.functionName]?.body) return [];
  schemas ??= describedSchemas();
  const place = [
    'paths',
    route.path,
    method.toLowerCase(),
    'requestBody',
    'content',
    'application/json',
    'schema',
  ];
  return schemas
    .faults(place, JSON.parse(new TextDecoder().decode(body)))
    .map((fault) => ['wrong', `a body was accepted, but ${fault}`] as const);
}

function pathOf(target: string): string {
  const path = target.replace(/^https?:\/\/[^/?]*/i, '').split('?')[0] ?? '';
  return path.startsWith('/') ? path : `/${path}`;
}
