import { changesOf, raiseChange } from '../../../shared/property/config-change-table.ts';
import { allProperties, propertyExistsStep } from '../../../shared/property/property-table.ts';

/** Gives each property of which no change was ever written its first one, so that edges find it. */
export async function publishProperties(progress: (text: string) => void): Promise<{ published: number }> {
  const properties = await allProperties();
  const known = await changesOf(properties.map(({ id }) => id));
  const unknown = properties.filter(({ id }) => !known.has(id));
  let published = 0;
  for (const { accountId, id } of unknown) {
    // One that is deleted meanwhile needs no edge.
    const refused = await raiseChange({ accountId, propertyId: id }, [propertyExistsStep(accountId, id)]);
    if (!refused) published += 1;
    progress(`${published} of ${unknown.length} properties published`);
  }
  return { published };
}
