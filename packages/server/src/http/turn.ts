/**
 * Lets the answers of one turn of the event loop be sent together. A write wakes its receiver, which costs more than
 * the write itself; receivers of one machine that are woken once for many answers leave the server that time.
 */

/** Calls back when what arrived in this turn has been worked on; alone, an answer waits for nothing. */
export function turns(): (then: () => void) => void {
  let waiting: (() => void)[] = []
  const end = () => {
    const all = waiting
    waiting = []
    for (const then of all) then()
  }
  return (then) => {
    if (waiting.push(then) === 1) setImmediate(end)
  }
}
