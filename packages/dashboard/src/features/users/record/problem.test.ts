/** Tests how a user's current problem, its likely cause and its fix are found. */
import { describe, expect, it } from 'vitest'
import type { User } from '../user.ts'
import { type Denial, type Known, problemOf } from './problem.ts'

const NOW = new Date(2026, 10, 28, 14, 41).getTime()
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const fine = {
  ...{ key: 'KEY', project_id: 'prj_1', status: 'active', key_expires: NOW + 12 * DAY_MS },
  ...{ blacklisted: false, blacklist_reason: null, blacklist_expires: null, ban: null, paused: null },
  ...{ clock: null, starts_at: null, quota: null, max_executions: null, executions: 7 },
  ...{ last_used_at: null, last_reset: 0, refused_devices: 0, shared: false, networks: 1 },
} as unknown as User

const denial = (members: Partial<Denial>): Denial => ({
  ...{ reason: 'fingerprint_mismatch', code: 0, value: null, allowed_at: null, count: 1, left_out: 0 },
  ...{ script_id: 'scr_1', script_version: 7, first_at: NOW - HOUR_MS, last_at: NOW - 60_000 },
  client: { ip: '203.0.*.*', fingerprint: 'c41d…07', executor: 'Wave', runtime: 'luau' },
  ...members,
})

const of = (user: Partial<User>, others: Partial<Known> = {}) =>
  problemOf({ user: { ...fine, ...user }, denials: [], devices: [], now: NOW, ...others })

describe('the problem of a user', () => {
  it('does not exist for an active key without denials', () => {
    expect(of({})).toBeUndefined()
  })

  it('names a blocked key with its reason, and unblocks it', () => {
    expect(of({ blacklisted: true, status: 'blacklisted', blacklist_reason: 'chargeback' })).toMatchObject({
      tone: 'bad',
      title: 'This key is blocked.',
      why: 'Reason: chargeback. Never ends.',
      fix: { kind: 'change', change: 'unblacklist' },
    })
  })

  it.each(['Cheated!', 'Why?', 'The payment was taken back.', 'And so on…'])(
    'ends the reason %s with its own punctuation',
    (blacklist_reason) => {
      const why = `Reason: ${blacklist_reason} Never ends.`
      expect(of({ blacklisted: true, status: 'blacklisted', blacklist_reason })?.why).toBe(why)
    },
  )

  it.each([
    ['device', 'Device 8b02…e1 is blocked.', 'Unblock device'],
    ['network', 'Network 8b02…e1 is blocked.', 'Unblock network'],
    ['chat', 'Discord account 8b02…e1 is blocked.', 'Unblock account'],
  ] as const)('names a blocked %s, and links to the block', (kind, title, label) => {
    const ban = { id: 'ban_1', kind, value: '8b02…e1', reason: null, expires: null }
    expect(of({ ban })).toMatchObject({
      title,
      fix: { kind: 'unban', label },
      see: { href: '#/projects/prj_1/bans?ban=ban_1' },
    })
  })

  it('counts the attempts to use an expired key, and extends it by its own term', () => {
    const key_expires = NOW - 2 * DAY_MS
    const user = {
      status: 'expired',
      key_expires,
      clock: { basis: 'creation', duration: 7 * DAY_MS },
    } as const
    const tries = [
      denial({ reason: 'key_expired', count: 3 }),
      denial({ reason: 'key_expired', count: 9, last_at: key_expires - 1 }),
    ]
    expect(of(user, { denials: tries })).toMatchObject({
      title: 'Expired 2 days ago, with 3 attempts since.',
      fix: { kind: 'change', change: 'extend', label: 'Extend by 7 days', duration: 7 * DAY_MS },
      see: { kind: 'denials' },
    })
    expect(of({ ...user, clock: null })).toMatchObject({
      title: 'Expired 2 days ago.',
      fix: { duration: 30 * DAY_MS },
    })
  })

  it('names a paused key, a spent quota, a spent run limit, a locked key and one that has not started', () => {
    expect(of({ status: 'paused', paused: { since: NOW - DAY_MS, left: 12 * DAY_MS } })).toMatchObject({
      title: 'Paused yesterday.',
      why: 'The key will have 12 days left when you resume it.',
      fix: { change: 'resume' },
    })
    const quota = { count: 10, period: 'day', used: 10, resets_at: NOW + 3 * HOUR_MS } as const
    expect(of({ status: 'quota_spent', quota })).toMatchObject({
      title: 'Used up its quota: 10 runs/day.',
      fix: { kind: 'link', href: '#/projects/prj_1/plans' },
    })
    expect(of({ max_executions: 7 })).toMatchObject({ title: 'Used all 7 runs.', fix: { kind: 'edit' } })
    const plan = { max_executions: 7 }
    expect(of({}, { plan })).toMatchObject({ title: 'Used all 7 runs.', fix: { kind: 'edit' } })
    expect(of({ max_executions: 8 }, { plan })).toBeUndefined()
    expect(of({ status: 'locked' })).toMatchObject({ fix: { change: 'unlock' } })
    expect(of({ status: 'not_started', starts_at: NOW + 3 * DAY_MS })).toMatchObject({
      title: 'Starts in 3 days.',
      fix: { kind: 'start' },
    })
  })

  it('explains a denied device by its network, and resets the device', () => {
    const device = { id: 'dev_1', ip: '203.0.*.*' } as Known['devices'][number]
    const denials = [denial({ count: 3 })]
    expect(of({}, { denials, devices: [device] })).toMatchObject({
      tone: 'warn',
      title: 'Denied 3 times today: another device.',
      why: expect.stringContaining('same network'),
      fix: { kind: 'change', change: 'reset' },
      see: { kind: 'denials' },
    })
    expect(of({}, { denials })?.why).toBe('The key is bound to another device.')
    expect(of({ refused_devices: 5 }, { denials })?.why).toContain('may be shared')
  })

  it.each([
    ['executor_not_allowed', 'link'],
    ['outdated_loader', 'link'],
    ['join_required', 'link'],
    ['not_in_plan', 'edit'],
    ['max_instances', 'edit'],
    ['fingerprint_missing', 'edit'],
    ['rate_limited', undefined],
  ] as const)('for the denial %s has at most one fix', (reason, kind) => {
    const problem = of({}, { denials: [denial({ reason })] })
    expect(problem?.title).toMatch(/^Denied once today: /)
    expect(problem?.fix?.kind).toBe(kind)
    expect(problem?.why).toBeTruthy()
  })

  it('ignores denials before the last run, before the last reset, and older than a day', () => {
    const denials = [denial({})]
    expect(of({ last_used_at: NOW }, { denials })).toBeUndefined()
    expect(of({ last_reset: NOW }, { denials })).toBeUndefined()
    expect(of({}, { denials: [denial({ last_at: NOW - DAY_MS - 1 })] })).toBeUndefined()
  })

  it.each(['key_expired', 'blacklisted', 'key_paused', 'quota_spent', 'max_executions'] as const)(
    'ignores the denial %s once the user shows that it is resolved',
    (reason) => {
      const solved = denial({ reason, last_at: NOW - 1 })
      expect(of({}, { denials: [solved] })).toBeUndefined()
      expect(of({}, { denials: [solved, denial({})] })?.title).toBe('Denied once today: another device.')
    },
  )

  it('includes the number of other customers who crashed the same way, and links to the error', () => {
    const error = { id: 'err_1', message: 'attempt to index nil', customers: 13 }
    const crash = { at: NOW - HOUR_MS, script_id: 'scr_1', version: 7, error }
    expect(of({}, { crash })).toMatchObject({
      tone: 'bad',
      title: 'Crashed after version 7, like 12 other customers.',
      why: 'attempt to index nil',
      fix: { href: '#/projects/prj_1/scripts/scr_1?tab=reported&error=err_1' },
    })
    expect(of({}, { crash: { ...crash, error: undefined } })?.title).toBe('The last run crashed 1 hour ago.')
  })

  it('is a shared key only if there is no other problem', () => {
    expect(of({ shared: true, networks: 9 })).toMatchObject({ title: 'Used on 9 networks in 7 days.' })
  })
})
