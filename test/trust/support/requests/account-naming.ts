import { endpoints } from '../../../../functions/endpoints.ts';
import type { Endpoint } from '../../../../shared/http/endpoint.ts';
import { type Attack, exampleBodies, plainRequest, withHeaders, withQuery } from './attack.ts';
import { at, isObject, placesIn, withMember } from './json-places.ts';
import type { Header } from './wire.ts';

/** Stand for the victim’s in a request. */
const victimsAccount = '{victimsAccountId}';
const victimsProperty = '{victimsPropertyId}';

const headerNames = [
  ...['X-Account-Id', 'X-AccountId', 'Account-Id', 'accountId', 'X-Account', 'X-Tenant-Id', 'X-Org-Id'],
  ...['X-User-Id', 'X-Customer'],
  ...['X-Forwarded-User', 'X-Remote-User', 'Remote-User', 'X-Principal-Id', 'principalId'],
  ...['X-Authorizer-AccountId', 'From', 'X-Impersonate'],
  ...['X-Amzn-Apigateway-Authorizer', 'X-Amzn-Request-Context', 'X-Apigateway-Event'],
  ...['X-Amz-Security-Token', 'X-Property-Id'],
];
const parameterNames = [
  ...['accountId', 'AccountId', 'account', 'account_id', 'accountId[]', 'tenant', 'owner', 'propertyId'],
  ...['user', 'sub'],
];

/** The endpoint’s own request, in which another account is named beside the credential. */
export function namingAnother(endpoint: Endpoint): readonly Attack[] {
  const plain = plainRequest(endpoint);
  const headers: readonly Header[] = [
    ...headerNames.map((name): Header => [name, victimsAccount]),
    ['X-Authorizer', `{"accountId":"${victimsAccount}"}`],
    ['Cookie', `accountId=${victimsAccount}; account=${victimsAccount}`],
    ['X-Original-URL', `/api/property/${victimsProperty}`],
    ['X-Rewrite-URL', `/api/property/${victimsProperty}`],
    ['X-HTTP-Method-Override', 'DELETE'],
  ];
  return [
    { ...plain, name: 'all headers', headers: withHeaders(plain, headers) },
    ...headers.map((header) => ({
      ...plain,
      name: `header ${header[0]}`,
      headers: withHeaders(plain, [header]),
    })),
    ...parameterNames.map((name) => ({
      ...plain,
      name: `parameter ${name}`,
      target: withQuery(plain.target, `${name}=${victimsAccount}`),
    })),
  ];
}

const serverFields = [
  ...['accountId', 'account', 'account_id', 'owner', 'ownerId', 'tenantId', 'userId', 'username', 'sub'],
  ...['role', 'isAdmin', 'admin'],
  ...['id', '_id', 'version', 'revision', 'createdAt', 'updatedAt', 'revokedAt', 'lastUsedAt'],
  ...['completedAt', 'status', 'number'],
  ...['key', 'hash', 'prefix', 'secret', 'passwordHash', 'tokenVersion', 'totpSecret', 'recoveryCodes'],
  ...['accountDisabledAt', 'scheme'],
  ...['messageCount', 'author', 'authorName', 'requestedBy', 'jobCount', 'progress', 'edges', 'settings'],
  ...['hostname', 'propertyId'],
];

/** Every field that any response shows, and those that only the service knows. */
function assignableFields(): readonly string[] {
  const shown = Object.values(endpoints).flatMap(({ data }) =>
    Object.keys(Object(Reflect.get(data, 'shape'))),
  );
  return [...new Set([...serverFields, ...shown])];
}

/** In each object of the endpoint’s bodies a field that is not the client’s to give. */
export function massAssignments(endpoint: Endpoint): readonly Attack[] {
  const plain = plainRequest(endpoint);
  return exampleBodies(endpoint).flatMap((body) =>
    placesIn(body)
      .filter((place) => isObject(at(body, place)))
      .flatMap((place) =>
        assignableFields()
          .filter((name) => !Object.hasOwn(Object(at(body, place)), name))
          .flatMap((name) =>
            [`"${victimsAccount}"`, '7', `{"accountId":"${victimsAccount}"}`].map((value) => ({
              ...plain,
              name: `${place.join('.')} ${name}: ${value}`,
              body: withMember(body, place, `"${name}":${value}`),
            })),
          ),
      ),
  );
}
