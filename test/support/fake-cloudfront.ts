import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '../../infra/local/host/listen.ts';
import { now } from './unix-time.ts';

/** What goes wrong with every call until it is taken back. */
export type CloudFrontFault = CloudFrontError | 'hang' | 'hang in the response' | 'refuse';

interface CloudFrontError {
  readonly status: number;
  readonly code: string;
}

interface Invalidation {
  readonly id: string;
  readonly distribution: string;
  readonly reference: string;
  readonly paths: readonly string[];
  /** Milliseconds of Unix time, finer than the clock's own. */
  readonly at: number;
  polls: number;
}

const namespace = 'http://cloudfront.amazonaws.com/doc/2020-05-31/';
const route = /^\/2020-05-31\/distribution\/([^/]+)\/invalidation(?:\/([^/?]+))?(?:\?MaxItems=(\d+))?$/;
const accessDenied = { status: 403, code: 'AccessDenied' };
const noSuchDistribution = { status: 404, code: 'NoSuchDistribution' };
const noSuchInvalidation = { status: 404, code: 'NoSuchInvalidation' };
const invalidArgument = { status: 400, code: 'InvalidArgument' };
const alreadyExists = { status: 400, code: 'InvalidationBatchAlreadyExists' };
const tooMany = { status: 400, code: 'TooManyInvalidationsInProgress' };

function escaped(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function unescaped(xml: string): string {
  return xml
    .replace(/&#x([0-9a-fA-F]+);/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&');
}

function elements(xml: string, name: string): readonly string[] {
  return [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, inner = '']) =>
    unescaped(inner),
  );
}

/** As the developer guide has it: from the root, escaped, without ~, and with * at the end only. */
function isPath(path: string): boolean {
  return path.length <= 4_000 && /^\/(?:[A-Za-z0-9/?\-._!$&'()+,;:=@]|%[0-9A-F]{2})*\*?$/.test(path);
}

function isWide(path: string): boolean {
  return path.endsWith('*');
}

/**
 * CloudFront's three operations on invalidations, on this machine. Made from AWS's API reference and developer
 * guide, not recorded from AWS.
 */
export class FakeCloudFront {
  readonly distributions = new Set<string>();
  /** Known, and not ours. */
  readonly foreign = new Set<string>();
  readonly invalidations: Invalidation[] = [];
  /** How often an invalidation is said to be in progress before it is completed. */
  pollsUntilDone = 1;
  fault: CloudFrontFault | undefined;
  url = '';
  private readonly server = createServer((request, response) => {
    this.handle(request, response).catch(() => response.destroy());
  });

  async start(): Promise<void> {
    this.url = `http://127.0.0.1:${await listen(this.server, 0, 'the fake CloudFront')}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const { fault } = this;
    if (fault === 'hang') return;
    if (fault === 'refuse') return void response.destroy();
    if (fault === 'hang in the response') return void response.writeHead(200).write('<Invalidation>');
    const result = fault ?? this.respond(String(request.method), String(request.url), body);
    if (typeof result === 'string') {
      response.writeHead(request.method === 'POST' ? 201 : 200, { 'content-type': 'text/xml' });
      return void response.end(result);
    }
    response.writeHead(result.status, { 'content-type': 'text/xml' });
    response.end(
      `<ErrorResponse xmlns="${namespace}"><Error><Type>Sender</Type><Code>${result.code}</Code>` +
        '<Message>User: arn:aws:sts::123456789012:assumed-role/secret-role/x</Message></Error>' +
        '<RequestId>1</RequestId></ErrorResponse>',
    );
  }

  private respond(method: string, url: string, body: string): string | CloudFrontError {
    const [, distribution = '', id, maximum] = route.exec(url) ?? [];
    if (this.foreign.has(distribution)) return accessDenied;
    if (!this.distributions.has(distribution)) return noSuchDistribution;
    if (method === 'POST') return this.create(distribution, body);
    if (id !== undefined) return this.get(distribution, id);
    return maximum === '1' ? this.list(distribution) : invalidArgument;
  }

  private create(distribution: string, body: string): string | CloudFrontError {
    const [reference = ''] = elements(body, 'CallerReference');
    const paths = elements(body, 'Path');
    const isCounted = elements(body, 'Quantity')[0] === String(paths.length);
    if (!reference || paths.length === 0 || !isCounted || !paths.every(isPath)) return invalidArgument;
    const known = this.invalidations.find(
      (made) => made.distribution === distribution && made.reference === reference,
    );
    if (known) return String(known.paths) === String(paths) ? this.show(known) : alreadyExists;
    const busy = this.invalidations.filter(
      (made) => made.distribution === distribution && !this.isDone(made),
    );
    const all = [...busy.flatMap((made) => made.paths), ...paths];
    const wide = all.filter(isWide).length;
    if (wide > 15 || all.length - wide > 3_000) return tooMany;
    const at = now();
    const made = { id: `I${this.invalidations.length + 1}`, distribution, reference, paths, at, polls: 0 };
    this.invalidations.push(made);
    return this.show(made);
  }

  private get(distribution: string, id: string): string | CloudFrontError {
    const known = this.invalidations.find((made) => made.distribution === distribution && made.id === id);
    if (!known) return noSuchInvalidation;
    const shown = this.show(known);
    known.polls += 1;
    return shown;
  }

  private list(distribution: string): string {
    const [newest] = this.invalidations.filter((made) => made.distribution === distribution).slice(-1);
    const items = newest
      ? `<Items><InvalidationSummary><Id>${newest.id}</Id></InvalidationSummary></Items>`
      : '';
    return (
      `<InvalidationList xmlns="${namespace}"><Marker></Marker><MaxItems>1</MaxItems>` +
      `<IsTruncated>false</IsTruncated><Quantity>${newest ? 1 : 0}</Quantity>${items}</InvalidationList>`
    );
  }

  private isDone({ polls }: Invalidation): boolean {
    return polls >= this.pollsUntilDone;
  }

  private show(made: Invalidation): string {
    const paths = made.paths.map((path) => `<Path>${escaped(path)}</Path>`).join('');
    return (
      `<Invalidation xmlns="${namespace}"><Id>${made.id}</Id>` +
      `<Status>${this.isDone(made) ? 'Completed' : 'InProgress'}</Status>` +
      '<CreateTime>2026-01-01T00:00:00.000Z</CreateTime><InvalidationBatch><Paths>' +
      `<Quantity>${made.paths.length}</Quantity><Items>${paths}</Items></Paths>` +
      `<CallerReference>${escaped(made.reference)}</CallerReference></InvalidationBatch></Invalidation>`
    );
  }
}
