/** How much the tests try: a small form by day, and everything at night, where `SCRIPTWARD_NIGHTLY` is 1. */

const isNight = process.env.SCRIPTWARD_NIGHTLY === '1'

/** `effort({ day: 40, night: 250 })` programs. The guarantee is the same; the night looks for rarer mistakes. */
export function effort<T>({ day, night }: { readonly day: T; readonly night: T }): T {
  return isNight ? night : day
}
