/** Calls that are made once for many users. A call that met a rate limit is made again. */
import { isServiceError } from '@scriptward/sdk'

export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      if (isServiceError(error, 'rate_limited')) made = undefined
      throw error
    })
    return made
  }
}

/** Like {@link once}, for each key. */
export function oncePer<Item, T>(make: (item: Item) => Promise<T>): (key: string, item: Item) => Promise<T> {
  const made = new Map<string, () => Promise<T>>()
  return (key, item) => {
    const call = made.get(key) ?? once(() => make(item))
    made.set(key, call)
    return call()
  }
}
