const timeoutMilliseconds = 30_000;

/**
 * Asks the API once for what has changed since the cursor.
 * @param told what the server runs, where the API should be told; undefined where it need not
 */
export async function askForChanges({ api, token, keys }, cursor, told, signal) {
  const query = new URLSearchParams({ keys });
  if (cursor !== undefined) query.set('cursor', cursor);
  if (told) query.set('applied', told.map(entryOf).join(','));
  const response = await withTimeout(signal, (until) =>
    fetchText(`${api}/api/edge/config?${query}`, {
      headers: { 'X-Edge-Token': token() },
      // The token is for this address alone.
      redirect: 'manual',
      signal: until,
    }),
  );
  return pageOf(response);
}

function entryOf({ propertyId, version, fault }) {
  return [propertyId, version, ...(fault ? [fault] : [])].join(':');
}

async function fetchText(url, options) {
  const response = await fetch(url, options).catch((error) => {
    throw new Error(`the API cannot be reached: ${error.cause?.message ?? error.message}`);
  });
  return { status: response.status, text: await response.text() };
}

/** Ends at the signal too. */
async function withTimeout(signal, ask) {
  const until = new AbortController();
  const abort = () => until.abort();
  const timer = setTimeout(abort, timeoutMilliseconds);
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  try {
    return await ask(until.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

function pageOf({ status, text }) {
  const { message, data } = envelopeOf(text);
  if (status !== 200) throw new Error(`the API responded with ${status}: ${plain(message)}`);
  if (!isPage(data)) throw new Error('the API’s response is not of the configuration');
  return data;
}

/** Nothing where the text is not the API's. */
function envelopeOf(text) {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

function plain(message) {
  return typeof message === 'string'
    ? message.slice(0, 200).replace(/\p{Cc}+/gu, ' ')
    : 'no response of the API';
}

function isPage(data) {
  return (
    Object(data) === data &&
    typeof data.cursor === 'string' &&
    typeof data.isMore === 'boolean' &&
    typeof data.isWhole === 'boolean' &&
    typeof data.isFirst === 'boolean' &&
    Array.isArray(data.changes) &&
    data.changes.every(isChange)
  );
}

/** A property's id becomes the name of a file. */
function isChange(change) {
  return (
    Object(change) === change &&
    /^[\w-]{1,100}$/.test(change.propertyId) &&
    Number.isSafeInteger(change.version) &&
    typeof change.document === 'object'
  );
}
