import { createHash } from 'node:crypto';
import { createInvalidation, isInvalidationCompleted, listInvalidations } from '../aws/cloudfront.ts';
import { isUnavailable } from '../aws/unavailable.ts';
import { invalidationPaths } from './cloudfront-paths.ts';
import { distributionOf } from './distribution.ts';
import { type AsynchronousDriver, EdgeFailure, type EdgeFailureKind } from './driver.ts';
import type { Edge } from './edge.ts';

/** What CloudFront's status does not tell. AWS's own texts stay here: they name roles and accounts. */
const failures: Readonly<Record<string, readonly [EdgeFailureKind, string]>> = {
  AccessDenied: [
    'denied',
    'CloudFront does not let us: is the distribution among the stack’s cloudFrontDistributions?',
  ],
  NoSuchDistribution: ['denied', 'CloudFront knows no such distribution'],
  TooManyInvalidationsInProgress: [
    'unreachable',
    'CloudFront is still at work on as many paths as it takes at a time',
  ],
};

/** A distribution of the stack's own AWS account; our role is its secret. */
export const cloudfront: AsynchronousDriver = {
  prepare(purge) {
    const paths = invalidationPaths(purge);
    return {
      paths: paths.length,
      start: (edge, reference) => ask(edge, (id) => createInvalidation(id, paths, ofPaths(reference, paths))),
    };
  },
  isDone: (edge, handle) => ask(edge, (id) => isInvalidationCompleted(id, handle)),
  async check(edge) {
    await ask(edge, listInvalidations);
    return 'these credentials may see the distribution’s invalidations';
  },
};

/** CloudFront refuses other paths under a reference that it knows: a later version of this code may make others. */
function ofPaths(reference: string, paths: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([reference, paths]))
    .digest('hex');
}

async function ask<Result>(
  { url }: Edge,
  question: (distribution: string) => Promise<Result>,
): Promise<Result> {
  const distribution = distributionOf(url);
  if (distribution === undefined) throw new EdgeFailure('denied', 'the edge’s address names no distribution');
  try {
    return await question(distribution);
  } catch (error) {
    throw failureOf(error);
  }
}

function failureOf(error: unknown): EdgeFailure {
  if (error instanceof EdgeFailure) return error;
  if (!(error instanceof Error)) return new EdgeFailure('unreachable', 'CloudFront could not be asked');
  const known = failures[error.name];
  if (known) return new EdgeFailure(...known);
  const status = statusOf(error);
  if (status < 400 || status === 429 || status >= 500 || isUnavailable(error)) {
    return new EdgeFailure('unreachable', `CloudFront cannot be reached or is busy (${error.name})`);
  }
  return status === 401 || status === 403
    ? new EdgeFailure('denied', `CloudFront does not accept our credentials (${error.name})`)
    : new EdgeFailure('refused', `CloudFront does not take this purge (${error.name})`);
}

function statusOf(error: Error): number {
  const metadata: unknown = Reflect.get(error, '$metadata');
  const status: unknown =
    typeof metadata === 'object' && metadata !== null && Reflect.get(metadata, 'httpStatusCode');
  return typeof status === 'number' ? status : 0;
}
