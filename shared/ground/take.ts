/** So many of what comes, after the first ones; fewer where it ends. */
export async function take<Item>(
  items: AsyncGenerator<Item>,
  { after = 0, count }: { readonly after?: number; readonly count: number },
): Promise<readonly Item[]> {
  const taken: Item[] = [];
  for (let passed = 0; taken.length < count; passed += 1) {
    const { value, done } = await items.next();
    if (done) break;
    if (passed >= after) taken.push(value);
  }
  return taken;
}
