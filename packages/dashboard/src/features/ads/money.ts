/** Amounts in hundredths of the author's currency, which the server does not store. */
import { LOCALE } from '../../lib/format.ts'

const MAX_HUNDREDTHS = 10_000_000
const amounts = new Intl.NumberFormat(LOCALE, { minimumFractionDigits: 2, maximumFractionDigits: 2 })

export function money(hundredths: number): string {
  return amounts.format(hundredths / 100)
}

/** Accepts a decimal point or comma. Returns 0 for an empty string, and undefined for an invalid amount. */
export function hundredthsIn(typed: string): number | undefined {
  const given = typed.trim().replace(',', '.')
  if (given === '') return 0
  const hundredths = /^\d{1,6}(\.\d{1,2})?$/.test(given) ? Math.round(Number(given) * 100) : Number.NaN
  return hundredths <= MAX_HUNDREDTHS ? hundredths : undefined
}
