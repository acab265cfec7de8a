import { SQSClient } from '@aws-sdk/client-sqs';
import { clientSettings, unlogged } from './client-settings.ts';

let client: SQSClient | undefined;

/** The process's client; the queue's URL names the queue only, so that the end point can be set apart. */
export function sqs(): SQSClient {
  client ??= unlogged(new SQSClient({ ...clientSettings(), useQueueUrlAsEndpoint: false }));
  return client;
}
