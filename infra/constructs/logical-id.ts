/** `purge-create` and `apiKeys` as a logical id has them: `PurgeCreate`, `ApiKeys`. */
export const pascalCase = (name: string): string =>
  name
    .split(/[-/]/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');
