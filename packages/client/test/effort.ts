/**
 * Sets the number of cases that tests try: few by default, many in the nightly run, where
 * `SCRIPTWARD_NIGHTLY` is 1.
 */

const isNight = process.env.SCRIPTWARD_NIGHTLY === '1'

/**
 * Returns the effort for this run, such as the number of programs from `effort({ day: 40, night: 250 })`.
 * Daily and nightly runs check the same guarantees; nightly runs look for rarer errors.
 */
export function effort<T>({ day, night }: { readonly day: T; readonly night: T }): T {
  return isNight ? night : day
}

/** Returns every nth value by day and all of them at night, for a check that is the same for each value. */
export function sample<T>(values: readonly T[], n: number): readonly T[] {
  return isNight ? values : values.filter((_, at) => at % n === 0)
}
