/** Header values as API Gateway hands them over: any spelling of the name, each value apart. */
export type MultiValueHeaders = Readonly<Record<string, readonly string[] | undefined>>;

/** Every value sent under a header's name, in whatever spellings it came. */
export function headerValues(headers: MultiValueHeaders | null | undefined, name: string): readonly string[] {
  return Object.entries(headers ?? {})
    .filter(([spelling]) => spelling.toLowerCase() === name)
    .flatMap(([, values]) => values ?? []);
}
