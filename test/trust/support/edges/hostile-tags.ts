import fc from 'fast-check';
import type { Wish } from '../../../infra/edge/support/test-origin.ts';
import { words } from '../../../infra/edge/support/words.ts';

/** What an origin gives its page. */
export interface HostileTags {
  readonly wish: Wish;
  /** Of the header with the tags. */
  readonly length: number;
  /** One of them that a purge can name. */
  readonly tag: string | undefined;
}

const odd =
  words(String.raw`.* a|b ( ) [ ] ^$ " ' && %c3 %00 \ \E # * { } ! x=1 ~ < > @ ; : ? + - _ / // h/bystander.example
  t/bystander.example/kept u/bystander.example/0 p/bystander.example/0 h/ t/ 0x \1 \2 \n %20 " \" xkey: t/x/y`);

const printable = fc.string({
  minLength: 1,
  maxLength: 200,
  unit: fc.constantFrom(...words('a b 0 . * | ( \\ " % / - ~ é')),
});

/** Of characters that mean something to somebody. */
const oddTags = fc
  .array(fc.oneof(fc.constantFrom(...odd), printable), { minLength: 1, maxLength: 20 })
  .map<HostileTags>((tags) => {
    const header = tags.join(' ');
    const tag = tags.find((text) => /^[!-~]+$/.test(text));
    return { wish: { headers: { 'surrogate-key': header } }, length: header.length, tag };
  });

/** Up to thousands, and more than an edge reads. */
const manyTags = fc
  .record({
    prefix: fc.constantFrom('t', 'tag-', 'x'.repeat(30), 'h/bystander.example/'),
    count: fc.constantFrom(1, 10, 500, 985, 1_000, 1_001, 3_000),
  })
  .map<HostileTags>((tags) => ({
    wish: { tags },
    length: tags.count * (tags.prefix.length + 4),
    tag: `${tags.prefix}${tags.count - 1}`,
  }));

export const hostileTags = fc.oneof(oddTags, oddTags, oddTags, manyTags);
