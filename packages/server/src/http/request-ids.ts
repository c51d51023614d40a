/** What a request is called in its answer and in the log: what a proxy in front calls it, or a name of our own. */
import type { Deps } from '../deps.ts'

export function takenOver(sent: string | string[] | undefined): string | undefined {
  return typeof sent === 'string' && /^[A-Za-z0-9-]{8,64}$/.test(sent) ? sent : undefined
}

/** Unique over all processes, not secret: chance once, then counted. */
export function countedIds(deps: Pick<Deps, 'random'>): () => string {
  const start = deps.random(6).toString('hex')
  let count = 0
  return () => `${start}-${(count++).toString(36).padStart(4, '0')}`
}
