import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import * as z from 'zod';

/** argon2id with 46 MiB, one pass, one lane: the strength that every new hash gets. */
const current = { memory: 47_104, passes: 1, parallelism: 1 } as const;
const tagLength = 32;
const saltBytes = 16;

const phc = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

export const NewPassword = z
  .string('must be a string')
  .min(12, 'must be at least 12 characters long')
  .max(256, 'must be at most 256 characters long')
  .describe('The password from now on.');

const derive = promisify((parameters: Argon2Parameters, done: (error: Error | null, tag: Buffer) => void) =>
  argon2('argon2id', parameters, done),
);

interface ParsedHash {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly nonce: Buffer;
  readonly tag: Buffer;
}

/** Compared with where there is no user, so that an unknown one costs the same time as a wrong password. */
const nobody: ParsedHash = { ...current, nonce: Buffer.alloc(saltBytes), tag: Buffer.alloc(tagLength) };

/** @returns a PHC string: the parameters, the salt and the tag */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(saltBytes);
  const tag = await derive({ message: password, nonce, tagLength, ...current });
  const { memory, passes, parallelism } = current;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(nonce)}$${unpadded(tag)}`;
}

export async function verifyPassword(password: string, hash: string | undefined): Promise<boolean> {
  const { tag, ...parameters } = hash === undefined ? nobody : parse(hash);
  const derived = await derive({ message: password, tagLength: tag.length, ...parameters });
  return timingSafeEqual(derived, tag) && hash !== undefined;
}

/** True for a hash that was made with other parameters than new ones are. */
export function isOutdated(hash: string): boolean {
  const { memory, passes, parallelism } = parse(hash);
  return memory !== current.memory || passes !== current.passes || parallelism !== current.parallelism;
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

function parse(hash: string): ParsedHash {
  const [, memory, passes, parallelism, salt = '', tag = ''] = phc.exec(hash) ?? [];
  if (!memory) throw new Error('a stored password hash cannot be read');
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    nonce: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
}
