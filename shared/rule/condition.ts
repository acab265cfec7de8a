import * as z from 'zod';
import { oneOf, SingleLine } from '../http/text.ts';
import { HeaderName } from './header-name.ts';

const plainFields = ['path', 'host', 'scheme', 'method', 'extension'] as const;
const namedFields = ['query', 'cookie'] as const;
const fields = [...plainFields, ...namedFields, 'header'] as const;
const comparisons = ['equals', 'prefix', 'suffix', 'contains', 'wildcard'] as const;

const negate = z
  .boolean('must be true or false')
  .optional()
  .describe('True inverts the whole condition: it holds when none of the values matches.');

const exists = {
  operator: z.literal('exists').describe('There is one, whatever its value.'),
  negate,
};

const comparison = {
  operator: z
    .enum(comparisons)
    .describe('wildcard: * is any run of characters, ? is one; it matches the whole text.'),
  values: z
    .array(SingleLine, 'must be an array of strings')
    .min(1, 'must hold at least one value')
    .max(50, 'must hold at most 50 values')
    .describe('The condition holds when one of them matches.'),
  negate,
};

const plain = {
  field: z
    .enum(plainFields)
    .describe(
      'path: without the query, case counts; escaped or not, letters, digits and -._~ are the same, and several slashes are one, so that // alone matches no path. host, scheme, method, and extension (of the path, without its dot): in any case.',
    ),
};

const named = {
  field: z.enum(namedFields).describe('Of several with the name one that matches is enough. Case counts.'),
  name: SingleLine.describe('Name of the query parameter or cookie, case counts.'),
};

const header = {
  field: z.literal('header').describe('A header of the request; case counts in its value.'),
  name: HeaderName.describe('Name of the header, in any case.'),
};

/** `field` decides whether there is a `name`, `operator` whether there are `values`. */
export const Condition = z
  .discriminatedUnion(
    'operator',
    [
      z.discriminatedUnion(
        'field',
        [
          z.strictObject({ ...plain, ...comparison }),
          z.strictObject({ ...named, ...comparison }),
          z.strictObject({ ...header, ...comparison }),
        ],
        orAnObject(fields),
      ),
      z.discriminatedUnion(
        'field',
        [
          z.strictObject({ ...plain, ...exists }),
          z.strictObject({ ...named, ...exists }),
          z.strictObject({ ...header, ...exists }),
        ],
        orAnObject(fields),
      ),
    ],
    orAnObject([...comparisons, 'exists']),
  )
  .meta({
    id: 'Condition',
    description: 'Whether there is a name depends on field, whether there are values on operator.',
  });
export type Condition = z.output<typeof Condition>;

function orAnObject(options: readonly string[]) {
  return {
    error: ({ code }: { readonly code: string }) =>
      code === 'invalid_union' ? oneOf(options) : 'must be an object',
  };
}
