/** How the programs that `hand-over.mjs` starts take signals. */

/**
 * The launcher passes signals on to its program. One that was sent to the whole process group, as by a terminal or by
 * `timeout`, therefore arrives twice within a few milliseconds.
 */
const COPIES_MS = 500

/** Calls `first` with the first SIGTERM or SIGINT, and `again` with each later one that is not a copy of the first. */
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
