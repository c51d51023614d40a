/** Limits the size of maps that external callers can add entries to. */

/**
 * Sets an entry. Beyond `max` entries, drops the least recently set entry, which comes first because maps
 * iterate in insertion order.
 */
export function remember<V>(map: Map<string, V>, key: string, value: V, max: number): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= max) return
  const oldest = map.keys().next()
  if (!oldest.done) map.delete(oldest.value)
}
