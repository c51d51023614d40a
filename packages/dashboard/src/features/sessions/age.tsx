/** Shows a running time that updates itself. */
import { useEffect, useState } from 'react'
import { LOCALE } from '../../lib/format.ts'
import { exactly } from '../../lib/when.ts'

const MINUTE = 60_000
const UNITS = [
  ['day', 24 * 60 * MINUTE],
  ['hour', 60 * MINUTE],
  ['minute', MINUTE],
  ['second', 1000],
] as const

export function Age({ since }: { since: number }) {
  const [now, setNow] = useState(Date.now)
  const isYoung = now - since < MINUTE
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), isYoung ? 1000 : MINUTE / 2)
    return () => clearInterval(timer)
  }, [isYoung])
  return (
    <time dateTime={new Date(since).toISOString()} title={exactly(since)}>
      {ageText(Math.max(0, now - since))}
    </time>
  )
}

function ageText(ms: number): string {
  const [unit, size] = UNITS.find(([, each]) => ms >= each) ?? UNITS[3]
  return new Intl.NumberFormat(LOCALE, { style: 'unit', unit, unitDisplay: 'long' }).format(
    Math.floor(ms / size),
  )
}
