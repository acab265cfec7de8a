import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authorizerEvent, proxyEvent, type SentRequest } from '../../../infra/generate/gateway-event.ts';
import type { LocalRun } from '../../../infra/local/local-run.ts';
import { Caller } from '../../../shared/ground/caller.ts';
import { TestAuthority } from '../../infra/edge/support/test-authority.ts';
import { startCold } from './cold-start.ts';
import { sharedFolders } from './folders.ts';
import { withLocalRun } from './local-run.ts';
import { startTlsProxy } from './tls-proxy.ts';

/** Cold starts of functions that are called with a purge, over TLS to the services of a local run. */
export class ColdRun {
  /** For bundles. */
  readonly folder: string;
  private readonly run: LocalRun;
  private readonly overTls: Readonly<Record<string, string>>;

  constructor(run: LocalRun, folder: string, overTls: Readonly<Record<string, string>>) {
    this.run = run;
    this.folder = folder;
    this.overTls = overTls;
  }

  /** Milliseconds of the authorizer's CPU, and whom it found. */
  async authorize(): Promise<{ readonly milliseconds: number; readonly caller: Caller }> {
    const { milliseconds, result } = await startCold(bundleOf('authorizer'), {
      event: authorizerEvent(this.purge()),
      environment: this.environmentOf('authorizer'),
    });
    return { milliseconds, caller: Caller.parse(Object(result).context) };
  }

  /** Milliseconds of the CPU of a function that purges. @param caller where it does not find that out itself */
  async purgeBy(bundle: string, caller?: Caller): Promise<number> {
    const { milliseconds, result } = await startCold(bundle, {
      event: proxyEvent({ ...this.purge(), caller }),
      environment: { ...this.environmentOf('authorizer'), ...this.environmentOf('purge-create') },
    });
    const { statusCode, body } = Object(result);
    if (statusCode !== 200) throw new Error(`${bundle} has responded with ${statusCode} ${body}`);
    return milliseconds;
  }

  private purge(): SentRequest {
    return {
      method: 'POST',
      resource: '/api/property/{propertyId}/purge',
      pathParameters: { propertyId: this.run.propertyId },
      headers: { 'X-API-Key': this.run.apiKey, 'Content-Type': 'application/json' },
      body: JSON.stringify({ type: 'url', urls: ['/news'] }),
    };
  }

  private environmentOf(name: string): Readonly<Record<string, string>> {
    return { ...this.run.functions.environmentOf(`CdnManagement-${name}`), ...this.overTls };
  }
}

/** Where the build has put a function. */
export function bundleOf(name: string): string {
  return join(sharedFolders().bundles, name, 'index.mjs');
}

export function withColdRun<Found>(measure: (run: ColdRun) => Promise<Found>): Promise<Found> {
  return withLocalRun(async (run) => {
    const authority = new TestAuthority();
    const folder = mkdtempSync(join(tmpdir(), 'cdn-management-cold-'));
    const [dynamodb, sqs] = await Promise.all([
      startTlsProxy(run.endpoints.dynamodb, authority),
      startTlsProxy(run.endpoints.sqs, authority),
    ]);
    const overTls = {
      AWS_ENDPOINT_URL_DYNAMODB: dynamodb.url,
      AWS_ENDPOINT_URL_SQS: sqs.url,
      NODE_EXTRA_CA_CERTS: authority.certificateFile,
    };
    const found = await measure(new ColdRun(run, folder, overTls));
    for (const proxy of [dynamodb, sqs]) proxy.stop();
    authority.remove();
    rmSync(folder, { recursive: true, force: true });
    return found;
  });
}
