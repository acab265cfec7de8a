/** What a part that is left out gives whoever calls or makes it: any use fails, and so does what waits for it. */
export function unusable(name: string): object {
  const refuse = (): never => {
    throw new Error(`${name} is left out of the bundles: infra/bundling/left-out.ts says why`);
  };
  return new Proxy({}, { get: refuse, set: refuse });
}
