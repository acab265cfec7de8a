import type { Endpoint } from '../../shared/http/endpoint.ts';
import { type DescribedEndpoint, describeEndpoints } from '../openapi/described-endpoint.ts';
import type { Schema } from '../openapi/openapi.ts';

type Components = Readonly<Record<string, Schema>>;

const heading = ['| Endpoint | What it does | Takes |', '|---|---|---|'];
const tablePattern = /^\| Endpoint \|[^\n]*\n(?:\|[^\n]*\n)*/m;

/** The README with the table of its endpoints as the declarations have it. */
export function withEndpointTable(readme: string, endpoints: Readonly<Record<string, Endpoint>>): string {
  if (!tablePattern.test(readme)) throw new Error('The README has no table of endpoints');
  const { described, components } = describeEndpoints(endpoints);
  const rows = described.map((each) => rowOf(each, components));
  return readme.replace(tablePattern, () => [...heading, ...rows].map((line) => `${line}\n`).join(''));
}

function rowOf(described: DescribedEndpoint, components: Components): string {
  const { method, path, summary } = described.endpoint;
  return `| \`${method} ${path}\` | ${summary} | ${takes(described, components)} |`;
}

function takes({ endpoint, query, body }: DescribedEndpoint, components: Components): string {
  const parts = [
    query && `?${namesIn(query).join('=&')}=`,
    body && `{${bodyFields(resolved(body, components)).join(', ')}}`,
    endpoint.rawBody?.mediaType,
  ];
  return parts.flatMap((part) => (part ? [`\`${part}\``] : [])).join(' ');
}

/** A body's fields, those that may be left out with a question mark. */
function bodyFields(body: Schema): readonly string[] {
  const variants = Array.isArray(body.oneOf) ? (body.oneOf as readonly Schema[]) : [body];
  return [...new Set(variants.flatMap(namesIn))].map((name) =>
    variants.every(({ required }) => Array.isArray(required) && required.includes(name)) ? name : `${name}?`,
  );
}

function namesIn({ properties }: Schema): readonly string[] {
  return Object.keys(properties ?? {});
}

function resolved(schema: Schema, components: Components): Schema {
  const name = String(schema.$ref ?? '').replace('#/components/schemas/', '');
  return components[name] ?? schema;
}
