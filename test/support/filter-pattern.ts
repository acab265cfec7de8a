/** The one form that the stack uses: a field of a JSON line that is exactly a text, without wildcards. */
const knownPattern = /^\{ \$((?:\.\w+)+) = "([^"*\\]+)" \}$/;

/**
 * What CloudWatch makes of a metric filter's pattern: whether it counts a line.
 * @throws Error for a pattern of another form
 */
export function matcherOf(pattern: string): (line: string) => boolean {
  const [, path, text] = knownPattern.exec(pattern) ?? [];
  if (!path || !text) throw new Error(`No test knows filter patterns like ${pattern}`);
  const names = path.slice(1).split('.');
  return (line) => names.reduce<unknown>(fieldOf, parsed(line)) === text;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** A line that is no JSON is counted by no such pattern. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
