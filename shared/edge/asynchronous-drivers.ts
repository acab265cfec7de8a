import type { Touches } from '../ground/resources.ts';
import type { AsynchronousDriverName } from './backends.ts';
import { cloudfront } from './cloudfront.ts';
import type { AsynchronousDriver } from './driver.ts';

export const asynchronousDriversTouches = {
  distributions: ['CreateInvalidation', 'GetInvalidation'],
} as const satisfies Touches;

/** Every backend that takes its time for a purge, one line each. */
export const asynchronousDrivers: Readonly<Record<AsynchronousDriverName, AsynchronousDriver>> = {
  cloudfront,
};
