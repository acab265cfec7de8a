import { ApiError } from '../ground/api-error.ts';
import { messages } from '../ground/messages.ts';

const maximumDepth = 100;
const maximumBodyBytes = 256 * 1024;
const mediaType = /^\s*(application\/([\w.-]+\+)?json|text\/plain)\s*(;|$)/i;
const decoder = new TextDecoder('utf-8', { fatal: true });

const stringLiteral = /"(?:[^"\\]|\\.)*"/gs;
const numberLiteral = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** A missing type and text/plain are read as JSON: real CMS clients send them. */
export function requireJsonMediaType(contentTypes: readonly string[]): void {
  if (contentTypes.every((value) => value === '' || mediaType.test(value))) return;
  throw new ApiError('unsupportedMediaType', messages.bodyNotJson);
}

/** @throws ApiError `tooLarge`, or `invalid` for an empty body and for bytes that are not UTF-8 */
export function decodeText(body: string | null, isBase64Encoded: boolean): string {
  const bytes = Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > maximumBodyBytes) {
    throw new ApiError('tooLarge', messages.bodyTooLarge);
  }
  if (bytes.length === 0) throw new ApiError('invalid', messages.bodyEmpty);
  try {
    return decoder.decode(bytes);
  } catch {
    throw new ApiError('invalid', messages.bodyNotUtf8);
  }
}

/**
 * A number that changes when it is read as a double would be acted on as something the client never sent.
 * @param text valid JSON: on an endless string the search would take quadratic time
 */
export function requireExactNumbers(text: string): void {
  const literals = text.replace(stringLiteral, '""').match(numberLiteral) ?? [];
  if (literals.every(survivesAsDouble)) return;
  throw new ApiError('invalid', messages.bodyNumberInexact);
}

/**
 * What walks through a body goes as deep as the body does.
 * @param text valid JSON
 */
export function requireShallow(text: string): void {
  let depth = 0;
  for (const bracket of text.replace(stringLiteral, '').match(/[[\]{}]/g) ?? []) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1;
    if (depth > maximumDepth) throw new ApiError('invalid', messages.bodyTooDeep);
  }
}

/**
 * Of a field that is given twice JSON.parse keeps the last, and another reader might act on the first.
 * @param text valid JSON, of which `value` was parsed
 */
export function requireUniqueFields(text: string, value: unknown): void {
  const written = text.replace(stringLiteral, '').match(/:/g)?.length ?? 0;
  if (written === countFields(value)) return;
  throw new ApiError('invalid', messages.bodyFieldRepeated);
}

/** Refuses strings that no queue or database can hold, wherever they stand in a parsed body. */
export function requireTextIn(value: unknown): void {
  if (typeof value === 'string') requireText(value);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      requireText(key);
      requireTextIn(item);
    }
  }
}

function survivesAsDouble(literal: string): boolean {
  return Number.isFinite(Number(literal)) && decimalForm(String(Number(literal))) === decimalForm(literal);
}

/** Significant digits and exponent of a decimal literal, so that 1.0, 1 and 10e-1 compare equal. */
function decimalForm(literal: string): string {
  const [mantissa = '', exponent = '0'] = literal.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

function countFields(value: unknown): number {
  return typeof value === 'object' && value !== null
    ? Object.values(value).reduce<number>(
        (sum, item) => sum + countFields(item),
        Array.isArray(value) ? 0 : Object.keys(value).length,
      )
    : 0;
}

function requireText(text: string): void {
  if (text.isWellFormed() && !/[\uFFFE\uFFFF]/.test(text)) return;
  throw new ApiError('invalid', messages.bodyNotUnicode);
}
