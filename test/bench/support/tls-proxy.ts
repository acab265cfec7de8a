import { connect } from 'node:net';
import { createServer } from 'node:tls';
import { listen } from '../../../infra/local/host/listen.ts';
import type { TestAuthority } from '../../infra/edge/support/test-authority.ts';

export interface TlsProxy {
  readonly url: string;
  stop(): void;
}

/** Puts TLS before a service of the local run, since AWS is never called without. */
export async function startTlsProxy(upstream: string, authority: TestAuthority): Promise<TlsProxy> {
  const { hostname, port } = new URL(upstream);
  const server = createServer(authority.certify('IP:127.0.0.1'), (client) => {
    const service = connect(Number(port), hostname);
    client.pipe(service).pipe(client);
    client.on('error', () => service.destroy());
    service.on('error', () => client.destroy());
  });
  const url = `https://127.0.0.1:${await listen(server, 0, 'a port')}`;
  return { url, stop: () => void server.close() };
}
