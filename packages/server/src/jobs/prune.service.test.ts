/** Pruning deletes rows past their retention period and keeps everything else. */
import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { engines, reopen, type TestDatabase } from '../../test/databases.ts'
import {
  AT,
  adProgress,
  countRows,
  customer,
  dailyExecution,
  executionMark,
  oneOfEach,
  plant,
  tableNames,
  user,
} from '../../test/store/rows.ts'
import { readConfig } from '../config/config.ts'
import { findCustomer } from '../features/accounts/store/customers.ts'
import { openKeyring, type Secrets } from '../platform/secrets/keyring.ts'
import { prune } from './prune.ts'

const DAY_MS = 86_400_000
const SIGNAL = new AbortController().signal

describe.each(engines)('pruning on $name', (engine) => {
  let db: TestDatabase
  let secrets: Secrets
  beforeEach(async () => {
    db = await engine.open()
    secrets = await openKeyring(db.location, randomBytes, true)
    await db.transaction((tx) => plant(tx))
  })
  afterEach(() => db.remove())

  const run = (now: number) =>
    prune({ db, random: randomBytes, secrets, config: readConfig({}) }, () => now).run(SIGNAL)
  const runAll = async (now: number) => {
    while (await run(now));
  }

  it('keeps rows that have not expired', async () => {
    expect(await run(AT)).toBe(false)
    for (const name of tableNames) expect([name, await countRows(db.read, name)]).toEqual([name, 1])
    expect(Object.keys(oneOfEach).sort()).toEqual([...tableNames].sort())
  })

  it('deletes expired dashboard sessions, known browsers, links and mails', async () => {
    const left = async () => {
      const names = ['sign_ins', 'known_browsers', 'single_uses', 'waiting_mails'] as const
      return Promise.all(names.map((name) => countRows(db.read, name)))
    }
    await runAll(AT + 1)
    expect(await left()).toEqual([1, 1, 1, 1])
    await runAll(AT + DAY_MS / 2 + 1)
    expect(await left()).toEqual([0, 1, 0, 1])
    await runAll(AT + 7 * DAY_MS + 1)
    expect(await left()).toEqual([0, 1, 0, 0])
    await runAll(AT + 180 * DAY_MS + 1)
    expect(await left()).toEqual([0, 0, 0, 0])
  })

  it('keeps execution counters for 400 days', async () => {
    const lastDay = (dailyExecution.day + 400) * DAY_MS + DAY_MS - 1
    await runAll(lastDay)
    expect(await countRows(db.read, 'daily_executions')).toBe(1)
    const rows = Array.from({ length: 700 }, (_, i) => ({ ...dailyExecution, executor: `x${i}` }))
    await db.transaction((tx) => tx.insertInto('daily_executions').values(rows).execute())
    await runAll(lastDay + 1)
    expect(await countRows(db.read, 'daily_executions')).toBe(0)
  })

  it('deletes ad visitors after their retention but keeps the keys they earned', async () => {
    const left = async () => {
      const names = ['ad_used_tokens', 'ad_progress', 'ad_attempts', 'ad_visitors', 'ad_keys'] as const
      return Promise.all(names.map((name) => countRows(db.read, name)))
    }
    await runAll(AT + DAY_MS)
    expect(await left()).toEqual([1, 1, 1, 1, 1])
    await runAll(AT + DAY_MS + 1)
    expect(await left()).toEqual([0, 1, 1, 1, 1])
    await runAll(adProgress.expires_at + 7 * DAY_MS + 1)
    expect(await left()).toEqual([0, 0, 0, 1, 1])
    await runAll(AT + 30 * DAY_MS + 1)
    expect(await left()).toEqual([0, 0, 0, 0, 1])
  })

  it('keeps copies traceable for 400 days and reads only the oldest executions', async () => {
    const later = Array.from({ length: 600 }, (_, i) => ({
      ...executionMark,
      exec: `exe_${i}`,
      granted_at: AT + 1,
    }))
    await db.transaction((tx) => tx.insertInto('execution_marks').values(later).execute())
    await runAll(AT + 400 * DAY_MS)
    expect(await countRows(db.read, 'execution_marks')).toBe(601)
    await runAll(AT + 400 * DAY_MS + 1)
    expect(await countRows(db.read, 'execution_marks')).toBe(600)
    await runAll(AT + 400 * DAY_MS + 2)
    expect(await countRows(db.read, 'execution_marks')).toBe(0)
  })

  it('deletes a denial that was not repeated for 30 days', async () => {
    await runAll(AT + 30 * DAY_MS)
    expect(await countRows(db.read, 'denials')).toBe(1)
    await runAll(AT + 30 * DAY_MS + 1)
    expect(await countRows(db.read, 'denials')).toBe(0)
  })

  it('deletes an error that no run reported for 90 days, and its runs after seven days', async () => {
    const left = async () => {
      const names = ['error_groups', 'error_counts', 'error_users', 'error_samples', 'error_runs'] as const
      return Promise.all(names.map((name) => countRows(db.read, name)))
    }
    await runAll(AT + 7 * DAY_MS)
    expect(await left()).toEqual([1, 1, 1, 1, 1])
    await runAll(AT + 90 * DAY_MS)
    expect(await left()).toEqual([1, 1, 1, 1, 0])
    await runAll(AT + 90 * DAY_MS + 1)
    expect(await left()).toEqual([0, 0, 0, 0, 0])
  })

  it('deletes an announcement, including the keys it is limited to, once it has expired', async () => {
    await runAll(oneOfEach.announcements.until)
    expect(await countRows(db.read, 'announcements')).toBe(1)
    await runAll(oneOfEach.announcements.until + 1)
    expect(await countRows(db.read, 'announcements')).toBe(0)
  })

  it('deletes a webhook event and its attempts after 30 days', async () => {
    await runAll(AT + 30 * DAY_MS)
    expect(await countRows(db.read, 'outbox')).toBe(1)
    await runAll(AT + 30 * DAY_MS + 1)
    expect(await countRows(db.read, 'outbox')).toBe(0)
    expect(await countRows(db.read, 'webhook_deliveries')).toBe(0)
  })

  it('unblocks users and accounts exactly when their block expires', async () => {
    const ending = { blacklisted: 1, blacklist_reason: 'shared', blacklist_expires: AT + 1 } as const
    const { blacklist_expires: _, ...forEver } = ending
    await db.transaction(async (tx) => {
      await tx.updateTable('users').set(ending).execute()
      await tx.updateTable('customers').set(ending).execute()
      await tx
        .insertInto('users')
        .values({ ...user, key: 'banned', chat_id: null, ...forEver })
        .execute()
    })
    const states = async () => {
      const users = await db.read.selectFrom('users').selectAll().orderBy('seq').execute()
      const account = await findCustomer(db.read, customer.id)
      return [...users, account].map((row) => [
        row?.blacklisted,
        row?.blacklist_reason,
        row?.blacklist_expires,
      ])
    }
    await runAll(AT)
    expect(await states()).toEqual([
      [1, 'shared', AT + 1],
      [1, 'shared', null],
      [1, 'shared', AT + 1],
    ])
    await runAll(AT + 1)
    expect(await states()).toEqual([
      [0, null, null],
      [1, 'shared', null],
      [0, null, null],
    ])
  })

  it('deletes a new API key that was not delivered within 30 days', async () => {
    await runAll(AT + 30 * DAY_MS)
    expect(await countRows(db.read, 'waiting_api_keys')).toBe(1)
    await runAll(AT + 30 * DAY_MS + 1)
    expect(await countRows(db.read, 'waiting_api_keys')).toBe(0)
  })

  it('runs concurrently in several processes', async () => {
    const rows = Array.from({ length: 900 }, (_, i) => ({ ...dailyExecution, executor: `x${i}` }))
    await db.transaction((tx) => tx.insertInto('daily_executions').values(rows).execute())
    const expired = (dailyExecution.day + 401) * DAY_MS
    const other = engine.name === 'PostgreSQL' ? await reopen(db.location) : db
    try {
      const worker = prune({ db: other, random: randomBytes, secrets, config: readConfig({}) }, () => expired)
      await Promise.all([runAll(expired), runAll(expired), worker.run(SIGNAL), worker.run(SIGNAL)])
      await runAll(expired)
      expect(await countRows(db.read, 'daily_executions')).toBe(0)
    } finally {
      if (other !== db) await other.close()
    }
  })
})
