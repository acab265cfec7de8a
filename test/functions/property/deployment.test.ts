import { readFileSync } from 'node:fs';
import type { Context } from 'aws-lambda';
import { expect, test } from 'vitest';
import { handler } from '../../../functions/property/create.ts';

const event = JSON.parse(readFileSync('test/events/property-create.json', 'utf8'));

test.each([
  'http://127.1',
  'http://2130706433',
  'http://0x7f.1',
  'http://[::ffff:127.0.0.1]',
  'http://169.254.169.254',
  'http://metadata.google.internal',
  'http://localhost.',
  'https://user:pass@origin.example.com',
  'file:///etc/passwd',
])('a deployment responds with 400 to the origin %s', async (url) => {
  process.env.ALLOW_PRIVATE_ORIGINS = 'false';
  const body = JSON.stringify({ name: 'Site', hostnames: ['www.example.com'], origin: { url } });
  const response = await handler({ ...event, body, isBase64Encoded: false }, {} as Context);
  const { succeeded, message } = JSON.parse(response.body);
  expect([response.statusCode, succeeded, message]).toEqual([
    400,
    false,
    expect.stringContaining('origin.url'),
  ]);
});
