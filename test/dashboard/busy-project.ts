/** Creates a project that has been in use for weeks, with scripts, users, run outcomes and denials. */
import type { DenialReason } from '@scriptward/client/messages'
import { addOutcomes, type OutcomeRow } from '../../packages/server/src/features/executions/store/outcomes.ts'
import type { NewCustomer, Owner, TestServer } from '../../packages/server/test/harness.ts'
import {
  bindDevice,
  changeUser,
  createOwner,
  createScript,
  createUser,
} from '../../packages/server/test/nouns.ts'
import { denial } from '../../packages/server/test/store/rows.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const NAMES = ['Garden hub', 'Auto farm', 'Radar', 'Loader check', 'Season pass - beta'] as const
const EXECUTORS = ['Wave', 'Orchard', 'lua5.1', 'luajit', '=SUM(A1)'] as const
/**
 * The users, oldest first. Each entry has the number of days until expiry, the number of runs, and how many
 * hours ago the last run started.
 */
const PEOPLE: readonly Person[] = [
  { note: 'Ada, first friend', runs: 731, used: 0 },
  { note: 'order 1004', ends: 1, runs: 96, used: 5 },
  { note: 'order 1006', ends: 5, runs: 165, used: 1 },
  { note: 'order 1012', ends: 9, runs: 73, used: 96, reason: 'The payment was taken back.' },
  { note: 'order 1019', ends: 12, runs: 140, used: 0 },
  { note: 'Linus, tester', runs: 402, used: 0 },
  { note: 'order 1027', ends: -2, runs: 88, used: 60 },
  { note: 'order 1033', ends: 21, runs: 57, used: 1 },
  { note: 'giveaway in June', ends: 4, runs: 31, used: 1 },
  { note: 'order 1038', ends: 26, runs: 9, used: 3 },
  { note: 'Grace, moderator', runs: 214, used: 4 },
  { note: 'order 1041', ends: 30 },
]
const DENIED: readonly DenialReason[] = [
  'fingerprint_mismatch',
  'key_expired',
  'invalid_key',
  'blacklisted',
  'fingerprint_missing',
  'script_disabled',
  'rate_limited',
]

type Person = {
  readonly note: string
  readonly ends?: number
  readonly runs?: number
  readonly used?: number
  readonly reason?: string
}

export type Busy = {
  readonly owner: Owner
  readonly project: string
  readonly scripts: readonly string[]
  readonly users: readonly string[]
}

/** The server's clock must match the browser's. */
export async function makeBusy(server: TestServer, account: NewCustomer = {}): Promise<Busy> {
  const { owner, project } = await createOwner(server, account, { name: 'Ultimate Hub' })
  const scripts: string[] = []
  for (const name of NAMES)
    scripts.push(
      await createScript(owner, project, { name, script: linesOf(60), options: { preset: 'light' } }),
    )
  const users: string[] = []
  for (const { note } of PEOPLE) users.push(await createUser(owner, project, { note }))
  for (const [index, person] of PEOPLE.entries())
    await live(server, project, { key: users[index] ?? '', person, index })
  const now = server.clock.now
  const { db } = server.deps
  await db.transaction((tx) => addOutcomes(tx, outcomesOf(project, scripts, now)))
  await db.transaction(async (tx) => {
    await tx.updateTable('projects').set({ total_executions: 48_213 }).where('id', '=', project).execute()
    await tx
      .insertInto('daily_executions')
      .values(daysOf({ project, customer: owner.id, scripts, now }))
      .execute()
    await tx.insertInto('denials').values(denialsOf({ project, scripts, users, now })).execute()
    await tx.insertInto('version_health').values(healthOf(scripts, now)).execute()
    await tx.insertInto('execution_log').values(logOf({ project, scripts, users, now })).execute()
  })
  return { owner, project, scripts, users }
}

/** Returns a script with this many lines. */
export const linesOf = (count: number) => 'print("Water the garden")\n'.repeat(count)

type Key = { readonly key: string; readonly person: Person; readonly index: number }

async function live(server: TestServer, project: string, { key, person, index }: Key): Promise<void> {
  const { ends, runs = 0, used, reason } = person
  const now = server.clock.now
  const last_used_at = used === undefined ? null : now - used * HOUR
  if (runs > 0) await bindDevice(server, project, key)
  await changeUser(server, key, {
    created_at: now - (PEOPLE.length - index) * 17 * HOUR + 16 * HOUR,
    executions: runs,
    last_used_at,
    key_expires: ends === undefined ? null : now + ends * DAY,
    ...(reason !== undefined && { blacklisted: 1, blacklist_reason: reason }),
  })
}

const wave = (n: number, most: number) => Math.round(most * (1.2 + Math.sin(n / 3) + Math.cos(n / 7)))

function outcomesOf(project_id: string, scripts: readonly string[], now: number): OutcomeRow[] {
  const steps = [
    ['hour', HOUR, 48, 90],
    ['day', DAY, 200, 1800],
  ] as const
  return steps.flatMap(([step, size, count, most]) =>
    Array.from({ length: count }, (_, n) => n).flatMap((n) => {
      const common = {
        project_id,
        step,
        at: Math.floor(now / size) * size - n * size,
        expires_at: now + 400 * DAY,
      }
      const denied = DENIED.map((outcome, i) => ({
        outcome,
        count: Math.floor(wave(n + i, most / 60) / (i + 1)),
      }))
      const granted = { outcome: 'granted' as const, count: wave(n, most) }
      const crashed = { outcome: 'crashed' as const, count: wave(n, most / 90) }
      const all = [granted, crashed, ...denied]
      const rows = all.filter(({ count: each }) => each > 0).map((each) => ({ ...common, ...each }))
      const first = rows.map((row) => ({
        ...row,
        script_id: scripts[0] ?? '',
        count: Math.ceil(row.count / 2),
      }))
      return [...rows.map((row) => ({ ...row, script_id: '' })), ...first]
    }),
  )
}

type Given = { project: string; scripts: readonly string[]; now: number }

function daysOf({ project, customer, scripts, now }: Given & { customer: string }) {
  return scripts.flatMap((script_id, s) =>
    Array.from({ length: 30 }, (_, n) => ({
      script_id,
      day: Math.floor(now / DAY) - n,
      executor: EXECUTORS[(s + n) % EXECUTORS.length] ?? '',
      project_id: project,
      customer_id: customer,
      count: wave(n + s, 300 / (s + 1)),
    })),
  )
}

function healthOf(scripts: readonly string[], now: number) {
  const counts = { runs: 4210, crashed: 96, vanished: 31, denied: 120, customers: 812, crashed_customers: 24 }
  return scripts.flatMap((script_id) =>
    ['', ...EXECUTORS].flatMap((executor, i) =>
      [0, Math.floor(now / DAY)].map((day) => {
        const share = (count: number) => Math.round(count / (i + 1))
        const shared = Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, share(count)]))
        return { script_id, version: 1, executor, day, ...shared }
      }),
    ),
  )
}

function logOf({ project: project_id, scripts, users, now }: Given & { users: readonly string[] }) {
  return Array.from({ length: 150 }, (_, n) => {
    const at = now - n * n * 1000
    const run = {
      project_id,
      script_id: scripts[n % 2] ?? '',
      script_version: 1,
      at,
      exec: `run-${n}`,
      user_key: users[n % users.length] ?? null,
      executor: EXECUTORS[n % 2] ?? '',
      runtime: 'luau',
    }
    if (n % 7 === 3)
      return { ...run, outcome: 'denied' as const, reason: DENIED[Math.floor(n / 7) % DENIED.length] ?? null }
    const outcome = n % 9 === 4 ? ('crashed' as const) : ('granted' as const)
    const ending = (['finished', 'lost', 'vanished'] as const)[n % 3] ?? null
    return { ...run, outcome, ended_at: at + n * 500, ending }
  })
}

function denialsOf({ project, scripts, users, now }: Given & { users: readonly string[] }) {
  return Array.from({ length: 60 }, (_, n) => {
    const reason = DENIED[n % DENIED.length] ?? 'key_expired'
    const last_at = now - n * n * 5 * 60_000
    return {
      ...denial,
      project_id: project,
      user_key: reason === 'invalid_key' ? null : (users[n % users.length] ?? null),
      script_id: scripts[n % 2] ?? '',
      reason,
      value: reason === 'fingerprint_mismatch' ? '1f0a…9c2e' : null,
      executor: EXECUTORS[n % 2] ?? '',
      runtime: 'luau',
      first_at: last_at - HOUR,
      last_at,
      count: (n % 5) + 2,
    }
  })
}
