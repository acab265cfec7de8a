import { createHash, randomInt } from 'node:crypto';

const marker = 'svc_';
const lettersAndDigits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const symbolCharacters = '!@#$%&*';
const randomLength = 28;
const prefixLength = 8;

const pattern = /^svc_[A-Za-z0-9!@#$%&*]{28}$/;

/** What WordPress's sanitize_text_field deletes from a key that is pasted into a form. */
const escapedByte = /%[0-9a-f]{2}/i;

/**
 * Source: the specification's "API key": 32 characters, drawn without bias.
 * @param symbols false draws letters and digits only, for clients that strip the rest
 */
export function generateApiKey({ symbols = true } = {}): string {
  const alphabet = symbols ? lettersAndDigits + symbolCharacters : lettersAndDigits;
  for (;;) {
    const drawn = Array.from({ length: randomLength }, () => alphabet.charAt(randomInt(alphabet.length)));
    const text = drawn.join('');
    if (!escapedByte.test(text)) return marker + text;
  }
}

export function isApiKey(text: string): boolean {
  return pattern.test(text);
}

/** True for a header that was meant to hold a key, so that the 401 can say where keys belong. */
export function resemblesApiKey(text: string): boolean {
  return new RegExp(`(?:^|[\\s=])${marker}`).test(text);
}

/** What is stored of a key, and what it is looked up by. */
export function hashApiKey(apiKey: string): string {
  return createHash('sha256').update(apiKey).digest('hex');
}

/** The part that stays visible after creation. */
export function apiKeyPrefix(apiKey: string): string {
  return apiKey.slice(0, prefixLength);
}
