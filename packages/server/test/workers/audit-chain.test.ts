/** The hash chains of the audit log: no gap however many processes chain, and every change by another hand is found. */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { verifyAudit } from '../../src/domain/audit/verify.ts'
import { chainAudit } from '../../src/jobs/chain-audit.ts'
import { prune } from '../../src/jobs/prune.ts'
import { openKeyring } from '../../src/secrets/keyring.ts'
import type { Database } from '../../src/store/engine/db.ts'
import { insertAuditEntry } from '../../src/store/tables/audit-entries.ts'
import { engines, reopen, type TestDatabase } from '../databases.ts'
import { AT } from '../store/access-rows.ts'

const DAY_MS = 86_400_000
const SIGNAL = new AbortController().signal

describe.each(engines)('the chain of the audit log on $name', (engine) => {
  let db: TestDatabase
  beforeEach(async () => {
    db = await engine.open()
  })
  afterEach(() => db.remove())

  const entry = (id: string, created_at: number, customer_id: string) => ({
    ...{ id, customer_id, created_at, actor_kind: 'person' as const, actor_id: 'psn_1', actor_name: 'a@b.c' },
    ...{ network: null, request_id: 'r', action: 'projects.edit', changes: '{}', count: null },
    nouns: '{"project_id":"prj_1"}',
  })
  const write = (from: number, count: number, at = AT, customerId = 'cus_1') =>
    db.transaction(async (tx) => {
      for (let i = from; i < from + count; i += 1)
        await insertAuditEntry(tx, entry(`aud_${customerId}_${i}`, at, customerId))
    })
  const chain = async (on: Database = db) => {
    while (await chainAudit({ db: on }).run(SIGNAL));
  }
  const faults = async (now = AT) =>
    (await verifyAudit({ db, now: () => now })).faults.map(({ text }) => text)
  const tamper = (statement: string) => db.transaction((tx) => sql.raw(statement).execute(tx))

  it('is whole, account by account, however many entries there are', async () => {
    await write(0, 1200)
    await write(0, 3, AT, 'cus_2')
    await write(0, 2, AT, '')
    await chain()
    expect(await verifyAudit({ db, now: () => AT })).toEqual({ accounts: 3, entries: 1205, faults: [] })
    const nouns = await db.read.selectFrom('audit_nouns').selectAll().execute()
    expect(nouns).toHaveLength(1205)
  })

  it('has no gap when several processes chain while others write', async () => {
    const other = engine.name === 'PostgreSQL' ? await reopen(db.location) : db
    try {
      const writes = Array.from({ length: 20 }, (_, i) => write(i * 10, 10))
      await Promise.all([...writes, chain(), chain(other), chain(), chain(other)])
      await chain()
      expect(await faults()).toEqual([])
      const { n } = await db.read
        .selectFrom('audit_entries')
        .select((e) => e.fn.max('n').as('n'))
        .executeTakeFirstOrThrow()
      expect(Number(n)).toBe(200)
    } finally {
      if (other !== db) await other.close()
    }
  })

  it.each([
    [
      'a changed member',
      'update audit_entries set changes = \'{"a":1}\' where n = 3',
      /number 3, was changed/,
    ],
    ['another actor', 'update audit_entries set actor_id = null where n = 3', /number 3, was changed/],
    [
      'another time',
      'update audit_entries set created_at = created_at + 1 where n = 3',
      /number 3, was changed/,
    ],
    ['a changed hash', "update audit_entries set hash = 'aa' where n = 3", /number 3, was changed/],
    ['a deleted entry', 'delete from audit_entries where n = 3', /entry 3 is missing/],
    ['deleted entries at the end', 'delete from audit_entries where n > 3', /4 to 5 are missing at the end/],
    ['deleted entries at the beginning', 'delete from audit_entries where n = 1', /entry 1 is missing/],
    ['all of them deleted', 'delete from audit_entries', /1 to 5 are missing/],
    ['a cut head', 'update audit_chains set head_n = 3', /head/],
    ['another head', "update audit_chains set head_hash = 'aa'", /head does not belong/],
    ['a deleted chain', 'delete from audit_chains', /after the head/],
    ['a moved cut', 'update audit_chains set cut_n = 1', /before where retention cut/],
    ['an entry after the head', 'update audit_entries set n = 9 where n = 5', /entry 5 is missing/],
  ])('shows %s', async (_, statement, words) => {
    await write(0, 5)
    await chain()
    expect(await faults()).toEqual([])
    await tamper(statement)
    const [first, ...more] = await faults()
    expect(first).toMatch(words)
    expect(more).toEqual([])
  })

  it('shows an inserted entry that has a number', async () => {
    await write(0, 5)
    await chain()
    await write(5, 1)
    await tamper("update audit_entries set n = 6, hash = 'aa' where n is null")
    expect((await faults())[0]).toMatch(/number 6, is after the head/)
  })

  it('shows entries that were not chained within a minute', async () => {
    await write(0, 2)
    expect(await faults(AT + 60_000)).toEqual([])
    expect((await faults(AT + 60_001))[0]).toMatch(/^2 entries have no place in the chain/)
  })

  it('stays whole when old entries are pruned, and the next ones follow', async () => {
    const secrets = await openKeyring(db.location, randomBytes, true)
    const config = readConfig({ SCRIPTWARD_AUDIT_DAYS: '10' })
    const pruneAt = async (now: number) => {
      while (await prune({ db, random: randomBytes, secrets, config }, () => now).run(SIGNAL));
    }
    await write(0, 700)
    await write(700, 3, AT + DAY_MS)
    await write(0, 2, AT, 'cus_2')
    await chain()
    await pruneAt(AT + 10 * DAY_MS)
    expect((await verifyAudit({ db, now: () => AT })).entries).toBe(705)
    await pruneAt(AT + 10 * DAY_MS + 1)
    expect(await verifyAudit({ db, now: () => AT })).toEqual({ accounts: 2, entries: 3, faults: [] })
    await write(703, 2, AT + 2 * DAY_MS)
    await chain()
    expect(await verifyAudit({ db, now: () => AT })).toEqual({ accounts: 2, entries: 5, faults: [] })
    expect(await db.read.selectFrom('audit_nouns').selectAll().execute()).toHaveLength(5)
    await tamper('update audit_chains set cut_n = 699')
    expect((await faults())[0]).toMatch(/is missing/)
  })
})
