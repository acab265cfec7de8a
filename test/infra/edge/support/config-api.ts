import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { ConfigChange } from '../../../../infra/edge/agent/config-agent.d.mts';
import type { ConfigDocument } from '../../../../shared/edge-config/document.ts';
import { addressOf } from './listen.ts';

interface Cursor {
  readonly after: number;
  /** Where a whole sync is under way: up to where. */
  readonly wholeUntil?: number;
  readonly isFirst?: boolean;
}

/** The API's side of the configuration, as small as it can be: what an agent hears, and what it has told. */
export class ConfigApi {
  readonly token = 'edge_token';
  pageSize = 2;
  /** Responds so instead. */
  status = 200;
  isAway = false;
  requests = 0;
  mostAtOnce = 0;
  /** What was reported, by property. */
  readonly applied = new Map<string, string>();
  /** Each report as it came; undefined for a request without. */
  readonly reports: (string | undefined)[] = [];
  /** Waited for before each response. */
  before: () => Promise<unknown> = async () => undefined;
  private atOnce = 0;
  private readonly changes = new Map<string, ConfigChange & { readonly sequence: number }>();
  private sequence = 0;
  /** Cursors of another one are begun anew. */
  private era = 1;
  private readonly server: Server = createServer((request, response) => void this.serve(request, response));

  async start(): Promise<string> {
    return addressOf(this.server);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  write(document: ConfigDocument): void {
    this.put({ propertyId: document.propertyId, version: document.version, document });
  }

  /** What edges that have come past it are not told. */
  replaceSilently(document: ConfigDocument): void {
    const { propertyId } = document;
    const known = this.changes.get(propertyId);
    if (known) this.changes.set(propertyId, { ...known, document });
  }

  delete(propertyId: string): void {
    this.put({ propertyId, version: (this.changes.get(propertyId)?.version ?? 0) + 1, document: null });
  }

  /** No cursor is valid any more, and nothing tells of what was removed. */
  beginAnew(removed: readonly string[] = []): void {
    this.era += 1;
    for (const propertyId of removed) this.changes.delete(propertyId);
  }

  /** What an edge should serve. */
  documents(): ReadonlyMap<string, ConfigDocument> {
    return new Map(
      [...this.changes].flatMap(([id, { document }]) => (document ? [[id, document] as const] : [])),
    );
  }

  private put(change: ConfigChange): void {
    this.sequence += 1;
    this.changes.delete(change.propertyId);
    this.changes.set(change.propertyId, { ...change, sequence: this.sequence });
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests += 1;
    this.atOnce += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.atOnce);
    await this.before();
    this.atOnce -= 1;
    if (this.isAway) return void request.socket.destroy();
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://api');
    const isKnown = pathname === '/api/edge/config' && request.headers['x-edge-token'] === this.token;
    const status = isKnown && searchParams.has('keys') ? this.status : 401;
    if (status !== 200) return void response.writeHead(status).end('{"succeeded":false,"message":"No."}');
    this.note(searchParams.get('applied') ?? undefined);
    const data = this.page(this.cursorOf(searchParams.get('cursor')));
    response.end(JSON.stringify({ succeeded: true, message: '', data }));
  }

  private note(applied: string | undefined): void {
    this.reports.push(applied);
    for (const entry of applied?.split(',').filter((text) => text !== '') ?? []) {
      const [propertyId = '', ...rest] = entry.split(':');
      this.applied.set(propertyId, rest.join(':'));
    }
  }

  private cursorOf(text: string | null): Cursor {
    const [era, after, wholeUntil] = (text ?? '').split('.');
    if (era !== String(this.era)) return { after: 0, wholeUntil: this.sequence, isFirst: true };
    return { after: Number(after), ...(wholeUntil && { wholeUntil: Number(wholeUntil) }) };
  }

  private page({ after, wholeUntil, isFirst = false }: Cursor) {
    const later = [...this.changes.values()].filter(({ sequence }) => sequence > after);
    const named = later.filter(({ document }) => wholeUntil === undefined || document !== null);
    const changes = named.slice(0, this.pageSize);
    const isMore = named.length > changes.length;
    const reached = isMore ? (changes.at(-1)?.sequence ?? after) : this.sequence;
    const whole = isMore && wholeUntil !== undefined ? `.${wholeUntil}` : '';
    return {
      changes: changes.map(({ propertyId, version, document }) => ({ propertyId, version, document })),
      cursor: `${this.era}.${reached}${whole}`,
      isMore,
      isWhole: wholeUntil !== undefined,
      isFirst,
    };
  }
}
