/** Tests how the cells of an import are converted for the API. */
import { afterEach, expect, it, vi } from 'vitest'
import { entriesOf } from './mapping.ts'

afterEach(() => void vi.unstubAllEnvs())

const DAY = '2026-12-24T00:00:00.000Z'
const HALF_PAST_TEN = '2026-12-24T10:30:00.000Z'

it.each([
  ['2026-12-24', DAY],
  ['2026/12/24', DAY],
  ['12/24/2026', DAY],
  ['12-24-2026', DAY],
  ['Dec 24, 2026', DAY],
  ['2026-12-24 10:30', HALF_PAST_TEN],
  ['2026-12-24T10:30:00', HALF_PAST_TEN],
  ['12/24/2026 10:30 AM', HALF_PAST_TEN],
  ['Thu, 24 Dec 2026 10:30:00 GMT', HALF_PAST_TEN],
  ['2026-12-24T10:30:00Z', HALF_PAST_TEN],
  ['2026-12-24T12:30:00+02:00', HALF_PAST_TEN],
  ['2026-12-24T05:30:00-0500', HALF_PAST_TEN],
])('%j is in UTC unless it has an offset, whatever the time zone of the browser', async (cell, time) => {
  vi.stubEnv('TZ', 'America/New_York')
  const sheet = { columns: ['expiry'], rows: [{ expiry: cell }] }
  expect(await entriesOf(sheet, { expiry: 'key_expires' })).toEqual([{ key_expires: Date.parse(time) }])
})
