import { volume } from '../../support/volume.ts';
import { picked } from './seed.ts';

/** Whether all of the suite runs. */
export const isAll = volume(0, 1) === 1;

/** Of a list so many in part of the tests, spread evenly, and so many in all of them, drawn by the seed. */
export function shareOf<Item>(items: readonly Item[], enough: number, all: number): readonly Item[] {
  return isAll ? picked(items, all) : evenly(items, enough);
}

/** As far from each other as can be. */
function evenly<Item>(items: readonly Item[], count: number): readonly Item[] {
  const step = Math.max(1, items.length / count);
  return items.filter(
    (_, index) => Math.floor((index + step / 2) / step) > Math.floor((index - 1 + step / 2) / step),
  );
}
