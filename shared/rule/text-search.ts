/** One text in which many things are looked for. */
export interface TextSearch {
  /** Whether a pattern matches the whole text: `*` any run of characters, also none; `?` one character. */
  wildcard(pattern: string): boolean;
  contains(part: string): boolean;
}

/** One bit for each place in a text. */
type Places = Uint32Array;

const wordBits = 32;
const allBits = 0xffffffff;

/**
 * Follows all ways through a text at once: the places that the beginning of what is looked for can end at. So a
 * search costs its length times a 32nd of the text's, whatever either holds, where the language's own search can
 * cost their product.
 */
export function textSearch(text: string): TextSearch {
  const characters = Array.from(text);
  const { placesOf, anywhere, reached } = index(characters);
  const follow = (symbol: string, allowed = placesOf.get(symbol)): boolean =>
    allowed !== undefined && advance(reached, allowed);
  return {
    wildcard: (pattern) => {
      reached.fill(0);
      add(reached, 0);
      for (const symbol of pattern) {
        if (symbol === '*') spread(reached);
        else if (!follow(symbol, symbol === '?' ? anywhere : undefined)) return false;
      }
      return has(reached, characters.length);
    },
    contains: (part) => {
      reached.fill(allBits);
      for (const symbol of part) if (!follow(symbol)) return false;
      return true;
    },
  };
}

/** Where each character stands in a text, and where any does. */
function index(characters: readonly string[]) {
  const noPlaces = (): Places => new Uint32Array((characters.length >>> 5) + 1);
  const anywhere = noPlaces();
  const placesOf = new Map<string, Places>();
  for (const [position, character] of characters.entries()) {
    const places = placesOf.get(character) ?? noPlaces();
    add(places, position);
    add(anywhere, position);
    placesOf.set(character, places);
  }
  return { placesOf, anywhere, reached: noPlaces() };
}

function add(places: Places, place: number): void {
  places[place >>> 5] = (places[place >>> 5] ?? 0) | (1 << (place % wordBits));
}

/** Goes one character on from each reached place that is allowed. @returns false when none was */
function advance(reached: Places, allowed: Places): boolean {
  let carry = 0;
  let any = 0;
  for (let index = 0; index < reached.length; index += 1) {
    const from = (reached[index] ?? 0) & (allowed[index] ?? 0);
    reached[index] = (from << 1) | carry;
    carry = from >>> (wordBits - 1);
    any |= from;
  }
  return any !== 0;
}

/** Reaches every place from the first reached one on. */
function spread(reached: Places): void {
  const first = reached.findIndex((word) => word !== 0);
  const word = reached[first] ?? 0;
  reached[first] = word | -word;
  reached.fill(allBits, first + 1);
}

function has(places: Places, place: number): boolean {
  return ((places[place >>> 5] ?? 0) & (1 << (place % wordBits))) !== 0;
}
