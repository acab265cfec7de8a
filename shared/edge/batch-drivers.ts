import type { Touches } from '../ground/resources.ts';
import type { BatchDriverName } from './backends.ts';
import { cloudfront } from './cloudfront.ts';
import type { BatchDriver } from './driver.ts';

export const batchDriversTouches = {
  distributions: ['CreateInvalidation', 'GetInvalidation', 'ListInvalidations'],
} as const satisfies Touches;

/** Every backend that is asked in batches, one line each. */
export const batchDrivers: Readonly<Record<BatchDriverName, BatchDriver>> = {
  cloudfront,
};
