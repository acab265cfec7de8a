import type { Outcome } from '../../../shared/rule/outcome.ts';

export type Headers = Record<string, string | string[]>;

// An expectation is among them, because Node's server has responded to it already.
const hopByHop =
  /^(?:connection|expect|http2-settings|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/;

/** As rules change them: null removes one. */
export function changeHeaders(headers: Headers, changes: Outcome['requestHeaders']): Headers {
  const changed = Object.entries(changes).map(([name, value]) => [name.toLowerCase(), value] as const);
  const names = changed.map(([name]) => name);
  return Object.fromEntries([
    ...Object.entries(headers).filter(([name]) => !names.includes(name)),
    ...changed.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])),
  ]);
}

/** Without what holds for one connection only. */
export function endToEnd(headers: NodeJS.Dict<string | string[]>): Headers {
  const nominated = String(headers.connection ?? '')
    .toLowerCase()
    .split(/[\s,]+/);
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || hopByHop.test(name) || nominated.includes(name) ? [] : [[name, value]],
    ),
  );
}
