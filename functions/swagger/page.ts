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
    <link rel="stylesheet" href="${assets}/swagger-page.css">
    <link rel="icon" type="image/png" href="${assets}/favicon-32x32.png">
    <script src="${assets}/swagger-ui-bundle.js" defer></script>
    <script src="${assets}/swagger-start.js" defer></script>
  </head>
  <body>
    <aside>
      <p>A request carries one of two credentials. Every endpoint takes either, but those under
        <code>/api/Auth</code>, which act on a user.</p>
      <ul>
        <li>A user’s token goes in <code>Authorization: Bearer</code>, and is what this page sends: run
          <code>POST /api/Auth/Login</code>, press <b>Authorize</b> and paste the <code>Token</code> of the response.
          It is kept until the tab is closed.</li>
        <li>An API key goes in <code>X-API-Key</code>, with no word before it. It is for scripts and CMS plugins;
          <code>POST /api/account/api-keys</code> makes one. This page cannot send it.</li>
      </ul>
    </aside>
    <noscript>The description itself: <a href="${assets}/v1/swagger.json">swagger.json</a></noscript>
    <div id="swagger-ui"></div>
  </body>
</html>
`;
}
