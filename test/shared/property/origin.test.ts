import { expect, test } from 'vitest';
import { originFault } from '../../../shared/property/origin.ts';

test.each([
  'http://127.1',
  'http://2130706433',
  'http://0x7f.1',
  'http://0177.0.0.1',
  'http://[::1]',
  'http://[::ffff:127.0.0.1]',
  'http://[::ffff:7f00:1]',
  'http://[64:ff9b::7f00:1]',
  'http://[2002:7f00:1::]',
  'http://[fd00::1]',
  'http://[fe80::1]',
  'http://0.0.0.0',
  'http://10.1.2.3',
  'http://100.64.0.1',
  'http://172.31.255.255',
  'http://192.168.0.1',
  'http://169.254.169.254/latest/meta-data',
  'http://metadata.google.internal',
  'http://localhost',
  'http://localhost.',
  'http://LOCALHOST:8080',
  'http://a.localhost',
  'http://printer.local',
  'http://intranet',
  'https://user:pass@origin.example.com',
  'https://origin.example.com/?a=b',
  'ftp://origin.example.com',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'origin.example.com',
])('%s is refused in a deployment', (url) => {
  expect(originFault(url, false)).toMatch(/^must/);
});

test.each([
  'https://origin.example.com',
  'http://origin.example.com:8080/base',
  'https://8.8.8.8',
  'https://172.32.0.1',
  'https://[2606:4700::1111]',
])('%s is taken', (url) => {
  expect(originFault(url, false)).toBeUndefined();
});

test('a deployment may allow internal addresses, but never other schemes', () => {
  expect(originFault('http://127.0.0.1:9000', true)).toBeUndefined();
  expect(originFault('file:///etc/passwd', true)).toMatch(/^must/);
});
