/** Limits the size of maps that external callers can fill. */

/** Sets an entry and drops the least recently set one beyond `max`: a map iterates in insertion order. */
export function remember<V>(map: Map<string, V>, key: string, value: V, max: number): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= max) return
  const oldest = map.keys().next()
  if (!oldest.done) map.delete(oldest.value)
}
