import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type * as z from 'zod';
import { messageOf } from '../../../shared/ground/message-of.ts';
import { LocalRunError } from './local-run-error.ts';

const ownerOnly = 0o600;

/** Everything a local run keeps, in one folder that one run at a time may use. */
export class DataDirectory {
  readonly path: string;
  private readonly lock: DatabaseSync;

  private constructor(path: string, lock: DatabaseSync) {
    this.path = path;
    this.lock = lock;
  }

  /** @throws LocalRunError when the folder cannot be used or another run has it */
  static open(path: string): DataDirectory {
    const absolute = resolve(path);
    try {
      mkdirSync(absolute, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw new LocalRunError(`The data directory ${absolute} cannot be made: ${messageOf(error)}`);
    }
    return new DataDirectory(absolute, takeLock(absolute));
  }

  file(name: string): string {
    return join(this.path, name);
  }

  /** @returns undefined where there is no such file; @throws LocalRunError where it is not of the schema */
  read<Schema extends z.ZodType>(name: string, schema: Schema): z.output<Schema> | undefined {
    if (!existsSync(this.file(name))) return undefined;
    try {
      return schema.parse(JSON.parse(readFileSync(this.file(name), 'utf8')));
    } catch {
      throw new LocalRunError(
        `${this.file(name)} is broken or of another version. Remove the data directory to start afresh.`,
      );
    }
  }

  /** Whole or not at all, and readable by its owner only. */
  writeJson(name: string, value: unknown): void {
    const temporary = this.file(`${name}.new`);
    writeFileSync(temporary, `${JSON.stringify(value, null, 2)}\n`, { mode: ownerOnly });
    chmodSync(temporary, ownerOnly);
    renameSync(temporary, this.file(name));
  }

  remove(name: string): void {
    rmSync(this.file(name), { force: true });
  }

  close(): void {
    this.lock.close();
  }
}

const lockFile = 'lock.sqlite';

/** The folder that `DATA_DIR` names. */
export function dataDirectoryPath(): string {
  return process.env.DATA_DIR || '.local';
}

/** True while a local run holds the folder. */
export function isInUse(directory: string): boolean {
  if (!existsSync(join(directory, lockFile))) return false;
  try {
    takeLock(directory).close();
    return false;
  } catch {
    return true;
  }
}

/** SQLite's file lock ends with the process however that ends, so that no stale lock can stay. */
function takeLock(directory: string): DatabaseSync {
  try {
    const lock = new DatabaseSync(join(directory, lockFile));
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;');
    return lock;
  } catch (error) {
    if (/locked/.test(messageOf(error))) {
      throw new LocalRunError(
        `The data directory ${directory} is in use by another run. Set DATA_DIR to another.`,
      );
    }
    throw new LocalRunError(`The data directory ${directory} cannot be used: ${messageOf(error)}`);
  }
}
