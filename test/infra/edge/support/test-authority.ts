import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An authority for certificates that nobody else trusts, thrown away after the tests. */
export class TestAuthority {
  private readonly folder = mkdtempSync(join(tmpdir(), 'cdn-authority-'));
  readonly certificateFile = join(this.folder, 'authority.pem');

  constructor() {
    this.make('authority', '/CN=Authority of a test', []);
  }

  /** @param names as subject alternative names, like `DNS:one.example` */
  certify(names: string, days = 1): { readonly key: Buffer; readonly cert: Buffer } {
    const signed = ['-CA', this.certificateFile, '-CAkey', join(this.folder, 'authority.key')];
    this.make('leaf', '/CN=leaf', [...signed, '-addext', `subjectAltName=${names}`, '-days', String(days)]);
    const [key, cert] = ['key', 'pem'].map((end) => readFileSync(join(this.folder, `leaf.${end}`)));
    return { key: key ?? Buffer.alloc(0), cert: cert ?? Buffer.alloc(0) };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }

  private make(name: string, subject: string, more: readonly string[]): void {
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', subject];
    const files = ['-keyout', join(this.folder, `${name}.key`), '-out', join(this.folder, `${name}.pem`)];
    execFileSync('openssl', ['req', '-x509', ...kind, ...files, ...more], { stdio: 'ignore' });
  }
}
