import { request } from 'undici';

interface EdgeResponse {
  readonly status: number;
  readonly cache: string;
  readonly body: string;
}

/** Asks an edge for a page, as a browser would. */
export async function getFromEdge(edgeUrl: string, hostname: string, path: string): Promise<EdgeResponse> {
  const response = await request(edgeUrl + path, { headers: { host: hostname } });
  return {
    status: response.statusCode,
    cache: String(response.headers['x-cache']),
    body: await response.body.text(),
  };
}
