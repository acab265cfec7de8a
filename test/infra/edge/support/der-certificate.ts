import { createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto';

/** What a certificate says, and who says it. */
export interface Claims {
  readonly subject: string;
  /** As `DNS:one.example` or `IP:127.0.0.1`; none for an authority. */
  readonly names?: readonly string[];
  readonly startsAt: Date;
  readonly endsAt: Date;
  readonly key: KeyObject;
  readonly issuer: { readonly subject: string; readonly key: KeyObject };
}

/** A certificate as PEM, signed by ECDSA with SHA-256. Source: RFC 5280. */
export function derCertificate(claims: Claims): string {
  const body = bodyOf(claims);
  const signature = sign('sha256', body, claims.issuer.key);
  const lines =
    sequence(body, algorithm, bits(signature))
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

function bodyOf({ subject, names, startsAt, endsAt, key, issuer }: Claims): Buffer {
  const version = tagged(0xa0, integer(Buffer.from([2])));
  const serial = integer(Buffer.concat([Buffer.from([1]), randomBytes(15)]));
  const validity = sequence(time(startsAt), time(endsAt));
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const extensions = tagged(0xa3, sequence(names === undefined ? isAuthority : namesExtension(names)));
  return sequence(
    ...[version, serial, algorithm, nameOf(issuer.subject), validity, nameOf(subject), publicKey],
    extensions,
  );
}

function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const long = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...(length < 128 ? [length] : long)]), content]);
}

const sequence = (...parts: readonly Buffer[]): Buffer => tagged(0x30, ...parts);
const integer = (bytes: Buffer): Buffer => tagged(0x02, bytes);
const bits = (bytes: Buffer): Buffer => tagged(0x03, Buffer.from([0]), bytes);
const identifier = (hexadecimal: string): Buffer => tagged(0x06, Buffer.from(hexadecimal, 'hex'));

const algorithm = sequence(identifier('2a8648ce3d040302'));
const isAuthority = sequence(
  ...[identifier('551d13'), tagged(0x01, Buffer.from([0xff]))],
  tagged(0x04, sequence(tagged(0x01, Buffer.from([0xff])))),
);

function nameOf(commonName: string): Buffer {
  return sequence(tagged(0x31, sequence(identifier('550403'), tagged(0x0c, Buffer.from(commonName)))));
}

/** For years until 2049. */
function time(date: Date): Buffer {
  return tagged(0x17, Buffer.from(date.toISOString().replace(/^..|[-:T]|\.\d+/g, '')));
}

function namesExtension(names: readonly string[]): Buffer {
  const entries = names.map((entry) => {
    const [, kind, value = ''] = /^(DNS|IP):(.*)$/.exec(entry) ?? [];
    if (kind === 'IP') return tagged(0x87, Buffer.from(value.split('.').map(Number)));
    return tagged(0x82, Buffer.from(value));
  });
  return sequence(identifier('551d11'), tagged(0x04, sequence(...entries)));
}
