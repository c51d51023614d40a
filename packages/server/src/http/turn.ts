/**
 * Lets the answers of one turn of the event loop be sent together. A write wakes its receiver, which costs more than
 * the write itself; receivers of one machine that are woken once for many answers leave the server that time.
 */

/** A wait until what arrived in this turn has been worked on; alone, an answer waits for nothing. */
export function turns(): () => Promise<void> {
  let end: Promise<void> | undefined
  return () => {
    end ??= new Promise((resolve) => {
      setImmediate(() => {
        end = undefined
        resolve()
      })
    })
    return end
  }
}
