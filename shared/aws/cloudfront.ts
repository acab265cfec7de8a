import {
  CloudFrontClient,
  CreateInvalidationCommand,
  GetInvalidationCommand,
  ListInvalidationsCommand,
} from '@aws-sdk/client-cloudfront';

/** CloudFront's API is in one region for the whole world, which may be far away. */
const connectMilliseconds = 1_000;
const totalMilliseconds = 5_000;

let client: CloudFrontClient | undefined;

/**
 * @param reference the same reference and paths give the same invalidation again
 * @returns the invalidation's id
 */
export async function createInvalidation(
  DistributionId: string,
  paths: readonly string[],
  reference: string,
): Promise<string> {
  const InvalidationBatch = {
    CallerReference: reference,
    Paths: { Quantity: paths.length, Items: [...paths] },
  };
  const { Invalidation } = await cloudFront().send(
    new CreateInvalidationCommand({ DistributionId, InvalidationBatch }),
    timeLimit(),
  );
  if (!Invalidation?.Id) throw new Error('CloudFront responded without an invalidation');
  return Invalidation.Id;
}

export async function isInvalidationCompleted(DistributionId: string, Id: string): Promise<boolean> {
  const { Invalidation } = await cloudFront().send(
    new GetInvalidationCommand({ DistributionId, Id }),
    timeLimit(),
  );
  return Invalidation?.Status === 'Completed';
}

/** Changes nothing. @throws Error unless these credentials may see the distribution's invalidations */
export async function listInvalidations(DistributionId: string): Promise<void> {
  await cloudFront().send(new ListInvalidationsCommand({ DistributionId, MaxItems: 1 }), timeLimit());
}

/** Asks once: whoever asks comes back later. The SDK signs for CloudFront's region itself, wherever this runs. */
function cloudFront(): CloudFrontClient {
  client ??= new CloudFrontClient({
    maxAttempts: 1,
    requestHandler: { connectionTimeout: connectMilliseconds },
  });
  return client;
}

function timeLimit() {
  return { abortSignal: AbortSignal.timeout(totalMilliseconds) };
}
