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

  until(id: string, satisfies: (purge: Purge) => boolean, limitMilliseconds = 60_000): Promise<Purge> {
    return eventually(() => this.get(id), satisfies, limitMilliseconds);
  }

  untilIs(id: string, status: Purge['status'], limitMilliseconds?: number): Promise<Purge> {
    return this.until(id, (purge) => purge.status === status, limitMilliseconds);
  }

  /** Until an edge has come so far. */
  untilEdgeIs(id: string, edgeId: string, status: Purge['edges'][number]['status']): Promise<Purge> {
    return this.until(id, (purge) => edgeOf(purge, edgeId)?.status === status);
  }
}

export function edgeOf({ edges }: Purge, id: string): Purge['edges'][number] | undefined {
  return edges.find((edge) => edge.id === id);
}
