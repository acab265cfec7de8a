interface Asked {
  readonly backend?: string | undefined;
  readonly shield?: string | undefined;
}
/** Varnish's template. */
export function vclOf(options: Asked & { readonly tier: 'edge' | 'shield' }): string;
/** HAProxy's template. */
export function haproxyOf(options: Asked): string;
/** @returns what replaces each placeholder by its value. @throws Error where one has none */
export function filler(values: Readonly<Record<string, string>>): (template: string) => string;
