import type { ConfigDocument } from '../../shared/edge-config/document.ts';
import type { ApiResponse } from './api-client.ts';
import type { TestRun } from './test-run.ts';

interface Change {
  readonly propertyId: string;
  readonly version: number;
  readonly document: ConfigDocument | null;
}

/** What an edge asks for: `keys` is all kinds by default, the rest is left out. */
export interface Poll {
  readonly keys?: string;
  readonly cursor?: string;
  readonly applied?: string;
}

/** Asks for its configuration as an edge does. */
export function poll(
  run: TestRun,
  token: string,
  { keys = 'h,u,p,t,r', ...rest }: Poll = {},
): Promise<ApiResponse> {
  const query = new URLSearchParams({ keys, ...rest });
  return run.api.send(`/api/edge/config?${query}`, { method: 'GET', headers: [['X-Edge-Token', token]] });
}

/** An edge that keeps what it is given. */
export class PollingEdge {
  readonly documents = new Map<string, ConfigDocument>();
  readonly run: TestRun;
  readonly token: string;
  cursor: string | undefined;
  /** Those of the last sync. */
  pages = 0;
  isWhole = false;
  /** What the next poll reports. */
  applied: string[] | undefined;
  private named = new Set<string>();

  constructor(run: TestRun, token: string) {
    this.run = run;
    this.token = token;
  }

  /** Takes pages until there are no more. @returns the ids that they named */
  async sync(): Promise<readonly string[]> {
    const ids: string[] = [];
    for (this.pages = 1; ; this.pages += 1) {
      const { changes, isMore } = await this.poll();
      ids.push(...changes.map(({ propertyId }) => propertyId));
      if (!isMore) return ids;
    }
  }

  async poll() {
    const { cursor, applied } = this;
    const { status, data, text } = await poll(this.run, this.token, {
      ...(cursor !== undefined && { cursor }),
      ...(applied && { applied: applied.join(',') }),
    });
    if (status !== 200) throw new Error(text);
    this.applied = data.cursor === cursor ? undefined : [];
    this.take(data.changes, data);
    this.cursor = data.cursor;
    return data as { readonly changes: readonly Change[]; readonly isMore: boolean };
  }

  private take(changes: readonly Change[], { isWhole, isMore }: { isWhole: boolean; isMore: boolean }): void {
    if (!isWhole) this.named.clear();
    this.isWhole = isWhole;
    for (const { propertyId, version, document } of changes) {
      this.named.add(propertyId);
      this.applied?.push(`${propertyId}:${version}`);
      if (document) this.documents.set(propertyId, document);
      else this.documents.delete(propertyId);
    }
    if (!isWhole || isMore) return;
    for (const id of this.documents.keys()) if (!this.named.has(id)) this.documents.delete(id);
    this.named.clear();
  }
}
