import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { expect, it } from 'vitest'

const RECORD = path.join(import.meta.dirname, 'record.ts')
const DAY = Date.UTC(2026, 11, 24)

/** Reads the times in a process of another time zone, because a process has only one. */
function timesIn(zone: string, times: readonly string[]): unknown {
  const program = `
    const { ForeignRecord } = await import(${JSON.stringify(RECORD)})
    const times = ${JSON.stringify(times)}.map((end) => new ForeignRecord({ end }).time('end'))
    console.log(JSON.stringify(times))`
  const words = ['--input-type=module', '-e', program]
  return JSON.parse(String(execFileSync(process.execPath, words, { env: { ...process.env, TZ: zone } })))
}

it('a date without an offset is in UTC, in every form and whatever the time zone of the server', () => {
  const days = ['2026-12-24', '12/24/2026', '12-24-2026', '2026/12/24', 'Dec 24, 2026', '24 December 2026']
  const times = ['2026-12-24 00:00', '2026-12-24T00:00:00', '2026-12-24 02:00:00+02:00', `${DAY / 1000}`]
  for (const zone of ['America/New_York', 'Asia/Tokyo'])
    expect(timesIn(zone, [...days, ...times])).toEqual([...days, ...times].map(() => DAY))
})
