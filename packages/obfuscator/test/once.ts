/** What the tests for several hosts need is made for the first of them: the same builds are the same bytes. */

export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** The same for each of several names. */
export function onceEach<T>(make: (name: string) => T): (name: string) => T {
  const made = new Map<string, () => T>()
  return (name) => {
    const known = made.get(name) ?? once(() => make(name))
    made.set(name, known)
    return known()
  }
}
