/** How a release's percentage grows, as entered in a form. */
import { durationText, lengthIn, UNIT_MS, type Unit } from '../../../lib/durations.ts'
import { text } from '../../../messages/text.ts'
import type { Guard } from './queries.ts'

export type Pace = keyof typeof text.releases.paces
export type Ramp = {
  readonly pace: Pace
  readonly percent: string
  readonly amount: string
  readonly unit: Unit
  readonly guard: Guard
}

/** The API's defaults. */
export const USUAL: Ramp = { pace: 'steps', percent: '5', amount: '6', unit: 'hour', guard: 'roll_back' }
const STEPS = [5, 25, 100]
const MAX_OVER_MS = 30 * UNIT_MS.day

export function percentIn(typed: string): number | undefined {
  const value = /^\s*\d{1,3}\s*%?\s*$/.test(typed) ? Number.parseInt(typed, 10) : 0
  return value >= 1 && value <= 100 ? value : undefined
}

function overIn({ amount, unit }: Ramp): number | undefined {
  const over = lengthIn(amount, unit)
  return over !== undefined && over >= UNIT_MS.minute && over <= MAX_OVER_MS ? over : undefined
}

export function rampErrors(ramp: Ramp) {
  const isPercentWrong = ramp.pace !== 'all' && percentIn(ramp.percent) === undefined
  const isOverWrong = ramp.pace === 'steps' && overIn(ramp) === undefined
  return {
    percent: isPercentWrong ? text.releases.percentWrong : undefined,
    over: isOverWrong ? text.releases.overWrong : undefined,
  }
}

/** Returns the request fields for a valid ramp. */
export function rampBody(ramp: Ramp) {
  const over = overIn(ramp)
  const percent = ramp.pace === 'all' ? 100 : (percentIn(ramp.percent) ?? 100)
  return { percent, ...(ramp.pace === 'steps' && over !== undefined && { over }) }
}

/** Describes a ramp's steps, such as `5% now, 25% after 3 hours, 100% after 6 hours`. */
export function rampText(ramp: Ramp): string | undefined {
  const [percent, over] = [percentIn(ramp.percent), overIn(ramp)]
  if (percent === undefined || over === undefined) return undefined
  const steps = STEPS.filter((step) => step > percent)
  const at = (index: number) => durationText(Math.ceil(over / steps.length) * (index + 1))
  const later = steps.map((step, index) => text.releases.later(step, at(index)))
  return `${[text.releases.now(percent), ...later].join(', ')}.`
}
