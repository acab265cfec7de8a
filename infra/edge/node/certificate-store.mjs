import { createHash } from 'node:crypto';

/**
 * The file by which nginx gets certificates, as nginx/certificates.lua reads it: a line that changes with the content; a line
 * of JSON that says where in the rest the certificate of a name, and that of a source, begins and how long it is; the rest.
 * @param certificates by where they came from
 */
export function storeOf(certificates) {
  const names = new Map();
  const sources = new Map();
  let rest = '';
  for (const [source, certificate] of certificates) {
    const place = [rest.length, certificate.pem.length];
    rest += certificate.pem;
    sources.set(source, place);
    for (const name of certificate.names) {
      const other = names.get(name);
      if (!other || other.endsAt < certificate.endsAt) names.set(name, { endsAt: certificate.endsAt, place });
    }
  }
  const places = [...names].map(([name, { place }]) => [name, place]);
  const index = { names: Object.fromEntries(places), sources: Object.fromEntries(sources) };
  const content = `${JSON.stringify(index)}\n${rest}`;
  const version = createHash('sha256').update(content).digest('hex');
  return { text: `${version}\n${content}`, names: names.size };
}

/** @returns the texts of a store's certificates by where they came from */
export function textsOfStore(text) {
  const [, line, ...lines] = text.split('\n');
  const rest = lines.join('\n');
  const places = Object.entries(JSON.parse(line).sources);
  return places.map(([source, [start, length]]) => [source, rest.slice(start, start + length)]);
}
