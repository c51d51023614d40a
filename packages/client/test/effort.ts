/**
 * The number of cases that the tests try: a small set by default, and a large one in the nightly run,
 * where `SCRIPTWARD_NIGHTLY` is 1.
 */

const isNight = process.env.SCRIPTWARD_NIGHTLY === '1'

/**
 * Chooses the effort of this run, such as the number of programs in `effort({ day: 40, night: 250 })`. The
 * guarantee is the same; the nightly run looks for rarer errors.
 */
export function effort<T>({ day, night }: { readonly day: T; readonly night: T }): T {
  return isNight ? night : day
}
