import type { FunctionDeclaration } from '../../shared/ground/function.ts';
import { serveFile } from '../../shared/http/serve-file.ts';

export const declaration: FunctionDeclaration = { timeoutSeconds: 10, touches: {}, serves: '/swagger' };

/** Nothing is loaded from elsewhere, and no script or style stands in the page itself. */
const contentSecurityPolicy = [
  "default-src 'none'",
  ...["script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'"],
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
].join('; ');

export const handler = serveFile(({ path }) => ({
  contentType: 'text/html; charset=utf-8',
  content: Buffer.from(page(path.endsWith('/') ? '.' : './swagger')),
  headers: { 'Content-Security-Policy': contentSecurityPolicy, 'Referrer-Policy': 'no-referrer' },
}));

/** @param assets relative to the page, so that it works below any base address */
function page(assets: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>CDN management API</title>
    <link rel="stylesheet" href="${assets}/swagger-ui.css">
    <link rel="icon" type="image/png" href="${assets}/favicon-32x32.png">
    <script src="${assets}/swagger-ui-bundle.js" defer></script>
    <script src="${assets}/swagger-start.js" defer></script>
  </head>
  <body>
    <noscript>The description itself: <a href="${assets}/v1/swagger.json">swagger.json</a></noscript>
    <div id="swagger-ui"></div>
  </body>
</html>
`;
}
