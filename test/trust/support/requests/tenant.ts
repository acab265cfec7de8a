import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpoints } from '../../../../functions/endpoints.ts';
import { createApiKey } from '../../../../shared/account/account-api-key-table.ts';
import { createAccount } from '../../../../shared/account/account-table.ts';
import { createUser } from '../../../../shared/account/account-user-table.ts';
import { signAccessToken } from '../../../../shared/auth/access-token.ts';
import { generateApiKey } from '../../../../shared/auth/api-key.ts';
import { hashPassword } from '../../../../shared/auth/password.ts';
import { currentSigningKey } from '../../../../shared/auth/signing-keys.ts';
import { getUser } from '../../../../shared/auth/user-table.ts';
import type { Endpoint } from '../../../../shared/http/endpoint.ts';
import { password } from '../../../support/identity.ts';
import type { TestRun } from '../../../support/test-run.ts';
import { type Attack, plainRequest } from './attack.ts';
import { type Header, type Outcome, Wire, type WireRequest } from './wire.ts';

export type Scheme = 'apiKey' | 'bearer';

interface Filling {
  readonly scheme?: Scheme;
  /** In the place of the tenant’s own. */
  readonly values?: ReadonlyMap<string, string>;
}

/** What the list names by a path: `/api/property/{propertyId}` is where a `propertyId` is. */
const things = Object.values(endpoints)
  .flatMap(({ path }) =>
    [...path.matchAll(/\{(\w+)\}/g)].map(
      ({ 1: name = '', index }) => [name, path.slice(0, index - 1)] as const,
    ),
  )
  .filter(([name], index, all) => all.findIndex(([other]) => other === name) === index);

/** One for all: hashing is expensive on purpose. */
let passwordHash: Promise<string> | undefined;
let made = 0;

/** An account with one of each thing that paths name, a key and a user, and a connection to the API. */
export class Tenant {
  /** What `{name}` in an attack stands for. */
  readonly values: Map<string, string>;
  private readonly wire: Wire;
  private names = 0;

  /** @param label stands in each of its host names */
  static async make({ baseUrl, folder }: TestRun, label = 'tenant'): Promise<Tenant> {
    const id = `${label}-${++made}`;
    const { accountId } = await createAccount(id);
    const { key } = await createApiKey(accountId, id);
    passwordHash ??= hashPassword(password);
    const username = `${id}@example.com`;
    await createUser(accountId, username, await passwordHash);
    const { token } = JSON.parse(readFileSync(join(folder, 'embedded-edge.json'), 'utf8'));
    const planted = generateApiKey({ symbols: made % 2 === 0 });
    const keys = 'h,u,p,t,r';
    const values = {
      keys,
      accountId,
      apiKey: key,
      planted,
      username,
      password,
      'X-Edge-Token': token,
      label: id,
    };
    const tenant = new Tenant(baseUrl, new Map(Object.entries(values)));
    await tenant.renewToken();
    await tenant.makeThings();
    return tenant;
  }

  private constructor(baseUrl: string, values: Map<string, string>) {
    this.wire = new Wire(baseUrl);
    this.values = values;
  }

  /** What a response may not repeat: of what was put into a field a refusal only. */
  secrets(isRefusal: boolean): readonly string[] {
    const [, , signature = ''] = this.value('token').split('.');
    const names = ['apiKey', 'password', 'X-Edge-Token', ...(isRefusal ? ['planted'] : [])];
    return [signature, ...names.map((name) => this.value(name))];
  }

  /** A host name that nothing has. */
  newHostname(): string {
    return `h${++this.names}.${this.value('label')}.example.com`;
  }

  value(name: string): string {
    return this.values.get(name) ?? '';
  }

  /** A fresh access token, since some requests revoke all earlier ones. */
  async renewToken(): Promise<void> {
    const user = await getUser(this.value('username'));
    if (!user) throw new Error('The tenant has lost its user');
    const { id: sub, username, accountId, tokenVersion } = user;
    const claims = { sub, username, accountId, tokenVersion };
    this.values.set('token', await signAccessToken(claims, await currentSigningKey(), 3_600, new Date()));
  }

  /** Makes one of each thing, in the order in which they contain each other. */
  async makeThings(): Promise<void> {
    for (const [name, path] of things) {
      const creator = Object.values(endpoints).find((each) => each.method === 'POST' && each.path === path);
      if (!creator) throw new Error(`No endpoint makes what ${name} names`);
      const hostname = this.newHostname();
      this.values.set('newHostname', hostname);
      const response = await this.send(this.filled(plainRequest(creator), creator));
      if (typeof response === 'string' || response.status > 201)
        throw new Error(
          `POST ${path} made nothing: ${typeof response === 'string' ? response : response.text}`,
        );
      this.values.set(name, String(Reflect.get(Object(response.data), name) ?? response.data.id));
      if (name === 'propertyId') this.values.set('hostname', hostname);
    }
    this.values.set('newHostname', this.newHostname());
  }

  /** The attack as this tenant sends it, with a credential where the endpoint takes one. */
  filled(
    { method, target, headers, body, hasOwnCredential }: Attack,
    { access }: Pick<Endpoint, 'access'>,
    { scheme = access === 'user' ? 'bearer' : 'apiKey', values = this.values }: Filling = {},
  ): WireRequest {
    const fill = (text: string, encode: (value: string) => string = String) =>
      text.replace(/\{([\w-]+)\}/g, (whole, name: string) => {
        const value = values.get(name) ?? this.values.get(name);
        return value === undefined ? whole : encode(value);
      });
    return {
      method,
      target: fill(target, encodeURIComponent),
      headers: [
        ...(hasOwnCredential || access === 'public' ? [] : this.credential(scheme)),
        ...headers.map(([name, value]) => [name, fill(value)] as const),
      ],
      body: typeof body === 'string' ? Buffer.from(fill(body)) : body,
    };
  }

  send(request: WireRequest): Promise<Outcome> {
    return this.wire.send(request);
  }

  close(): void {
    this.wire.close();
  }

  private credential(scheme: Scheme): readonly Header[] {
    return scheme === 'apiKey'
      ? [['X-API-Key', this.value('apiKey')]]
      : [['Authorization', `Bearer ${this.value('token')}`]];
  }
}
