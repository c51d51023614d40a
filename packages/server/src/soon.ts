/**
 * Values that are there already or will be. A promise of what is there costs as much as a look into a map; a request
 * that SQLite answers would come by a dozen of them.
 */

export type Soon<T> = T | Promise<T>

/** `next` of the value: at once when it is there. */
export function onceThere<T, R>(value: Soon<T>, next: (value: T) => Soon<R>): Soon<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}
