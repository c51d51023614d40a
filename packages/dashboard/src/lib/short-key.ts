/** How the keys of users are written where there is little room. */
const START = 8
const END = 4

/** Enough of a user's key to tell it from others at a glance. */
export function shortKey(key: string): string {
  return key.length <= START + END ? key : `${key.slice(0, START)}…${key.slice(-END)}`
}
