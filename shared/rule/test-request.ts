import * as z from 'zod';
import { ApiError } from '../ground/api-error.ts';
import { examples } from '../http/examples.ts';
import { quoted } from '../http/quoted.ts';
import { canonicalUrl } from '../property/canonical-url.ts';
import { firstHostnames } from '../property/hostname.ts';
import { conditionPath } from './condition-path.ts';
import { type EvaluatedRequest, evaluatedRequest, type ReceivedRequest } from './evaluated-request.ts';
import { HeaderName } from './header-name.ts';

const maximumHeaders = 100;

const HeaderValue = z
  .string('must be a string')
  .max(4_096, 'must be at most 4096 characters long')
  .regex(/^\P{Cc}*$/u, 'must not hold control characters');

const Headers = z
  .record(HeaderName, HeaderValue, {
    error: ({ code }) =>
      code === 'invalid_key' ? 'is not a header name' : 'must be an object of header names and values',
  })
  .refine((headers) => Object.keys(headers).length <= maximumHeaders, 'must hold at most 100 headers');

/** A request that a client might send to an edge. */
export const TestRequest = z
  .strictObject(
    {
      url: z
        .string('must be a string')
        .max(2_048, 'must be at most 2048 characters long')
        .regex(/^\P{Cc}*$/u, 'must not hold control characters')
        .refine(isAbsolute, { error: 'must be an absolute http or https URL', abort: true })
        .refine(
          isServed,
          'must hold no segment . or .. in its path, however it is written, and no backslash: edges refuse it',
        )
        .describe(
          'Absolute http or https URL on one of the property’s host names. It is read as it is typed: what edges refuse, dot segments and backslashes in its path, is refused here too.',
        ),
      method: z
        .string('must be a string')
        .regex(/^[A-Za-z]{1,20}$/, 'must be a method like GET')
        .default('GET')
        .describe('Method of the request.'),
      headers: Headers.default({}).describe(
        'Headers of the request, cookies included. Host is taken from the URL.',
      ),
    },
    'must be a JSON object',
  )
  .meta({ id: 'TestRequest', description: 'A request that a visitor might send.' })
  .register(examples, {
    least: { url: 'https://www.example.com/images/logo.png' },
    all: { url: 'https://www.example.com/', method: 'POST', headers: { Cookie: 'session=1' } },
  });
export type TestRequest = z.output<typeof TestRequest>;

/** @throws ApiError `invalid` for a URL on none of the host names */
export function testedRequest(
  { url, method, headers }: TestRequest,
  hostnames: readonly string[],
): EvaluatedRequest {
  const typed = typedUrl(url);
  const request = typed && evaluatedRequest({ ...typed, method, headers: Object.entries(headers) });
  if (request && hostnames.includes(request.host)) return request;
  throw new ApiError(
    'invalid',
    `Invalid request: url ${quoted(url)} must lie on one of the property’s host names (${firstHostnames(hostnames)}).`,
  );
}

/** Taken apart as it is typed, because URL parsing would resolve dot segments and turn backslashes around. */
function typedUrl(text: string): Pick<ReceivedRequest, 'scheme' | 'hostname' | 'target'> | undefined {
  const [, scheme = '', authority = '', rest = ''] =
    /^(https?):\/\/([^/?#\\]+)([^#]*)/i.exec(text.trim()) ?? [];
  const hostname = canonicalUrl(`${scheme}://${authority}/`)?.hostname;
  if (hostname === undefined) return undefined;
  return {
    scheme: scheme.toLowerCase() === 'https' ? 'https' : 'http',
    hostname,
    target: /^[/\\]/.test(rest) ? rest : `/${rest}`,
  };
}

function isAbsolute(text: string): boolean {
  return typedUrl(text) !== undefined;
}

function isServed(text: string): boolean {
  return conditionPath(typedUrl(text)?.target ?? '') !== undefined;
}
