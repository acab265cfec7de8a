import type { TableName } from '../../../../shared/ground/resources.ts';
import type { World } from './world.ts';
import { readTables } from './world-tables.ts';

/**
 * How far work has come that goes on after the response; tries, which may be counted too high; and the total of the
 * purge history, which its last page corrects.
 */
const uncounted = new Set([
  ...[
    'lastUsedAt',
    'progress',
    'revision',
    'startedAt',
    'requestedBy',
    'purges',
    'shard',
    'sequence',
    'claimedAt',
  ],
  ...['totpFailures', 'totpRetryAt', 'expiresAt'],
]);

/** What is stored of a world, in words that are the same for every world to which the same was done. */
export class WorldState {
  private readonly world: World;
  private readonly written: ReadonlySet<TableName>;
  /** Names for what is drawn, in the order in which it was seen. */
  private names: Map<string, string> = new Map();
  /** Of what was there at first: what comes later is named anew each time, whatever was seen in between. */
  private firstNames: ReadonlyMap<string, string> | undefined;

  /** @param written the tables that may be other than before */
  constructor(world: World, written: ReadonlySet<TableName>) {
    this.world = world;
    this.written = written;
  }

  async read(): Promise<string> {
    const read = await readTables(this.world, this.written);
    this.names = new Map(this.firstNames);
    const worded = Object.entries(read).map(([name, items]) => [name, this.worded(items)]);
    this.firstNames ??= this.names;
    return JSON.stringify(worded, undefined, 1);
  }

  private worded(value: unknown): unknown {
    if (typeof value === 'string') return this.wordedText(value);
    if (typeof value === 'number') return value > 1_000_000 ? 'large' : value;
    if (value instanceof Uint8Array) return this.nameOf(Buffer.from(value).toString('base64'));
    if (value instanceof Set) return [value.size, this.nameOf([...value].sort().join())];
    if (Array.isArray(value)) return value.map((each) => this.worded(each));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([field]) => !uncounted.has(field))
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([field, each]) => [
          field,
          this.worded(field === 'tokenVersion' ? `version ${each} of tokens` : each),
        ]),
    );
  }

  private wordedText(text: string): string {
    if (/^\d{4}-\d\d-\d\d(T.*Z)?$/.test(text)) return 'time';
    const isDrawn = /^svc_|^version \d+ of tokens$|^\$argon2/.test(text) || /^[\w+/=-]{40,}$/.test(text);
    if (isDrawn) return this.nameOf(text);
    return text
      .replaceAll(this.world.domain, 'example.com')
      .replaceAll(/\b[0-9a-z]{26}\b/g, (id) => this.nameOf(id))
      .replaceAll(/^\d{4}-\d\d-\d\dT?[\d:]*#/g, 'bucket#');
  }

  private nameOf(drawn: string): string {
    const name = this.names.get(drawn) ?? `#${this.names.size + 1}`;
    this.names.set(drawn, name);
    return name;
  }
}
