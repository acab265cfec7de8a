const statuses = ['active', 'paused'];
const queryModes = ['include', 'ignore', 'allow', 'deny'];
const fields = ['path', 'host', 'scheme', 'method', 'extension', 'query', 'cookie', 'header'];
const namedFields = ['query', 'cookie', 'header'];
const comparisons = ['equals', 'prefix', 'suffix', 'contains', 'wildcard'];

/** What each action carries beside its type. */
const actions = {
  cacheTtl: ({ seconds }) => isSeconds(seconds),
  browserTtl: ({ seconds }) => isSeconds(seconds),
  bypassCache: () => true,
  forceHttps: () => true,
  block: () => true,
  ignoreQueryString: ({ names }) => names === undefined || isTexts(names),
  redirect: ({ location, status }) => isText(location) && Number.isInteger(status),
  rewritePath: ({ path }) => isText(path) && path.startsWith('/'),
  setRequestHeader: ({ name, value }) => isText(name) && isText(value),
  setResponseHeader: ({ name, value }) => isText(name) && isText(value),
  removeRequestHeader: ({ name }) => isText(name),
  removeResponseHeader: ({ name }) => isText(name),
};

/**
 * What a document holds that this edge does not understand: then it is refused whole, because half of a
 * configuration is another one.
 * @returns {string | undefined}
 */
export function documentFault(document, propertyId, version = document?.version) {
  if (Object(document) !== document) return 'it is no JSON object';
  const found = checks.find(([, isRight]) => !isRight(document));
  if (found) return `${found[0]} is not understood`;
  return document.propertyId === propertyId && document.version === version
    ? undefined
    : 'it is of another property or version';
}

const checks = [
  ['accountId', ({ accountId }) => isText(accountId)],
  ['version', ({ version }) => Number.isSafeInteger(version)],
  ['hostnames', ({ hostnames }) => isList(hostnames, isClaim)],
  ['status', ({ status }) => statuses.includes(status)],
  ['origin', ({ origin }) => isObject(origin) && isOrigin(origin)],
  ['cache', ({ cache }) => isObject(cache) && isCache(cache)],
  ['rules', ({ rules }) => isList(rules, isRule)],
];

function isClaim({ hostname, claimedAt }) {
  return isText(hostname) && Number.isFinite(claimedAt);
}

function isOrigin({ url, hostHeader }) {
  return isText(url) && isHttpUrl(url) && (hostHeader === undefined || isText(hostHeader));
}

function isCache({ queryString, browserTtlSeconds, ...ttls }) {
  return (
    (browserTtlSeconds === null || isSeconds(browserTtlSeconds)) &&
    ['ttlSeconds', 'staleWhileRevalidateSeconds', 'staleIfErrorSeconds'].every((name) =>
      isSeconds(ttls[name]),
    ) &&
    isObject(queryString) &&
    queryModes.includes(queryString.mode) &&
    isTexts(queryString.names)
  );
}

function isRule({ id, name, match, conditions, actions: decided, isFinal }) {
  return (
    isText(id) &&
    isText(name) &&
    (match === 'all' || match === 'any') &&
    isList(conditions, isCondition) &&
    isList(decided, isAction) &&
    typeof isFinal === 'boolean'
  );
}

function isCondition({ field, operator, name, values, negate }) {
  return (
    fields.includes(field) &&
    (!namedFields.includes(field) || isText(name)) &&
    (operator === 'exists' || (comparisons.includes(operator) && isTexts(values) && values.length > 0)) &&
    (negate === undefined || typeof negate === 'boolean')
  );
}

function isAction(action) {
  return Object.hasOwn(actions, action.type) && actions[action.type](action);
}

function isObject(value) {
  return Object(value) === value && !Array.isArray(value);
}

function isList(value, isRight) {
  return Array.isArray(value) && value.every((item) => isObject(item) && isRight(item));
}

function isText(value) {
  return typeof value === 'string';
}

function isTexts(value) {
  return Array.isArray(value) && value.every(isText);
}

function isSeconds(value) {
  return Number.isInteger(value) && value >= 0;
}

/** As `new URL` writes it, so that the server need not parse it: with or without slashes at its end. */
function isHttpUrl(text) {
  try {
    const { href, protocol, username, password, search, hash } = new URL(text);
    const isPlain = username + password + search + hash === '';
    return /^https?:$/.test(protocol) && isPlain && withoutSlashes(href) === withoutSlashes(text);
  } catch {
    return false;
  }
}

function withoutSlashes(url) {
  return url.replace(/\/+$/, '');
}
