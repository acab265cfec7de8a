import { readdirSync, readFileSync } from 'node:fs';

const nodeFolder = 'infra/edge/node';

/** What an operator decides, as `run` fills it in. */
export interface TemplateValues {
  readonly dir: string;
  readonly resolver?: string;
  readonly refusesPrivate?: boolean;
  readonly backend?: string;
  /** ADDRESS:PORT of the shield that is asked. */
  readonly shield?: string;
  /** What HAProxy's line of the shield says beside. */
  readonly shieldTls?: string;
  readonly caFile?: string;
}

export function haproxyConfiguration({
  dir,
  resolver = '',
  refusesPrivate = false,
  backend = '',
  shield = '',
  shieldTls = '',
  caFile = '/etc/ssl/certs/ca-certificates.crt',
}: TemplateValues): string {
  const asked = backend ? 'backend' : shield ? 'shield' : 'origins';
  const files = ['haproxy.cfg', `asks-${asked}.cfg`];
  const text = files.map((name) => readFileSync(`${nodeFolder}/haproxy/${name}`, 'utf8')).join('');
  return filled(text, {
    DIR: dir,
    RESOLVER: resolver,
    PRIVATE: refusesPrivate ? '1' : '0',
    BACKEND: backend,
    SHIELD: shield,
    SHIELD_TLS: shieldTls,
    CA_FILE: caFile,
  });
}

export function vcl(dir: string, tier: 'edge' | 'shield', asked: 'origins' | 'shield'): string {
  const folder = `${nodeFolder}/varnish`;
  const generic = readdirSync(folder).filter((name) => name !== 'edge.vcl' && !/^(?:tier|asks)-/.test(name));
  const files = ['edge.vcl', ...generic.sort(), `asks-${asked}.vcl`, `tier-${tier}.vcl`];
  const text = files.map((name) => readFileSync(`${folder}/${name}`, 'utf8')).join('');
  return filled(text, { DIR: dir, TAG_HEADER: 'Surrogate-Key' });
}

function filled(text: string, values: Readonly<Record<string, string>>): string {
  return Object.entries(values).reduce(
    (result, [name, value]) => result.replaceAll(`@${name}@`, value),
    text,
  );
}
