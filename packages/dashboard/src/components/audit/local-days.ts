/** Days in the browser's time zone, in the format of date fields. Some days have 23 or 25 hours. */
import { localDate } from '../../lib/when.ts'

type Days = { readonly from?: string | undefined; readonly to?: string | undefined }

/** Returns the times from the start of the first day to the end of the last one, in milliseconds. */
export function timesOf({ from, to }: Days): { readonly from?: number; readonly to?: number } {
  const [start, end] = [timeOf(from, '00:00:00.000'), timeOf(to, '23:59:59.999')]
  return { ...(start !== undefined && { from: start }), ...(end !== undefined && { to: end }) }
}

/** Returns the first day of a period of this many days that ends today. */
export function dayBefore(days: number, now = Date.now()): string {
  const first = new Date(now)
  first.setDate(first.getDate() - (days - 1))
  return localDate(first.getTime()).slice(0, 10)
}

function timeOf(day: string | undefined, clock: string): number | undefined {
  const time = Date.parse(`${day}T${clock}`)
  return Number.isNaN(time) ? undefined : time
}
