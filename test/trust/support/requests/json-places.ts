/** The way to a part of a JSON value: names of fields and indices. */
export type Place = readonly (string | number)[];

/** Every place of a value, the whole first. */
export function placesIn(value: unknown, place: Place = []): readonly Place[] {
  return [place, ...members(value).flatMap(([name, item]) => placesIn(item, [...place, name]))];
}

/** @returns undefined where there is no such place */
export function at(value: unknown, place: Place): unknown {
  return place.reduce(
    (part, name) =>
      typeof part === 'object' && part !== null && Object.hasOwn(part, name)
        ? Reflect.get(part, name)
        : undefined,
    value,
  );
}

/** The value as JSON with a text of any kind in one place. */
export function withText(value: unknown, [name, ...rest]: Place, text: string): string {
  if (name === undefined) return text;
  const parts = members(value).map(([each, item]) => [
    each,
    each === name ? withText(item, rest, text) : JSON.stringify(item),
  ]);
  return Array.isArray(value)
    ? `[${parts.map(([, json]) => json).join()}]`
    : `{${parts.map(([each, json]) => `${JSON.stringify(each)}:${json}`).join()}}`;
}

/** The object in a place with one more member, written as it stands in JSON: `"name":1`. */
export function withMember(value: unknown, place: Place, member: string): string {
  const object = JSON.stringify(at(value, place)).slice(0, -1);
  return withText(value, place, `${object}${object === '{' ? '' : ','}${member}}`);
}

/** The value without one place. */
export function without(value: unknown, place: Place): string {
  const parent = at(value, place.slice(0, -1));
  const name = place.at(-1);
  const kept = members(parent).filter(([each]) => each !== name);
  const left = Array.isArray(parent) ? kept.map(([, item]) => item) : Object.fromEntries(kept);
  return withText(value, place.slice(0, -1), JSON.stringify(left));
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function members(value: unknown): readonly (readonly [string | number, unknown])[] {
  if (Array.isArray(value)) return value.map((item, index) => [index, item]);
  return isObject(value) ? Object.entries(value) : [];
}
