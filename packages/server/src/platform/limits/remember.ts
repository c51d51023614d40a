/** Limits the size of maps to which external callers can add entries. */

/** Sets an entry and drops the least recently set one beyond `max`: a map iterates in insertion order. */
export function remember<V>(map: Map<string, V>, key: string, value: V, max: number): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= max) return
  const oldest = map.keys().next()
  if (!oldest.done) map.delete(oldest.value)
}
