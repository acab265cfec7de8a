import fc from 'fast-check';

/** Texts that have broken programs: each is text to keep as it is, or to refuse in words. */
export const naughtyTexts: readonly string[] = [
  // Nothing, spaces, and what is not seen.
  ...['', ' ', '\u00a0', '\u2003x\u2003', '\u200b', '\u200d', '\u2060', '\ufeff', '\u00ad', '\u180e'],
  ...['\u3164', '\ufff9'],
  // Control characters.
  ...['\0', 'a\0b', '\u0001', '\b', '\t', '\n', '\r\n', 'a\rb', '\u000b', '\u001b[31mred', '\u007f'],
  ...['\u0085', '\u2028', '\u2029'],
  // Directions.
  ...['\u202eevil\u202c', '\u2066x\u2069', '\u200fשלום', 'مرحبا', '\u061c'],
  // No Unicode text.
  ...['\ud800', '\udc00x', 'x\udfff\ud800', '\ufffe', '\uffff', '\ufdd0', '\u{1fffe}', '\u{10ffff}'],
  ...['\ufffd'],
  // What grows or changes when it is normalised or its case is.
  ...['\ufdfa', '\ufdfa'.repeat(12), 'İ', 'İ'.repeat(200), 'ß', 'ſ', 'K', 'Å', 'ﬁ', 'ǰ', 'ΐ', 'Ⅷ', '①'],
  ...['㍍', 'e\u0301', '\u00e9', '가'],
  // Many marks, many code units for one character.
  ...[`x${'\u0301'.repeat(60)}`, '👨‍👩‍👧‍👦', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '😀'.repeat(100), '😀'.repeat(101), '𝒳'.repeat(199)],
  ...['\u{e0041}'],
  // Around the limits.
  ...['x'.repeat(199), 'x'.repeat(200), 'x'.repeat(201), 'x'.repeat(255), 'x'.repeat(256), 'x'.repeat(1_001)],
  ...['x'.repeat(2_048), 'x'.repeat(2_049), 'x'.repeat(9_999), 'x'.repeat(10_000), 'x'.repeat(10_001)],
  ...['é'.repeat(10_000)],
  // Snippets of other languages.
  ...["' OR '1'='1", "'; DROP TABLE accounts;--", '<script>alert(1)</script>'],
  ...['"><img src=x onerror=alert(1)>'],
  ...['{{7*7}}', '$\x7b7*7}', '#{7*7}', '<%= 7*7 %>', '$(id)', '`id`', '| id', '%s%n', '%00', '%0d%0a'],
  ...['../../../etc/passwd'],
  ...['x\r\nSet-Cookie: a=b', 'x\r\n\r\n<html>', '\\', '"', "'", '\\u0000', '&amp;', '=1+1', '(?:a+)+$'],
  ...['*'.repeat(150)],
  ...['__proto__', 'constructor', 'toString', 'null', 'undefined', 'NaN', 'true', '0', '-0', '1e400'],
  ...['[object Object]'],
  ...['https://www.example.com@evil.example/', 'javascript:alert(1)', 'data:text/html,x'],
  ...['file:///etc/passwd', '//evil.example'],
  ...['http://169.254.169.254/', 'http://[::1]/', 'http://0x7f.1/', 'http://localhost:1/', 'xn--a', 'xn--'],
  ...['a..b', 'faß.example', '例え.テスト'],
  // A credential in the wrong place.
  ...[
    '{planted}',
    'Bearer {planted}',
    'https://{planted}@www.example.com/',
    '/x?key={planted}',
    '{planted}|x',
  ],
];

const unit = fc.oneof(
  fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code)),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  fc.constantFrom(...naughtyTexts.filter((text) => text.length < 30)),
);

/** One of the list, or a text put together of its parts and of any characters. */
export const naughtyText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...naughtyTexts),
  fc.array(unit, { maxLength: 12 }).map((units) => units.join('')),
  fc
    .tuple(unit, fc.constantFrom(10, 60, 100, 199, 200, 201, 255, 256))
    .map(([text, times]) => text.repeat(times)),
);
