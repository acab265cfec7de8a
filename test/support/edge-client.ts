import { request } from 'undici';

export interface EdgeAnswer {
  readonly status: number;
  readonly cache: string;
  readonly body: string;
}

/** Asks an edge for a page, as a browser would. */
export async function getFromEdge(edgeUrl: string, hostname: string, path: string): Promise<EdgeAnswer> {
  const answer = await request(edgeUrl + path, { headers: { host: hostname } });
  return {
    status: answer.statusCode,
    cache: String(answer.headers['x-cache']),
    body: await answer.body.text(),
  };
}
