import * as z from 'zod';
import { oneOf, SingleLine } from '../http/text.ts';
import { Seconds } from '../http/time.ts';
import { isPath } from '../property/canonical-url.ts';
import { RequestHeaderName, ResponseHeaderName } from './header-name.ts';

const redirectStatuses = [301, 302, 303, 307, 308] as const;

const visible = /^[\x21-\x7e]*$/;
const printable = /^[\x20-\x7e]*$/;

const Location = SingleLine.regex(visible, 'must hold neither spaces nor letters outside ASCII: escape them')
  .refine((text) => isPath(text) || isHttpUrl(text), 'must be an http or https URL, or a path')
  .describe('Where to: an absolute http or https URL, or a path.');

const Path = SingleLine.regex(visible, 'must hold neither spaces nor letters outside ASCII: escape them')
  .regex(/^\/[^?#]*$/, 'must be a path: begin with / and hold neither query nor fragment')
  .describe('The path that is asked of the origin instead. The query stays.');

const HeaderValue = SingleLine.regex(printable, 'must not hold letters outside ASCII').describe(
  'Value of the header, printable ASCII.',
);

const Names = z
  .array(SingleLine, 'must be an array of strings')
  .min(1, 'must hold at least one name; leave it out to ignore the whole query')
  .max(50, 'must hold at most 50 names')
  .describe('Query parameters to ignore, case counts. Without names the whole query is ignored.');

const status = z.literal(redirectStatuses, oneOf(redirectStatuses)).describe('Status of the redirect.');

const types = [
  ...['cacheTtl', 'browserTtl', 'bypassCache', 'forceHttps', 'block', 'ignoreQueryString', 'redirect'],
  ...['rewritePath', 'setRequestHeader', 'setResponseHeader', 'removeRequestHeader', 'removeResponseHeader'],
];

/** What a matching rule does; `type` decides which other fields there are. */
export const Action = z
  .discriminatedUnion(
    'type',
    [
      z.strictObject({ ...typeIs('cacheTtl', 'How long edges keep the response.'), seconds: Seconds }),
      z.strictObject({
        ...typeIs('browserTtl', 'How long browsers may keep the response.'),
        seconds: Seconds,
      }),
      z.strictObject(typeIs('bypassCache', 'Always ask the origin, and keep nothing at the edge.')),
      z.strictObject(typeIs('forceHttps', 'Redirect http to the same URL on https.')),
      z.strictObject(typeIs('block', 'Respond with 403 at the edge. Ends the evaluation.')),
      z.strictObject({
        ...typeIs('ignoreQueryString', 'Leave query parameters out of the cache’s key.'),
        names: Names.optional(),
      }),
      z.strictObject({ ...typeIs('redirect', 'Redirect. Ends the evaluation.'), location: Location, status }),
      z.strictObject({ ...typeIs('rewritePath', 'Ask the origin for another path.'), path: Path }),
      set('setRequestHeader', 'Set a header of the request to the origin.', RequestHeaderName),
      set('setResponseHeader', 'Set a header of the response to the client.', ResponseHeaderName),
      remove('removeRequestHeader', 'Take a header from the request to the origin.', RequestHeaderName),
      remove('removeResponseHeader', 'Take a header from the response to the client.', ResponseHeaderName),
    ],
    {
      error: ({ code }) => (code === 'invalid_union' ? oneOf(types) : 'must be an object with a type'),
    },
  )
  .meta({ id: 'Action', description: 'What a rule does; type decides which other fields there are.' });
export type Action = z.output<typeof Action>;

function isHttpUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

function typeIs<Type extends string>(type: Type, description: string) {
  return {
    type: z.literal(type).describe(description),
  };
}

function set<Type extends string>(type: Type, description: string, name: z.ZodType<string>) {
  return z.strictObject({ ...typeIs(type, description), name, value: HeaderValue });
}

function remove<Type extends string>(type: Type, description: string, name: z.ZodType<string>) {
  return z.strictObject({ ...typeIs(type, description), name });
}
