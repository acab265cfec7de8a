import type { Purge } from '../../shared/purge/purge-record.ts';
import type { ApiClient } from './api-client.ts';
import { eventually } from './eventually.ts';

/** The purges of one property, as a client sees them. */
export class PurgeClient {
  private readonly api: ApiClient;
  private readonly path: string;

  constructor(api: ApiClient, propertyId: string) {
    this.api = api;
    this.path = `/api/property/${propertyId}/purge`;
  }

  /** @returns the purge's id */
  async send(body: object = { type: 'all' }): Promise<string> {
    return (await this.api.post(this.path, body)).data.purgeId;
  }

  async get(id: string): Promise<Purge> {
    return (await this.api.get(`${this.path}/${id}`)).data;
  }

  until(id: string, satisfies: (purge: Purge) => boolean, limitMilliseconds?: number): Promise<Purge> {
    return eventually(() => this.get(id), satisfies, limitMilliseconds);
  }

  untilIs(id: string, status: Purge['status'], limitMilliseconds?: number): Promise<Purge> {
    return this.until(id, (purge) => purge.status === status, limitMilliseconds);
  }

  /** Until all of them stand so, as the history says. */
  async untilAllAre(
    ids: readonly string[],
    status: Purge['status'],
    limitMilliseconds?: number,
  ): Promise<void> {
    await eventually(
      () => this.idsOf(status),
      (found) => ids.every((id) => found.includes(id)),
      limitMilliseconds,
    );
  }

  /** Until an edge has come so far. */
  untilEdgeIs(id: string, edgeId: string, status: Purge['edges'][number]['status']): Promise<Purge> {
    return this.until(id, (purge) => edgeOf(purge, edgeId)?.status === status);
  }

  private async idsOf(status: Purge['status']): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let pageNumber = 1; ; pageNumber += 1) {
      const query = `status=${status}&pageSize=100&pageNumber=${pageNumber}`;
      const { data, envelope } = await this.api.get(`${this.path}?${query}`);
      ids.push(...data.items.map(({ id }: { id: string }) => id));
      if (pageNumber >= envelope.totalPages) return ids;
    }
  }
}

export function edgeOf({ edges }: Purge, id: string): Purge['edges'][number] | undefined {
  return edges.find((edge) => edge.id === id);
}
