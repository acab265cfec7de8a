import { createHash, randomInt } from 'node:crypto';

const count = 10;
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789';
const groups = 5;
const groupLength = 5;

/** Ten codes of 25 characters out of 31, 123 bits each, in groups that people can copy. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: count }, () => Array.from({ length: groups }, group).join('-'));
}

/** What is stored of a code. Case, spaces and hyphens are as people type them. */
export function hashRecoveryCode(code: string): string {
  return createHash('sha256').update(code.toLowerCase().replace(/[\s-]/g, '')).digest('hex');
}

function group(): string {
  return Array.from({ length: groupLength }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
}
