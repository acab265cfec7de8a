const unescaped = /[^\x21-\x7e]|["#<>^`{}]/gu;
const escaped = /%[0-9a-f]{2}/gi;
/** Source: RFC 3986, section 2.3. */
const unreserved = /^[\w.~-]$/;

/** Some origins take an escaped slash or backslash for a border of segments too, and # for a part of the path. */
const dotSegment = /(?:\/|%2F|%5C)\.{1,2}(?=\/|%2F|%5C|%23|$)/;

/**
 * The path of a request as conditions see it: every spelling that an origin takes for the same is one.
 * @param target path and query as the client wrote them
 * @returns undefined for what an edge refuses, since an origin could read another path out of it: dot segments in any
 * spelling, a backslash, and what does not begin with a slash
 */
export function conditionPath(target: string): string | undefined {
  const [written = ''] = target.split('?', 1);
  if (!written.startsWith('/') || written.includes('\\')) return undefined;
  if (dotSegment.test(comparablePath(written))) return undefined;
  return comparablePath(written.replace(/#.*$/s, ''));
}

/**
 * A path, or a part of one, in the form in which a rule's value and a request meet: escapes of unreserved characters
 * decoded, the others in upper case, what browsers escape escaped, of repeated slashes one.
 */
export function comparablePath(text: string): string {
  return text
    .replace(unescaped, encodeURIComponent)
    .replace(escaped, (hex) => {
      const character = String.fromCharCode(Number.parseInt(hex.slice(1), 16));
      return unreserved.test(character) ? character : hex.toUpperCase();
    })
    .replace(/\/{2,}/g, '/');
}
