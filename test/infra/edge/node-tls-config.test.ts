import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Certificates } from '../../../infra/edge/node/certificates.mjs';
import { eventually } from '../../support/eventually.ts';
import { TlsKit } from './support/tls-kit.ts';

const hour = 3_600_000;

let tls: TlsKit;
let store: string;
let certificates: Certificates;
let said: string[];
beforeEach(() => {
  tls = new TlsKit();
  store = `${tls.folder}.store`;
  certificates = new Certificates(tls.folder, store);
  said = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0);
});
afterEach(() => {
  certificates.end();
  vi.restoreAllMocks();
  vi.useRealTimers();
  rmSync(store, { force: true });
  tls.remove();
});

/** As at a start. */
function lookAtOnce(): void {
  certificates.look({ isSettled: true });
}

function lookTwice(): void {
  certificates.look();
  certificates.look();
}

/** The leaf's certificate by the name that nginx serves it for. */
function used(): Readonly<Record<string, string>> {
  const [, index = '', ...lines] = readFileSync(store, 'utf8').split('\n');
  const places: Record<string, [number, number]> = JSON.parse(index).names;
  const rest = lines.join('\n');
  return Object.fromEntries(
    Object.entries(places).map(([name, [start, length]]) => [
      name,
      new X509Certificate(rest.slice(start, start + length)).toString(),
    ]),
  );
}

/** What was said of pairs. */
function faults(): readonly string[] {
  return said.filter((line) => !line.includes(' in use: '));
}

describe('A folder of certificates', () => {
  test('has pairs in three layouts, and leaves alone what is in none of them', () => {
    const one = tls.put('one.pem', ['one.example', 'www.one.example']);
    const two = tls.certify(['two.example']);
    tls.write('two.crt', two.cert);
    tls.write('two.key', two.key);
    const three = tls.certify(['three.example']);
    tls.write('.archive/three/fullchain1.pem', three.cert);
    tls.write('.archive/three/privkey1.pem', three.key);
    mkdirSync(join(tls.folder, 'three.example'));
    for (const kind of ['fullchain', 'privkey'])
      symlinkSync(`../.archive/three/${kind}1.pem`, join(tls.folder, 'three.example', `${kind}.pem`));
    tls.write('README', 'of certbot');
    tls.write('.hidden.pem', 'nothing');
    mkdirSync(join(tls.folder, 'empty'));
    lookAtOnce();
    expect(used()).toEqual({
      'one.example': one,
      'www.one.example': one,
      'two.example': two.cert,
      'three.example': three.cert,
    });
    expect(said).toEqual(['run: certificates in use: 3, for host names: 4\n']);
  });

  test('is nobody else’s to read where nginx gets it from', () => {
    tls.put('one.pem', ['one.example']);
    lookAtOnce();
    expect(statSync(store).mode & 0o777).toBe(0o600);
  });

  test('may be empty', () => {
    lookAtOnce();
    expect(used()).toEqual({});
  });

  test('names are read without regard to case; what only looks like one is none', () => {
    tls.put('one.pem', ['ONE.Example', 'a, DNS:evil.example, b', 'w*.one.example', '*.', '']);
    lookAtOnce();
    expect(Object.keys(used())).toEqual(['one.example']);
  });

  test('of two for one name the one that ends later is used, for each name by itself', () => {
    const endsAt = new Date(Date.now() + 48 * hour);
    const early = tls.put('z.pem', ['both.example', 'early.example']);
    const late = tls.put('a.pem', ['both.example', 'late.example'], { endsAt });
    lookAtOnce();
    expect(used()).toEqual({ 'both.example': late, 'early.example': early, 'late.example': late });
    tls.put('a.pem', ['late.example'], { endsAt });
    lookTwice();
    expect(used()).toMatchObject({ 'both.example': early });
  });

  test('what is written is taken when it stands still from one look to the next', () => {
    const one = tls.put('one.pem', ['one.example']);
    certificates.look();
    expect(used()).toEqual({});
    certificates.look();
    expect(used()).toEqual({ 'one.example': one });
    const { key, cert } = tls.certify(['one.example']);
    tls.write('one.pem', cert);
    certificates.look();
    tls.write('one.pem', cert + key);
    certificates.look();
    expect(used()).toEqual({ 'one.example': one });
    certificates.look();
    expect([used(), faults()]).toEqual([{ 'one.example': cert }, []]);
  });

  test('what is taken away is no longer used, but not while it is put back', () => {
    const one = tls.put('one.pem', ['one.example']);
    lookAtOnce();
    const path = join(tls.folder, 'one.pem');
    renameSync(path, store.replace('.store', '.away'));
    certificates.look();
    renameSync(store.replace('.store', '.away'), path);
    certificates.look();
    expect(used()).toEqual({ 'one.example': one });
    rmSync(path);
    lookTwice();
    expect(used()).toEqual({});
  });

  test('that cannot be read leaves everything as it was, and says so once', async () => {
    const one = tls.put('one.pem', ['one.example']);
    lookAtOnce();
    renameSync(tls.folder, `${tls.folder}.away`);
    for (const _ of [1, 2, 3]) certificates.lookAgain();
    expect(faults()).toEqual([
      `run: certificates stay as they are: the folder of certificates ${tls.folder} cannot be read: ENOENT\n`,
    ]);
    expect(used()).toEqual({ 'one.example': one });
    renameSync(`${tls.folder}.away`, tls.folder);
    const two = tls.put('two.pem', ['two.example']);
    await eventually(
      async () => used(),
      (names) => names['two.example'] === two,
    );
  });

  test('that cannot be read at the start ends it', () => {
    const nowhere = new Certificates('/nowhere', store);
    expect(() => nowhere.begin()).toThrow('the folder of certificates /nowhere cannot be read: ENOENT');
  });
});

/** What stands in the files of a pair, and what is said of it. */
type Wrong = readonly [what: string, files: () => Readonly<Record<string, string>>, said: RegExp];

const weak = () => generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
const locked = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' } as const;

const inOne = (text: string) => ({ 'one.pem': text });

const wrong: readonly Wrong[] = [
  ['no certificate', () => inOne(tls.certify(['a.example']).key), /it holds no certificate that can be read/],
  ['no key', () => inOne(tls.certify(['a.example']).cert), /it has no private key that can be read/],
  ['nothing', () => inOne(''), /it holds no certificate/],
  [
    'a key of another certificate',
    () => inOne(tls.certify(['a.example']).cert + tls.certify(['a.example']).key),
    /its key is of another certificate/,
  ],
  [
    'a key that asks for a password',
    () => {
      const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      return inOne(tls.certify(['a.example'], { key }).cert + key.export(locked));
    },
    /it has no private key that can be read/,
  ],
  [
    'a key that is too weak',
    () => {
      const { key, cert } = tls.certify(['a.example'], { key: weak() });
      return inOne(cert + key);
    },
    /it cannot be used: .*ee key too small/,
  ],
  [
    'a chain that ends in the middle',
    () => {
      const { key, cert } = tls.certify(['a.example']);
      return inOne(key + cert + tls.authority.certificate.slice(0, 300));
    },
    /it cannot be used: /,
  ],
  [
    'the authority before the leaf',
    () => {
      const { key, cert } = tls.certify(['a.example']);
      return inOne(tls.authority.certificate + cert + key);
    },
    /its key is of another certificate/,
  ],
  [
    'no host name',
    () => {
      const { key, cert } = tls.authority.certify('IP:127.0.0.1');
      return inOne(cert + key);
    },
    /it names no host/,
  ],
  [
    'a time that is over',
    () => {
      const { key, cert } = tls.certify(['a.example'], { endsAt: new Date(Date.now() - hour) });
      return inOne(cert + key);
    },
    /it has expired on 20\d\d-/,
  ],
  [
    'a time that has not come',
    () => {
      const { key, cert } = tls.certify(['a.example'], { startsAt: new Date(Date.now() + hour) });
      return inOne(cert + key);
    },
    /it is not for use before 20\d\d-/,
  ],
];

describe('A pair that is not right', () => {
  test.each(wrong)('%s: it is said once, and the one before stays, over a restart too', (_, files, text) => {
    const one = tls.put('one.pem', ['one.example']);
    const other = tls.put('other.pem', ['other.example']);
    lookAtOnce();
    for (const [name, content] of Object.entries(files())) tls.write(name, content);
    for (const _ of [1, 2, 3, 4]) certificates.look();
    expect(faults()).toEqual([expect.stringMatching(text)]);
    expect(faults()[0]).toMatch(/^run: certificate one\.pem: .*; the one before stays\n$/);
    expect(used()).toEqual({ 'one.example': one, 'other.example': other });
    certificates = new Certificates(tls.folder, store);
    certificates.begin();
    expect(faults()).toHaveLength(2);
    expect(used()).toEqual({ 'one.example': one, 'other.example': other });
  });

  test.each(wrong)('%s: without one before it is not used', (_, files, text) => {
    for (const [name, content] of Object.entries(files())) tls.write(name, content);
    certificates.begin();
    expect([used(), faults()]).toEqual([{}, [expect.stringMatching(text)]]);
    expect(said.join()).not.toContain('the one before stays');
  });

  test('that wants a file, or has something else in its place', () => {
    tls.write('a.crt', tls.certify(['a.example']).cert);
    tls.write('b.key', tls.certify(['b.example']).key);
    mkdirSync(join(tls.folder, 'c.pem'));
    execFileSync('mkfifo', [join(tls.folder, 'd.pem')], { stdio: 'ignore' });
    tls.write('e/fullchain.pem', tls.certify(['e.example']).cert);
    symlinkSync('f.pem', join(tls.folder, 'f.pem'));
    lookAtOnce();
    const path = (name: string) => join(tls.folder, name);
    expect(faults()).toEqual([
      `run: certificate a.crt: ${path('a.key')} cannot be read: ENOENT\n`,
      `run: certificate b.crt: ${path('b.crt')} cannot be read: ENOENT\n`,
      `run: certificate c.pem: ${path('c.pem')} is no file\n`,
      `run: certificate d.pem: ${path('d.pem')} is no file\n`,
      `run: certificate e/fullchain.pem: ${path('e/privkey.pem')} cannot be read: ENOENT\n`,
      `run: certificate f.pem: ${path('f.pem')} cannot be read: ELOOP\n`,
    ]);
  });

  test('is used when its time has come, and stays when it is over', () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const startsAt = new Date(Date.now() + hour);
    const endsAt = new Date(Date.now() + 2 * hour);
    const one = tls.put('one.pem', ['one.example'], { startsAt, endsAt });
    lookAtOnce();
    expect(used()).toEqual({});
    vi.setSystemTime(startsAt);
    certificates.look();
    expect(used()).toEqual({ 'one.example': one });
    vi.setSystemTime(endsAt);
    for (const _ of [1, 2, 3]) certificates.look();
    expect(used()).toEqual({ 'one.example': one });
    expect(faults()).toEqual([
      expect.stringMatching(/^run: certificate one.pem: it is not for use before 20.*Z\n$/),
      expect.stringMatching(/^run: certificate one.pem: it has expired on 20.*Z\n$/),
    ]);
  });

  test('of the run before is nothing where its file is no such file', () => {
    writeFileSync(store, 'nonsense');
    const one = tls.put('one.pem', ['one.example']);
    certificates.begin();
    expect([used(), faults()]).toEqual([
      { 'one.example': one },
      [expect.stringMatching(/the certificates of the run before cannot be read/)],
    ]);
  });
});
