import { createHash, randomInt } from 'node:crypto';

const marker = 'svc_';
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!@#$%&*';
const randomLength = 28;
const prefixLength = 8;

/** Source: the specification's "API key": 32 characters, drawn without bias. */
export const generateApiKey = (): string =>
  marker + Array.from({ length: randomLength }, () => alphabet.charAt(randomInt(alphabet.length))).join('');

const pattern = /^svc_[A-Za-z0-9!@#$%&*]{28}$/;

export const isApiKey = (text: string): boolean => pattern.test(text);

/** True for a header that was meant to hold a key, so that the 401 can say where keys belong. */
export const resemblesApiKey = (text: string): boolean => new RegExp(`(?:^|[\\s=])${marker}`).test(text);

/** What is stored of a key, and what it is looked up by. */
export const hashApiKey = (apiKey: string): string => createHash('sha256').update(apiKey).digest('hex');

/** The part that stays visible after creation. */
export const apiKeyPrefix = (apiKey: string): string => apiKey.slice(0, prefixLength);
