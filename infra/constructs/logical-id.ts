/** `purge-create` and `apiKeys` as a logical id has them: `PurgeCreate`, `ApiKeys`. */
export function pascalCase(name: string): string {
  return name
    .split(/[-/]/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');
}
