import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { bundler } from '../../infra/bundling/bundle.ts';
import { type Guard, withoutGuard } from './guard.ts';

/** What no test needs, or what is large and never changed. */
const left = new Set(['.git', 'node_modules', 'build', 'cdk.out', '.local', 'coverage']);

/** A copy of the working tree in a temporary folder, in which guards are taken out; the tree itself stays as it is. */
export class ScratchCopy {
  readonly folder = mkdtempSync(join(tmpdir(), 'cdn-management-mutation-'));
  /** Where `bundle` puts the functions. */
  readonly bundles = join(this.folder, 'build');
  private readonly bundling = bundler(this.bundles, this.folder);

  constructor() {
    cpSync('.', this.folder, { recursive: true, filter: (source) => !left.has(basename(source)) });
    symlinkSync(resolve('node_modules'), join(this.folder, 'node_modules'));
  }

  takeOut(guard: Guard): void {
    this.write(guard.file, withoutGuard(guard, this.read(guard.file)));
  }

  /** Puts a guard's file back as it stands in the working tree. */
  putBack({ file }: Guard): void {
    this.write(file, readFileSync(file, 'utf8'));
  }

  /** Bundles the functions as they stand in the copy now. */
  async bundle(): Promise<void> {
    await (await this.bundling).bundle();
  }

  /** Ends what bundles, which keeps the process alive. */
  async end(): Promise<void> {
    await (await this.bundling).end();
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  private read(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8');
  }

  private write(file: string, text: string): void {
    writeFileSync(join(this.folder, file), text);
  }
}
