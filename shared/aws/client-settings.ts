/**
 * Time limits of every AWS client: a response that takes longer is worth less than a retry, and a plugin's
 * editor is waiting (some give up after 2 s).
 */
export const clientSettings = {
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 500, requestTimeout: 2_000, throwOnRequestTimeout: true },
} as const;
