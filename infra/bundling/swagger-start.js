/* Runs in the browser. The description lies beside this script, whatever the API's base address is. */
const keptName = 'authorized';

/** Keeps the token where it survives a reload and ends with the tab; a logout removes it. */
function keepAuthorization(_, { authSelectors }) {
  return () => {
    const authorized = authSelectors.authorized();
    if (authorized.isEmpty()) sessionStorage.removeItem(keptName);
    else sessionStorage.setItem(keptName, JSON.stringify(authorized));
  };
}

function restoreAuthorization() {
  const kept = sessionStorage.getItem(keptName);
  if (kept) ui.authActions.restoreAuthorization({ authorized: JSON.parse(kept) });
}

const ui = globalThis.SwaggerUIBundle({
  url: new URL('v1/swagger.json', document.currentScript.src).href,
  dom_id: '#swagger-ui',
  deepLinking: true,
  filter: true,
  validatorUrl: null,
  plugins: [{ statePlugins: { auth: { wrapActions: { persistAuthorizationIfNeeded: keepAuthorization } } } }],
  onComplete: restoreAuthorization,
});
