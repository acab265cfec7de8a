import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { ApiError } from '../../shared/ground/api-error.ts';
import type { FunctionDeclaration } from '../../shared/ground/function.ts';
import { messages } from '../../shared/ground/messages.ts';
import { serveFile } from '../../shared/http/serve-file.ts';

export const declaration: FunctionDeclaration = {
  timeoutSeconds: 10,
  touches: {},
  serves: '/swagger/{asset}',
};

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.txt': 'text/plain; charset=utf-8',
};

const folder = new URL('./assets/', import.meta.url);

export const handler = serveFile(({ pathParameters }) => {
  const file = fileNamed(pathParameters?.asset ?? '');
  const contentType = contentTypes[extname(file ?? '')];
  if (!file || !contentType) throw new ApiError('notFound', messages.endpointNotFound);
  return { contentType, content: readFileSync(new URL(file, folder)) };
});

/** A name from outside only picks one of the files that the build put here; it never becomes a path. */
function fileNamed(name: string): string | undefined {
  return readdirSync(folder).find((file) => file.toLowerCase() === name.toLowerCase());
}
