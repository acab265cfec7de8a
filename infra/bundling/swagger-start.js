/* Runs in the browser. The description lies beside this script, whatever the API's base address is. */
globalThis.ui = globalThis.SwaggerUIBundle({
  url: new URL('v1/swagger.json', document.currentScript.src).href,
  dom_id: '#swagger-ui',
  deepLinking: true,
  validatorUrl: null,
});
