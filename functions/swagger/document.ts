import { readFileSync } from 'node:fs';
import type { FunctionDeclaration } from '../../shared/ground/function.ts';
import { serveFile } from '../../shared/http/serve-file.ts';

export const declaration: FunctionDeclaration = {
  timeoutSeconds: 10,
  touches: {},
  serves: '/swagger/v1/swagger.json',
};

interface ServedDocument {
  readonly servers: readonly { readonly url: string }[];
}

let written: ServedDocument | undefined;

export const handler = serveFile(({ requestContext: { path } }) => {
  const servers = document().servers.map((server) => ({ ...server, url: basePath(path) }));
  return {
    contentType: 'application/json; charset=utf-8',
    content: Buffer.from(JSON.stringify({ ...document(), servers })),
  };
});

/** The build puts the document beside the bundle, so that no endpoint's code is in here. */
function document(): ServedDocument {
  written ??= JSON.parse(readFileSync(new URL('./swagger.json', import.meta.url), 'utf8')) as ServedDocument;
  return written;
}

/** What stands before the document's own path: the stage on the API's default address, nothing on a domain. */
function basePath(path: string): string {
  return path.replace(/(\/+[^/]+){3}\/*$/, '') || '/';
}
