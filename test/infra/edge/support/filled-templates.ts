import { readdirSync, readFileSync } from 'node:fs';

const nodeFolder = 'infra/edge/node';

/** What an operator decides, as `run` fills it in. */
export interface TemplateValues {
  readonly dir: string;
  readonly resolver?: string;
  readonly refusesPrivate?: boolean;
  readonly backend?: string;
  readonly caFile?: string;
}

export function haproxyConfiguration({
  dir,
  resolver = '',
  refusesPrivate = false,
  backend = '',
  caFile = '/etc/ssl/certs/ca-certificates.crt',
}: TemplateValues): string {
  const text = readFileSync(`${nodeFolder}/haproxy/haproxy.cfg`, 'utf8');
  return filled(text, {
    DIR: dir,
    RESOLVER: resolver,
    PRIVATE: refusesPrivate ? '1' : '0',
    BACKEND: backend,
    CA_FILE: caFile,
  });
}

export function vcl(dir: string, tier: 'edge' | 'shield'): string {
  const folder = `${nodeFolder}/varnish`;
  const generic = readdirSync(folder).filter((name) => name !== 'edge.vcl' && !name.startsWith('tier-'));
  const files = ['edge.vcl', ...generic.sort(), `tier-${tier}.vcl`];
  const text = files.map((name) => readFileSync(`${folder}/${name}`, 'utf8')).join('');
  return filled(text, { DIR: dir, TAG_HEADER: 'Surrogate-Key' });
}

function filled(text: string, values: Readonly<Record<string, string>>): string {
  return Object.entries(values).reduce(
    (result, [name, value]) => result.replaceAll(`@${name}@`, value),
    text,
  );
}
