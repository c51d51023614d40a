/**
 * Shows the time of a run to the second, because runs are often seconds apart. The day is included unless it
 * is today.
 */
import { LOCALE } from '../../lib/format.ts'
import { exactly } from '../../lib/when.ts'

const CLOCK = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const
const today = new Intl.DateTimeFormat(LOCALE, CLOCK)
const earlier = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', ...CLOCK })

export function Clock({ at }: { at: number }) {
  const isToday = new Date(at).toDateString() === new Date().toDateString()
  return (
    <time dateTime={new Date(at).toISOString()} title={exactly(at)}>
      {(isToday ? today : earlier).format(at)}
    </time>
  )
}
