/** The names of a catalogue, which holds exactly those that its type says. */
export function namesOf<Name extends string>(catalogue: Readonly<Record<Name, unknown>>): readonly Name[] {
  return Object.keys(catalogue) as Name[];
}

/** `apiKeys` is `api-keys`. */
export function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
