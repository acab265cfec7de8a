import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { endpoints } from '../../functions/endpoints.ts';
import { openApiDocument } from '../openapi/document.ts';

const distribution = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

const assets = [
  ...['swagger-start.js', 'swagger-page.css'].map((name) => join(import.meta.dirname, name)),
  ...['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt', 'favicon-32x32.png'].map(
    (name) => join(distribution, name),
  ),
];

/** Puts the description and its page's assets beside the bundles that serve them, so that none holds an endpoint. */
export function writeSwagger(outdir: string): void {
  writeFileSync(join(outdir, 'swagger-document', 'swagger.json'), JSON.stringify(openApiDocument(endpoints)));
  const folder = join(outdir, 'swagger-asset', 'assets');
  mkdirSync(folder, { recursive: true });
  for (const path of assets) copyFileSync(path, join(folder, path.slice(dirname(path).length + 1)));
}
