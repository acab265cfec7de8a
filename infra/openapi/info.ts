const description = `
The management API of a content delivery network: purge cached content, manage properties and their rules, and
ask support.

**Responses.** Every response, success or failure, is JSON in the same envelope. Branch on the HTTP status; on a failure
\`message\` says what to fix. Responses may gain fields; ignore those that you do not know. Every response carries
\`X-Request-Id\`.

**Log in** with \`POST /api/Auth/Login\` and send the token as \`Authorization: Bearer\`. Where the response says
\`RequiresTwoFactor\`, \`POST /api/Auth/2fa/verify\` gives the token.

**Requests.** A body is a JSON object of at most 256 KiB in UTF-8; a field that does not exist is refused, not
ignored. So is a query parameter that does not exist, by each operation that takes parameters; all others ignore their
query. Paths are matched without regard to case, and a slash at the end of a path or of the base address is tolerated;
ids and query values keep their case. Times are ISO 8601 in UTC.

**Purges** are queued: a response with \`jobCount\` says that the work is accepted, and reading the purge how far it is.

**Lists** come in pages: \`pageNumber\` from 1, \`pageSize\` up to 100. A page past the end is empty.

**Changes.** \`PATCH\` takes a merge patch (RFC 7396): what is left out stays, arrays are replaced, null sets an optional
field back. Every record that can be changed has a \`version\`; send it in \`If-Match\` so that nobody’s change is lost.
A patch that changes nothing raises no version.

**Retries.** Send an \`Idempotency-Key\` with a \`POST\`, and repeat it after a time-out or a 5xx: the work is done once.

**Other people’s things** do not exist for you: what belongs to another account is 404, as if it were not there.
`;

/** Who speaks, and what holds for all operations. */
export const info = {
  title: 'CDN management API',
  version: 'v1',
  description: description.trim(),
  contact: { name: 'The platform team' },
  license: { name: 'All rights reserved' },
} as const;
