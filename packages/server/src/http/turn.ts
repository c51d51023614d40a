/**
 * Lets answers that are known at the same time be sent together. A write wakes its receiver, which costs more than the
 * write itself; receivers of one machine that are woken once for many answers leave the server that time.
 */
import { setImmediate } from 'node:timers'

export type Together = (then: () => void) => void

/** For what is known while requests are read: it waits until all that arrived in this turn of the event loop is. */
export const atEndOfTurn = (): Together => together(setImmediate)

/**
 * For what was waited for: a commit or an answer of the database tells many at once, and has done so when promises have
 * been followed. The end of the turn would come after a turn of timers and requests that did not wait so long.
 */
export const whenAllAreTold = (): Together => together(process.nextTick)

function together(later: (then: () => void) => void): Together {
  let waiting: (() => void)[] = []
  const end = () => {
    const all = waiting
    waiting = []
    for (const then of all) then()
  }
  return (then) => {
    if (waiting.push(then) === 1) later(end)
  }
}
