/** Maps that callers from outside can fill, held to a size. */

/** Sets an entry and keeps the newest ones: a map holds its keys in the order in which they were set. */
export function remember<V>(map: Map<string, V>, key: string, value: V, most: number): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= most) return
  const oldest = map.keys().next()
  if (!oldest.done) map.delete(oldest.value)
}
