import type { FunctionDeclaration } from '../shared/ground/function.ts';
import { declaration as authorizer } from './authorizer.ts';
import { declaration as catchUp } from './catch-up.ts';
import { declaration as catchUpSchedule } from './catch-up-schedule.ts';
import { declaration as configNotifier } from './config-notifier.ts';
import { declaration as fallback } from './fallback.ts';
import { declaration as invalidationConsumer } from './invalidation-consumer.ts';
import { declaration as purgeConsumer } from './purge-consumer.ts';
import { declaration as swaggerAsset } from './swagger/asset.ts';
import { declaration as swaggerDocument } from './swagger/document.ts';
import { declaration as swaggerPage } from './swagger/page.ts';

/** Every function that is not an endpoint, by its file. */
export const otherFunctions: Readonly<Record<string, FunctionDeclaration>> = {
  authorizer,
  fallback,
  'invalidation-consumer': invalidationConsumer,
  'purge-consumer': purgeConsumer,
  'config-notifier': configNotifier,
  'catch-up': catchUp,
  'catch-up-schedule': catchUpSchedule,
  'swagger/document': swaggerDocument,
  'swagger/page': swaggerPage,
  'swagger/asset': swaggerAsset,
};
