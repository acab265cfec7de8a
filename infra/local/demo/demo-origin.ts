import { createServer, type Server } from 'node:http';

/** A web site that counts how often it is really asked, so that a purge can be seen. */
export function createDemoOrigin(): Server {
  let rendered = 0;
  return createServer(({ url = '/' }, response) => {
    rendered += 1;
    response.writeHead(200, {
      'Content-Type': 'text/plain; charset=utf-8',
      'Cache-Control': 'public, max-age=3600',
      'Surrogate-Key': 'demo',
    });
    response.end(page(url, rendered));
  });
}

function page(path: string, rendered: number): string {
  return `You asked the demo origin for ${path}.\nThis is page ${rendered} that it rendered, at ${new Date().toISOString()}.\n`;
}
