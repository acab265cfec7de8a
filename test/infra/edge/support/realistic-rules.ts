import { compileRules } from '../../../../shared/rule/compiled-rule.ts';
import { CreateRule } from '../../../../shared/rule/rule.ts';

const path = (...values: string[]) => ({ field: 'path', operator: 'prefix', values });
const extension = (...values: string[]) => ({ field: 'extension', operator: 'equals', values });
const cookie = (name: string) => ({ field: 'cookie', name, operator: 'exists' });
const header = (name: string, ...values: string[]) => ({
  field: 'header',
  name,
  operator: 'contains',
  values,
});
const day = 86_400;

/** What a shop or a magazine would have: most are about paths and extensions, some about who asks. */
const rules: readonly (readonly [conditions: readonly object[], ...actions: readonly object[]])[] = [
  [[], { type: 'setResponseHeader', name: 'X-Content-Type-Options', value: 'nosniff' }],
  [[extension('css', 'js')], { type: 'cacheTtl', seconds: day }, { type: 'browserTtl', seconds: 3_600 }],
  [
    [extension('png', 'jpg', 'webp', 'svg', 'avif')],
    { type: 'cacheTtl', seconds: 7 * day },
    { type: 'browserTtl', seconds: day },
  ],
  [
    [extension('woff', 'woff2')],
    { type: 'cacheTtl', seconds: 30 * day },
    { type: 'setResponseHeader', name: 'Access-Control-Allow-Origin', value: '*' },
  ],
  [[extension('mp4', 'webm')], { type: 'cacheTtl', seconds: 30 * day }],
  [[path('/admin')], { type: 'bypassCache' }],
  [[path('/cart', '/checkout')], { type: 'bypassCache' }],
  [[path('/account')], { type: 'bypassCache' }],
  [[cookie('session')], { type: 'bypassCache' }],
  [[cookie('wordpress_logged_in'), path('/blog')], { type: 'removeRequestHeader', name: 'X-Draft' }],
  [[path('/api/')], { type: 'cacheTtl', seconds: 10 }, { type: 'browserTtl', seconds: 0 }],
  [[path('/news'), extension('html')], { type: 'cacheTtl', seconds: 60 }],
  [[path('/search')], { type: 'cacheTtl', seconds: 30 }],
  [[path('/landing')], { type: 'ignoreQueryString', names: ['utm_source', 'utm_campaign', 'gclid'] }],
  [[path('/.git', '/.env', '/wp-login.php')], { type: 'block' }],
  [[header('User-Agent', 'BadBot', 'Scraper')], { type: 'block' }],
  [[path('/old-shop')], { type: 'redirect', location: '/shop', status: 301 }],
  [[path('/2019/')], { type: 'redirect', location: '/archive', status: 301 }],
  [[path('/blog/feed')], { type: 'rewritePath', path: '/feed.xml' }],
  [
    [header('Accept-Language', 'de'), path('/start')],
    { type: 'setRequestHeader', name: 'X-Language', value: 'de' },
  ],
];

/** The bodies by which the API makes them. */
export const realisticRules = rules.map(([conditions, ...actions], index) => ({
  name: `Rule ${index + 1}`,
  priority: index,
  conditions,
  actions,
}));

/** As a document holds them. */
export function compiledRealisticRules() {
  const createdAt = new Date().toISOString();
  return compileRules(
    realisticRules.map((rule, index) => ({
      ...CreateRule.parse(rule),
      id: `rule-${index}`,
      priority: index,
      version: 1,
      createdAt,
      updatedAt: createdAt,
    })),
  );
}
