import { getRandomValues } from 'node:crypto';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const timeCharacters = 10;
const randomCharacters = 16;

/** An opaque, URL-safe id whose alphabetical order is the order of making, to the millisecond; 80 random bits. */
export function newId(now: Date = new Date()): string {
  const random = getRandomValues(new Uint8Array(randomCharacters));
  return timePart(now.getTime()) + Array.from(random, (byte) => alphabet.charAt(byte % 32)).join('');
}

/** True for text that newId could have made; anything else names nothing. */
export function isId(text: string): boolean {
  return /^[0-9a-hjkmnp-tv-z]{26}$/.test(text);
}

/** Not after any id that is made from that moment on, and after all that were made before. */
export function firstIdAt(moment: Date): string {
  return timePart(moment.getTime());
}

/** When an id was made. */
export function timeOf(id: string): Date {
  const digits = [...id.slice(0, timeCharacters)];
  return new Date(digits.reduce((time, digit) => time * 32 + alphabet.indexOf(digit), 0));
}

function timePart(milliseconds: number): string {
  let rest = milliseconds;
  let text = '';
  for (let index = 0; index < timeCharacters; index += 1) {
    text = alphabet.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}
