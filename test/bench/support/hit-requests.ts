import type { Fields } from '../../infra/edge/support/http2-frames.ts';

/** What a browser asks a site for, whose pages are all in the cache. */
export const hostname = 'bench.example';
export const page = 'x'.repeat(2_000);

export const targets = [
  ...Array.from({ length: 40 }, (_, number) => `/news/${number}.html`),
  ...Array.from({ length: 20 }, (_, number) => `/shop/product-${number}?color=red&size=${number}`),
  ...Array.from({ length: 20 }, (_, number) => `/images/${number}.webp`),
  ...Array.from({ length: 10 }, (_, number) => `/assets/${number}.js?v=12`),
  ...Array.from({ length: 10 }, (_, number) => `/landing/${number}?utm_source=mail&utm_campaign=${number}`),
];

const headers: Fields = [
  ['User-Agent', 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'],
  ['Accept', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'],
  ['Accept-Language', 'en-US,en;q=0.5'],
  ['Accept-Encoding', 'gzip, deflate, br'],
  ['Referer', 'https://bench.example/'],
];

export const http1Requests = targets.map((target) =>
  [
    `GET ${target} HTTP/1.1`,
    `Host: ${hostname}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    '\r\n',
  ].join('\r\n'),
);

export const http2Requests: readonly Fields[] = targets.map((target) => [
  [':method', 'GET'],
  [':scheme', 'https'],
  [':path', target],
  [':authority', hostname],
  ...headers.map(([name, value]) => [name.toLowerCase(), value] as const),
]);
