/** Formats numbers and times in the dashboard's language, not the browser's. */
export const LOCALE = 'en'

const whole = new Intl.NumberFormat(LOCALE)
const short = new Intl.NumberFormat(LOCALE, { notation: 'compact', maximumFractionDigits: 1 })
const share = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 1 })
/** The largest fraction that isn't rounded up to 100%. */
const LARGEST_PART = 0.999
const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const
const STEP = 1000

export function number(value: number): string {
  return whole.format(value)
}

/** Uses compact notation, such as `18.2K`. */
export function compact(value: number): string {
  return short.format(value)
}

/** Expects a fraction from 0 to 1. Only a whole is shown as 100%, so that a single crash remains visible. */
export function percent(value: number): string {
  return share.format(value < 1 ? Math.min(value, LARGEST_PART) : value)
}

export function bytes(value: number): string {
  const step = Math.min(Math.floor(Math.log(Math.max(value, 1)) / Math.log(STEP)), UNITS.length - 1)
  const unit = UNITS[step] ?? 'byte'
  const unitDisplay = unit === 'byte' ? 'long' : 'short'
  const style = { style: 'unit', unit, unitDisplay, maximumFractionDigits: 1 } as const
  return new Intl.NumberFormat(LOCALE, style).format(value / STEP ** step)
}
