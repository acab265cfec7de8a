/** Makes something when it is first asked for, and gives the same from then on. */
export function onDemand<Made>(make: () => Made): () => Made {
  let made: { readonly value: Made } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
