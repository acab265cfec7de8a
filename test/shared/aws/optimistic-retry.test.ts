import { expect, test } from 'vitest';
import { untilWritten } from '../../../shared/aws/optimistic-retry.ts';

test('work is repeated until it is written', async () => {
  let attempts = 0;
  expect(await untilWritten(async () => (++attempts < 100 ? undefined : 'written'))).toBe('written');
  expect(attempts).toBe(100);
});

test('work that never comes through ends as 503, and an error ends it at once', async () => {
  await expect(untilWritten(async () => undefined)).rejects.toMatchObject({ code: 'unavailable' });
  let attempts = 0;
  const failing = untilWritten(async () => {
    attempts += 1;
    throw new RangeError('broken');
  });
  await expect(failing).rejects.toThrow('broken');
  expect(attempts).toBe(1);
});
