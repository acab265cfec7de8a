import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { derCertificate } from './der-certificate.ts';

const dayMilliseconds = 86_400_000;

export interface Term {
  readonly startsAt?: Date;
  readonly endsAt?: Date;
  readonly key?: KeyObject;
}

/** A certificate and its key, as PEM. */
export interface Certified {
  readonly key: string;
  readonly cert: string;
}

/** An authority for certificates that nobody else trusts, thrown away after the tests. */
export class TestAuthority {
  private readonly folder = mkdtempSync(join(tmpdir(), 'cdn-authority-'));
  readonly certificateFile = join(this.folder, 'authority.pem');
  readonly certificate: string;
  private readonly issuer: { readonly subject: string; readonly key: KeyObject };

  /** @param above whose authority it has, where it is none of its own */
  constructor(above?: TestAuthority) {
    this.issuer = { subject: above ? 'Authority below' : 'Authority of a test', key: newKey() };
    const issuer = above?.issuer ?? this.issuer;
    this.certificate = derCertificate({ ...this.issuer, ...termOf({}), issuer });
    writeFileSync(this.certificateFile, this.certificate);
  }

  /** @param names subject alternative names, like `DNS:one.example` */
  certify(names: string | readonly string[], term: Term = {}): Certified {
    const { key = newKey() } = term;
    const claims = { subject: 'leaf', names: [names].flat(), key, ...termOf(term) };
    const cert = derCertificate({ ...claims, issuer: this.issuer });
    return { key: key.export({ type: 'pkcs8', format: 'pem' }).toString(), cert };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}

function newKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}

function termOf({
  startsAt = new Date(Date.now() - dayMilliseconds),
  endsAt = new Date(Date.now() + dayMilliseconds),
}: Term) {
  return { startsAt, endsAt };
}
