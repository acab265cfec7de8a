import { createHmac, generateKeyPairSync } from 'node:crypto';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SigningKey, signAccessToken } from '../../../shared/auth/access-token.ts';
import { getUser } from '../../../shared/auth/user-table.ts';
import { readSecret } from '../../../shared/aws/secrets-manager.ts';
import { makeUser } from '../../support/identity.ts';
import { joinSharedRun } from '../../support/shared-run.ts';
import type { TestRun } from '../../support/test-run.ts';

let run: TestRun;
let key: SigningKey;
let claims: { sub: string; username: string; accountId: string; tokenVersion: number };

beforeAll(async () => {
  run = await joinSharedRun();
  const secret = await readSecret('signingKey', 'AWSCURRENT');
  key = { id: secret?.id ?? '', secret: new TextEncoder().encode(secret?.value) };
  const user = await getUser(await makeUser(run.accountId));
  claims = {
    sub: user?.id ?? '',
    username: user?.username ?? '',
    accountId: run.accountId,
    tokenVersion: user?.tokenVersion ?? 0,
  };
});
afterAll(() => run.end());

async function statusesOf(token: string): Promise<number[]> {
  const spellings = ['/api/account', '/API/account'];
  const headers = [['Authorization', `Bearer ${token}`]] as const;
  return (await Promise.all(spellings.map((path) => run.api.send(path, { headers })))).map(
    ({ status }) => status,
  );
}

function encode(value: object | Buffer): string {
  return (Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value))).toString('base64url');
}

function decode(part: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, 'base64url').toString());
}

function hmac(text: string): Buffer {
  return createHmac('sha256', key.secret).update(text).digest();
}

/** A token with the right signature over whatever header and claims. */
function forge(header: object, payload: object): string {
  const text = `${encode(header)}.${encode(payload)}`;
  return `${text}.${encode(hmac(text))}`;
}

function good(now = new Date(), lifetimeSeconds = 86_400): Promise<string> {
  return signAccessToken(claims, key, lifetimeSeconds, now);
}

async function goodParts() {
  const [header = '', payload = '', signature = ''] = (await good()).split('.');
  return { header, payload, signature, head: decode(header), body: decode(payload) };
}

type Attack = () => Promise<string>;

function withHeader(change: object): Attack {
  return async () => {
    const { head, body } = await goodParts();
    return forge({ ...head, ...change }, body);
  };
}

function withClaims(change: object): Attack {
  return async () => {
    const { head, body } = await goodParts();
    return forge(head, { ...body, ...change });
  };
}

const edPublic = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const attacks: Readonly<Record<string, Attack>> = {
  'alg none': async () => {
    const { head, payload } = await goodParts();
    return `${encode({ ...head, alg: 'none' })}.${payload}.`;
  },
  'alg none with a signature': withHeader({ alg: 'none' }),
  'alg HS512': withHeader({ alg: 'HS512' }),
  'HS512 by the right key': async () => {
    const { head, body } = await goodParts();
    return new SignJWT(body).setProtectedHeader({ ...head, alg: 'HS512' }).sign(key.secret);
  },
  'ES256 by a key of one’s own': async () =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', kid: key.id, typ: 'at+jwt' })
      .setIssuer('cdn-management-api')
      .setAudience('cdn-management-api')
      .setSubject(claims.sub)
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(edPublic.privateKey),
  'HS256 announced as ES256': withHeader({ alg: 'ES256' }),
  'a jwk in the header': withHeader({ jwk: { kty: 'oct', k: encode(Buffer.from('mine')) } }),
  'a jku in the header': withHeader({ jku: 'https://attacker.example/keys' }),
  'an x5u in the header': withHeader({ x5u: 'https://attacker.example/keys' }),
  'a crit header': withHeader({ crit: ['exp'] }),
  'a b64 header': withHeader({ b64: false, crit: ['b64'] }),
  'a foreign kid': withHeader({ kid: '00000000-0000-0000-0000-000000000000' }),
  'a kid that is a path': withHeader({ kid: '../../dev/null' }),
  'no kid': withHeader({ kid: undefined }),
  'another typ': withHeader({ typ: 'JWT' }),
  'another issuer': withClaims({ iss: 'somebody' }),
  'another audience': withClaims({ aud: 'somebody' }),
  'no expiry': withClaims({ exp: undefined }),
  'expired by a second': async () => good(new Date(Date.now() - 61_000), 60),
  'issued in the future': async () => good(new Date(Date.now() + 90_000)),
  'not yet valid': withClaims({ nbf: Math.floor(Date.now() / 1000) + 60 }),
  'another token version': withClaims({ tokenVersion: 99 }),
  'another account': withClaims({ accountId: '00000000000000000000000000' }),
  'another user': withClaims({ sub: 'somebody' }),
  'an unknown user name': withClaims({ username: 'nobody@example.com' }),
  'no user name at all': withClaims({ username: '' }),
  'a user name of 3,000 characters': withClaims({ username: 'x'.repeat(3_000) }),
  'a user name of more bytes than a key has': withClaims({ username: '\ufdfa'.repeat(1_000) }),
  'a user name with half a character': withClaims({ username: '\ud800' }),
  'a user name in another spelling': async () => withClaims({ username: claims.username.toUpperCase() })(),
  'a user id of 3,000 characters': withClaims({ sub: 'x'.repeat(3_000) }),
  'no account at all': withClaims({ accountId: '' }),
  'a token version before the first': withClaims({ tokenVersion: 0 }),
  'a claim more than we sign': withClaims({ scope: 'everything' }),
  'an audience among others': withClaims({ aud: ['cdn-management-api', 'somebody'] }),
  'claims of other types': withClaims({ username: { $ne: '' }, tokenVersion: '1' }),
  'a signature of another key': async () => {
    const { header, payload } = await goodParts();
    return `${header}.${payload}.${encode(createHmac('sha256', 'mine').update(`${header}.${payload}`).digest())}`;
  },
  'changed claims under the old signature': async () => {
    const { header, body, signature } = await goodParts();
    return `${header}.${encode({ ...body, tokenVersion: 2 })}.${signature}`;
  },
  'a signature in non-canonical base64url': async () => {
    const { header, payload, signature } = await goodParts();
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = alphabet.charAt(alphabet.indexOf(signature.slice(-1)) ^ 1);
    expect(Buffer.from(signature.slice(0, -1) + last, 'base64url')).toEqual(
      Buffer.from(signature, 'base64url'),
    );
    return `${header}.${payload}.${signature.slice(0, -1)}${last}`;
  },
  'a padded signature': async () => `${await good()}=`,
  'standard base64': async () => {
    const { header, payload, signature } = await goodParts();
    return `${header}.${payload}.${Buffer.from(signature, 'base64url').toString('base64')}`;
  },
  truncated: async () => (await good()).slice(0, -1),
  'without its signature': async () => (await good()).split('.').slice(0, 2).join('.'),
  doubled: async () => `${await good()}${await good()}`,
  'with a part more': async () => `${await good()}.${encode({})}`,
  'no JSON': async () =>
    `${encode(Buffer.from('x'))}.${encode(Buffer.from('y'))}.${encode(Buffer.from('z'))}`,
  'an array for a header': async () => `${encode([])}.${encode({})}.${encode(Buffer.from('z'))}`,
  dots: async () => '..',
};

test('the token that the attacks are made of is good', async () => {
  expect(await statusesOf(await good())).toEqual([200, 200]);
  expect(await statusesOf(await withHeader({})())).toEqual([200, 200]);
});

test('a token made by a clock that is ahead by less than a minute is good', async () => {
  expect(await statusesOf(await good(new Date(Date.now() + 45_000)))).toEqual([200, 200]);
});

test.each(Object.entries(attacks))('%s is 401', async (_, attack) => {
  expect(await statusesOf(await attack())).toEqual([401, 401]);
});
