/** Shortens license keys. */
const START = 8
const END = 4

/** Returns just enough of a key to recognize it at a glance. */
export function shortKey(key: string): string {
  return key.length <= START + END ? key : `${key.slice(0, START)}…${key.slice(-END)}`
}
