/** Names and values of an expression by placeholder, so that no attribute's name meets a reserved word. */
export class Placeholders {
  private readonly names = new Map<string, string>();
  private readonly values = new Map<string, unknown>();

  name(attribute: string): string {
    const placeholder = `#${attribute}`;
    this.names.set(placeholder, attribute);
    return placeholder;
  }

  value(value: unknown): string {
    const placeholder = `:v${this.values.size}`;
    this.values.set(placeholder, value);
    return placeholder;
  }

  get inputs() {
    return {
      ...(this.names.size > 0 && { ExpressionAttributeNames: Object.fromEntries(this.names) }),
      ...(this.values.size > 0 && { ExpressionAttributeValues: Object.fromEntries(this.values) }),
    };
  }
}

/** What must hold of a stored item, or of its absence. `Attribute` is any of the attributes that it looks at. */
export interface Condition<Attribute extends string> {
  readonly attribute?: Attribute;
  write(to: Placeholders): string;
}

type Comparison = '=' | '<' | '<=' | '>' | '>=';

export function absent<Attribute extends string>(attribute: Attribute): Condition<Attribute> {
  return { write: (to) => `attribute_not_exists(${to.name(attribute)})` };
}

export function present<Attribute extends string>(attribute: Attribute): Condition<Attribute> {
  return { write: (to) => `attribute_exists(${to.name(attribute)})` };
}

/** Compares numbers as numbers, and texts and bytes in their order; an absent attribute is never equal, less or greater. */
export function compare<Attribute extends string>(
  attribute: Attribute,
  comparison: Comparison,
  value: string | number | Uint8Array,
): Condition<Attribute> {
  return { write: (to) => `${to.name(attribute)} ${comparison} ${to.value(value)}` };
}

/** The attribute is a set that holds the value. */
export function holds<Attribute extends string>(attribute: Attribute, value: string): Condition<Attribute> {
  return { write: (to) => `contains(${to.name(attribute)}, ${to.value(value)})` };
}

export function allOf<Attribute extends string>(
  ...conditions: readonly Condition<Attribute>[]
): Condition<Attribute> {
  return { write: (to) => conditions.map((condition) => `(${condition.write(to)})`).join(' AND ') };
}

export function anyOf<Attribute extends string>(
  ...conditions: readonly Condition<Attribute>[]
): Condition<Attribute> {
  return { write: (to) => conditions.map((condition) => `(${condition.write(to)})`).join(' OR ') };
}

/** Changes of one item, made together. */
export interface Change<Item> {
  readonly set?: Partial<Item>;
  readonly setIfAbsent?: Partial<Item>;
  readonly remove?: readonly (keyof Item & string)[];
  /** Adds to numbers; an absent one counts as 0. */
  readonly add?: { readonly [Name in keyof Item]?: number };
  /** Takes elements out of sets. */
  readonly deleteFrom?: { readonly [Name in keyof Item]?: ReadonlySet<string> };
}

export function updateExpression<Item extends object>(change: Change<Item>, to: Placeholders): string {
  const { set = {}, setIfAbsent = {}, remove = [], add = {}, deleteFrom = {} } = change;
  const assignments = [
    ...given(set).map(([name, value]) => `${to.name(name)} = ${to.value(value)}`),
    ...given(setIfAbsent).map(([name, value]) => {
      const attribute = to.name(name);
      return `${attribute} = if_not_exists(${attribute}, ${to.value(value)})`;
    }),
  ];
  return [
    ...clause('SET', assignments),
    ...clause(
      'REMOVE',
      remove.map((name) => to.name(name)),
    ),
    ...clause(
      'ADD',
      given(add).map(([name, value]) => `${to.name(name)} ${to.value(value)}`),
    ),
    ...clause(
      'DELETE',
      given(deleteFrom).map(([name, value]) => `${to.name(name)} ${to.value(value)}`),
    ),
  ].join(' ');
}

function given(values: object): readonly (readonly [name: string, value: unknown])[] {
  return Object.entries(values).filter(([, value]) => value !== undefined);
}

function clause(word: string, parts: readonly string[]): readonly string[] {
  return parts.length > 0 ? [`${word} ${parts.join(', ')}`] : [];
}
