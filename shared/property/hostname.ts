import { domainToASCII } from 'node:url';

const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;
const onlyDigits = /^\d+$/;
const maximumLength = 253;
const maximumUrlLength = 2_048;
const maximumNamed = 3;

/**
 * A host name in the one form in which it is stored, claimed and compared: lower-case ASCII, no port, no dot
 * at the end. International names become punycode.
 * @returns undefined for anything that is not a DNS name of two labels or more
 */
export function canonicalHostname(text: string): string | undefined {
  // Punycode of a long text takes time by the square of its length.
  const isOther = text.length > maximumLength || /[\s/:@?#%\\]/.test(text);
  const ascii = isOther ? '' : domainToASCII(text);
  const labels = ascii.split('.');
  const isName =
    ascii.length <= maximumLength && labels.length >= 2 && labels.every((part) => label.test(part));
  return isName && !onlyDigits.test(labels.at(-1) ?? '') ? ascii : undefined;
}

/** The host name in a URL, with or without its scheme, that was sent in a host name's place. */
export function hostnameInUrl(text: string): string | undefined {
  if (text.length > maximumUrlLength || !/[/\\:]/.test(text)) return undefined;
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:[/\\]/i.test(text) ? text : `https://${text}`);
  return url ? canonicalHostname(url.hostname) : undefined;
}

/** A property's host names as a refusal names them: the first few, and how many more there are. */
export function firstHostnames(hostnames: readonly string[]): string {
  const more = hostnames.length - maximumNamed;
  return hostnames.slice(0, maximumNamed).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
