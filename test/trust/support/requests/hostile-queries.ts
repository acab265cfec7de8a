import type { Endpoint } from '../../../../shared/http/endpoint.ts';
import { type Attack, plainRequest, withQuery } from './attack.ts';

const queryValues = [
  ...['', '0', '-1', '1', '2', '1.5', '1e2', '100', '101', '1000000', '1000001', '999999999', '9999999999'],
  ...['9'.repeat(300), '01', '+1', '%201'],
  ...['true', 'null', 'NaN', 'x', '%00', '%ff', '%', '%zz', '%e2%82', '%F0%9F%98%80', '%EF%BF%BE'],
  ...['%ED%A0%80', '{apiKey}', "'--", '<script>'],
  ...['2026-11-20', '2026-11-20T00:00:00Z', '1999-01-01', '2100-01-01', '2026-02-30'],
  ...['2026-13-01T00:00:00Z', '0000-00-00', '2026-11-20T25:00:00Z'],
  ...['hour', 'minute', 'day', 'status', 'completed', 'all', 'open', '__proto__', 'constructor'],
  ...['x'.repeat(4_000)],
];
const queryNames = [
  'colour',
  '__proto__',
  'constructor',
  'toString',
  '',
  '%00',
  '%ff',
  '{apiKey}',
  'x'.repeat(3_000),
  'pageNumber[]',
  'page.size',
];

/** Each parameter that any endpoint takes, with every value, and others; repeated, empty, badly encoded. */
export function oddQueries(endpoint: Endpoint): readonly Attack[] {
  const plain = plainRequest(endpoint);
  const known = Object.keys(Object(endpoint.query && Reflect.get(endpoint.query, 'shape')));
  const attack = (parameter: string, more: Partial<Attack> = {}): Attack => ({
    ...plain,
    name: `query ${parameter.slice(0, 40)}`,
    target: withQuery(plain.target, parameter),
    ...more,
  });
  const refused = known.length > 0 ? { isRefused: true as const } : {};
  return [
    ...known.flatMap((name) => queryValues.map((value) => attack(`${name}=${value}`))),
    ...known.map((name) => attack(`${name}=1&${name}=1`, refused)),
    ...known.map((name) => attack(`${name.toUpperCase()}=1`, refused)),
    ...queryNames.map((name) => attack(`${name}=1`, refused)),
    ...['&&&', '=', '?', '#x', 'a=b;c=d'].map((text) => attack(text)),
  ];
}
