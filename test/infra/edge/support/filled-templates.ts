import { filler, haproxyOf, vclOf } from '../../../../infra/edge/node/configuration.mjs';

/** What an operator decides, as `run` fills it in. */
export interface TemplateValues {
  readonly dir: string;
  readonly resolver?: string;
  readonly refusesPrivate?: boolean;
  readonly backend?: string | undefined;
  /** ADDRESS:PORT of the shield that is asked. */
  readonly shield?: string | undefined;
  /** What HAProxy's line of the shield says beside. */
  readonly shieldTls?: string;
  readonly caFile?: string;
}

export function haproxyConfiguration({
  dir,
  resolver = '',
  refusesPrivate = false,
  backend,
  shield,
  shieldTls = '',
  caFile = '/etc/ssl/certs/ca-certificates.crt',
}: TemplateValues): string {
  const fill = filler({
    DIR: dir,
    RESOLVER: resolver,
    PRIVATE: refusesPrivate ? '1' : '0',
    BACKEND: backend ?? '',
    SHIELD: shield ?? '',
    SHIELD_TLS: shieldTls,
    CA_FILE: caFile,
  });
  return fill(haproxyOf({ backend, shield }));
}

export function vcl(dir: string, tier: 'edge' | 'shield', shield?: string): string {
  return filler({ DIR: dir, TAG_HEADER: 'Surrogate-Key' })(vclOf({ tier, shield }));
}
