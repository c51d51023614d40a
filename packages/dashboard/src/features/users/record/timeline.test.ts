/** Tests that a user's timeline is complete and in order, with repeats combined and idle days skipped. */
import { describe, expect, it } from 'vitest'
import type { AuditEntry } from '../../../queries/access.ts'
import type { User } from '../user.ts'
import { undoOf } from './changed.ts'
import { itemsOf, type Run, type Sources, sectionsOf } from './timeline.ts'

const NOON = new Date(2026, 10, 28, 12).getTime()
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

const user = { key: 'KEY', created_at: NOON - 40 * DAY_MS, last_reset: 0, note: 'after' } as User
const run = (at: number, members: Partial<Run> = {}) =>
  ({
    ...{ id: `run ${at}`, at, outcome: 'granted', reason: null, value: null, left_out: 0 },
    ...{ script_id: 'scr_1', script_version: 7, executor: 'Wave', state: 'finished', ended_at: at + 5 },
    ...members,
  }) as Run
const entry = (members: Partial<AuditEntry>) =>
  ({
    id: 'aud_1',
    created_at: NOON,
    action: 'v1.users.edit',
    changes: {},
    nouns: {},
    ...members,
  }) as AuditEntry
const none = {
  user,
  log: [],
  executions: [],
  denials: [],
  entries: [],
  changes: [],
  ends: [],
} satisfies Sources
const kinds = (sources: Partial<Sources>) =>
  itemsOf({ ...none, ...sources }).map(({ kind, count }) => `${kind} ${count}`)

describe('the timeline of a user', () => {
  it('combines repeated denials and crashes of a day, and runs from four on', () => {
    const denied = { outcome: 'denied', reason: 'fingerprint_mismatch' } as const
    const log = [
      ...[0, 1, 2].map((n) => run(NOON - n * MINUTE_MS, denied)),
      ...[3, 4].map((n) => run(NOON - n * MINUTE_MS)),
      ...[5, 6].map((n) => run(NOON - n * MINUTE_MS, { outcome: 'crashed' })),
      ...[7, 8, 9, 10].map((n) => run(NOON - n * MINUTE_MS)),
    ]
    expect(kinds({ log })).toEqual(['denied 3', 'run 1', 'run 1', 'crashed 2', 'run 4', 'change 1'])
    const [first] = itemsOf({ ...none, log })
    expect([first?.at, first?.since]).toEqual([NOON, NOON - 2 * MINUTE_MS])
  })

  it('counts denials that were too frequent to be recorded', () => {
    const log = [run(NOON, { outcome: 'denied', reason: 'rate_limited', left_out: 40 })]
    expect(kinds({ log })).toEqual(['denied 41', 'change 1'])
  })

  it('contains runs older than the log, and every run only once', () => {
    const old = { script_id: 'scr_1', script_version: 2, executor: 'Wave' }
    const executions = [NOON, NOON - 50 * DAY_MS].map((granted_at) => ({ ...old, granted_at }))
    expect(kinds({ log: [run(NOON)], executions })).toEqual(['run 1', 'change 1', 'run 1'])
  })

  it('ends where the next page of a list begins, so that it has no gaps', () => {
    const log = [run(NOON), run(NOON - 3 * DAY_MS)]
    expect(kinds({ log, ends: [NOON - DAY_MS] })).toEqual(['run 1'])
  })

  it('shows resets by the customer, and resets by the team only once', () => {
    const reset = { ...user, last_reset: NOON }
    expect(kinds({ user: reset })).toEqual(['change 1', 'change 1'])
    expect(kinds({ user: reset, entries: [entry({ action: 'v1.users.reset' })] })).toEqual([
      'change 1',
      'change 1',
    ])
  })

  it('is grouped by day with totals, and shows consecutive idle days as one line', () => {
    const log = [run(NOON), run(NOON - DAY_MS), run(NOON - 7 * DAY_MS)]
    const items = itemsOf({ ...none, log })
    const sections = sectionsOf(items, undefined)
    expect(sections.map(({ kind }) => kind)).toEqual(['day', 'day', 'idle', 'day', 'idle', 'day'])
    expect(sections[0]).toMatchObject({ counts: { run: 1 } })
    const idle = sections[2]
    const days = idle?.kind === 'idle' && [idle.from, idle.to].map((day) => new Date(day).getDate())
    expect(days).toEqual([22, 26])
    expect(sectionsOf(items, 'run')).toHaveLength(3)
  })
})

describe('an edit of a user', () => {
  const changes = { note: { before: 'before', after: 'after' } }

  it('can be undone until the values change again', () => {
    expect(undoOf(entry({ changes }), user)).toEqual({ note: 'before' })
    expect(undoOf(entry({ changes }), { ...user, note: 'later' })).toBeUndefined()
  })

  it('cannot be undone if a former value is hidden or has side effects', () => {
    const hidden = { note: { before: '•••', after: 'after' } }
    expect(undoOf(entry({ changes: hidden }), user)).toBeUndefined()
    const end = { key_expires: { before: 1, after: 2 } }
    expect(undoOf(entry({ changes: end }), { ...user, key_expires: 2 })).toBeUndefined()
    expect(undoOf(entry({ action: 'v1.users.pause' }), user)).toBeUndefined()
  })
})
