/** Some items, one at least. */
export type NonEmpty<Item> = readonly [Item, ...Item[]];
