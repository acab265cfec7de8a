import { type IncomingHttpHeaders, request } from 'node:http';

interface Asked {
  readonly hostname: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Response {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Asks from one of the host's own addresses. */
export async function askFrom(
  localAddress: string,
  baseUrl: string,
  { hostname, target, headers = {} }: Asked,
): Promise<Response> {
  const { hostname: host, port } = new URL(baseUrl);
  const options = { host, port, localAddress, path: target, headers: { ...headers, host: hostname } };
  return new Promise((resolve, reject) => {
    request(options, async (response) => {
      const chunks = await response.setEncoding('utf8').toArray();
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: chunks.join('') });
    })
      .once('error', reject)
      .end();
  });
}
