import createClient from 'openapi-fetch';
// Generated from the description by the test, which also compiles this file with it.
import type { components, paths } from './schema.ts';

/** What a customer's program does with the generated client, from the login to a ticket. Prints what came of it. */
const { BASE_URL: baseUrl = '', LOGIN_NAME: username = '', PASSWORD: password = '' } = process.env;

const client = createClient<paths>({ baseUrl });

/** @throws Error with the response's message */
const dataOf = <Data>({
  data,
  error,
}: {
  data?: { data: Data } | undefined;
  error?: { message: string } | undefined;
}): Data => {
  if (!data) throw new Error(error?.message ?? 'there was no response');
  return data.data;
};

const login = dataOf(await client.POST('/api/Auth/Login', { body: { username, password } }));
if (!('Token' in login)) throw new Error('the user has a second factor');
client.use({
  onRequest: ({ request }) => request.headers.set('Authorization', `Bearer ${login.Token}`),
});

const account = dataOf(await client.GET('/api/account'));

const property = dataOf(
  await client.POST('/api/property', {
    params: { header: { 'Idempotency-Key': 'journey' } },
    body: {
      name: 'Journey',
      hostnames: ['journey.example.com'],
      origin: { url: 'https://origin.example.com' },
    },
  }),
);
const propertyPath = { propertyId: property.id };
const renamed: components['schemas']['Property'] = dataOf(
  await client.PATCH('/api/property/{propertyId}', {
    params: { path: propertyPath, header: { 'If-Match': String(property.version) } },
    body: { name: 'Renamed', cache: { ttlSeconds: null } },
  }),
);

const rule = dataOf(
  await client.POST('/api/property/{propertyId}/rules', {
    params: { path: propertyPath },
    body: {
      name: 'Long images',
      conditions: [{ field: 'path', operator: 'prefix', values: ['/images/'] }],
      actions: [{ type: 'cacheTtl', seconds: 86_400 }],
    },
  }),
);
const evaluation = dataOf(
  await client.POST('/api/property/{propertyId}/rules/test', {
    params: { path: propertyPath },
    body: { url: 'https://journey.example.com/images/a.png' },
  }),
);

const queued = dataOf(
  await client.POST('/api/property/{propertyId}/purge', {
    params: { path: propertyPath },
    body: { type: 'url', urls: '/|/news' },
  }),
);
await client.POST('/api/property/{propertyId}/purge', {
  params: { path: propertyPath },
  // @ts-expect-error: the type tag has no urls
  body: { type: 'tag', urls: ['/'] },
});
const purge = dataOf(
  await client.GET('/api/property/{propertyId}/purge/{purgeId}', {
    params: { path: { ...propertyPath, purgeId: queued.purgeId } },
  }),
);

const query = { accountId: account.id };
const ticket = dataOf(
  await client.POST('/api/tickets', {
    params: { query },
    body: { subject: 'Slow', body: 'Why?', propertyId: property.id },
  }),
);
const messages = dataOf(
  await client.GET('/api/tickets/{ticketId}/messages', { params: { path: { ticketId: ticket.id }, query } }),
);

const missing = await client.GET('/api/property/{propertyId}', { params: { path: { propertyId: 'none' } } });

console.log(
  JSON.stringify({
    account: account.name,
    property: [renamed.name, renamed.cache.ttlSeconds, renamed.version],
    rule: [rule.id === evaluation.matched[0]?.id, evaluation.treatment.cacheTtlSeconds],
    purge: [queued.jobCount, purge.values],
    ticket: [ticket.number, ticket.status, messages.items.map(({ body }) => body)],
    missing: missing.error?.message,
  }),
);
