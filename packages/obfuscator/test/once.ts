/**
 * Computes a value once and shares it among the tests of several hosts. Identical builds yield identical
 * bytes, so every test would get the same value.
 */

export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Like `once`, but for several values, each identified by a name. */
export function onceEach<T>(make: (name: string) => T): (name: string) => T {
  const made = new Map<string, () => T>()
  return (name) => {
    const known = made.get(name) ?? once(() => make(name))
    made.set(name, known)
    return known()
  }
}
