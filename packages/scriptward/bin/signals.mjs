/** Signal handling for the programs that `hand-over.mjs` starts. */

/**
 * The launcher forwards signals to its program. A signal sent to the entire process group, for example by a
 * terminal or `timeout`, therefore arrives twice within a few milliseconds.
 */
const COPIES_MS = 500

/**
 * Calls `first` for the first SIGTERM or SIGINT, and `again` for each later signal that isn't a duplicate of
 * the first.
 */
export function onStop(first, again) {
  let stopping
  const take = (signal) => {
    const now = performance.now()
    if (stopping === undefined) {
      stopping = { signal, since: now }
      first(signal)
    } else if (signal !== stopping.signal || now - stopping.since > COPIES_MS) again(signal)
  }
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, take)
}
