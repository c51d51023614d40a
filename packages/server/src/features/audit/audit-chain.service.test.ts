/**
 * The audit log's hash chains have no gaps even if several processes append entries, and they reveal every
 * change made directly in the database.
 */
import { createSecretKey, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { engines, reopen, type TestDatabase } from '../../../test/databases.ts'
import { AT } from '../../../test/store/access-rows.ts'
import { readConfig } from '../../config/config.ts'
import type { Database } from '../../database/engine/db.ts'
import { prune } from '../../jobs/prune.ts'
import { openKeyring, type Secrets } from '../../platform/secrets/keyring.ts'
import { chainAudit } from './chain-audit.ts'
import { countLater, writeEntry } from './record.ts'
import { insertAuditEntry } from './store/audit-entries.ts'
import { verifyAudit } from './verify.ts'

const DAY_MS = 86_400_000
const SIGNAL = new AbortController().signal

describe.each(engines)('the chain of the audit log on $name', (engine) => {
  let db: TestDatabase
  let secrets: Secrets
  beforeEach(async () => {
    db = await engine.open()
    secrets = await openKeyring(db.location, randomBytes, true)
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
        await writeEntry(tx, { secrets }, entry(`aud_${customerId}_${i}`, at, customerId))
    })
  const chain = async (on: Database = db) => {
    while (await chainAudit({ db: on, secrets }).run(SIGNAL));
  }
  const faults = async (now = AT) =>
    (await verifyAudit({ db, secrets, now: () => now })).faults.map(({ text }) => text)
  const tamper = (statements: string) =>
    db.transaction(async (tx) => {
      for (const statement of statements.split(';')) await sql.raw(statement).execute(tx)
    })

  it('is complete for every account with any number of entries', async () => {
    await write(0, 1200)
    await write(0, 3, AT, 'cus_2')
    await write(0, 2, AT, '')
    await chain()
    expect(await verifyAudit({ db, secrets, now: () => AT })).toEqual({
      accounts: 3,
      entries: 1205,
      faults: [],
    })
    const nouns = await db.read.selectFrom('audit_nouns').selectAll().execute()
    expect(nouns).toHaveLength(1205)
  })

  it('cannot be rebuilt without the key', async () => {
    const forger = { ...secrets, auditKey: createSecretKey(randomBytes(32)) }
    await db.transaction((tx) => writeEntry(tx, { secrets: forger }, entry('aud_1', AT, 'cus_1')))
    while (await chainAudit({ db, secrets: forger }).run(SIGNAL));
    expect((await verifyAudit({ db, secrets: forger, now: () => AT })).faults).toEqual([])
    expect(await faults()).toEqual([expect.stringMatching(/were modified|was modified/)])
  })

  it('has no gaps when several processes append while others write', async () => {
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
      'a changed field',
      'update audit_entries set changes = \'{"a":1}\' where n = 3',
      /number 3, (or the one before it )?was modified/,
    ],
    [
      'a changed actor',
      'update audit_entries set actor_id = null where n = 3',
      /number 3, (or the one before it )?was modified/,
    ],
    [
      'a changed time',
      'update audit_entries set created_at = created_at + 1 where n = 3',
      /number 3, (or the one before it )?was modified/,
    ],
    [
      'a changed hash',
      "update audit_entries set hash = 'aa' where n = 3",
      /number 3, (or the one before it )?was modified/,
    ],
    ['a deleted entry', 'delete from audit_entries where n = 3', /entry 3 is missing/],
    ['deleted entries at the end', 'delete from audit_entries where n > 3', /4 to 5 are missing at the end/],
    ['deleted entries at the beginning', 'delete from audit_entries where n = 1', /entry 1 is missing/],
    ['the deletion of all entries', 'delete from audit_entries', /1 to 5 are missing/],
    ['a head that points to an earlier entry', 'update audit_chains set head_n = 3', /recorded end/],
    [
      'a head with a changed hash',
      "update audit_chains set head_hash = 'aa'",
      /recorded end of the chain does not match/,
    ],
    ['a deleted chain', 'delete from audit_chains', /after the recorded end/],
    ['a moved retention cut', 'update audit_chains set cut_n = 1', /before the first retained entry/],
    [
      'a changed count',
      'update audit_entries set count = 7 where n = 3',
      /number 3, (or the one before it )?was modified/,
    ],
    [
      'a forged retention cut',
      `update audit_chains set cut_n = 3, cut_hash = (select hash from audit_entries where n = 3);
      delete from audit_entries where n <= 3`,
      /the recorded ends of the chain, 3 and 5, were modified/,
    ],
    [
      'a forged head',
      `update audit_chains set head_n = 4, head_hash = (select hash from audit_entries where n = 4);
      delete from audit_entries where n = 5`,
      /the recorded ends of the chain, 0 and 4, were modified/,
    ],
    [
      'a removed chain with all of its entries',
      'delete from audit_entries; delete from audit_chains',
      /1 chains are registered, but 0 exist/,
    ],
    [
      'the removal of everything, even if the register is adapted',
      'delete from audit_entries; delete from audit_chains; update audit_register set chains = 0, entries = 0',
      /register of all chains was modified/,
    ],
    ['a removed register', 'delete from audit_register', /register of all chains is missing/],
    [
      'a removed MAC of the chain',
      'update audit_chains set seal = null',
      /the recorded ends of the chain, 0 and 5, were modified/,
    ],
    [
      'a removed register with the MACs of all chains',
      'delete from audit_register; update audit_chains set seal = null',
      /the recorded ends of the chain, 0 and 5, were modified/,
    ],
    ['an entry after the head', 'update audit_entries set n = 9 where n = 5', /entry 5 is missing/],
  ])('detects %s', async (_, statement, words) => {
    await write(0, 5)
    await chain()
    expect(await faults()).toEqual([])
    await tamper(statement)
    const [first, ...more] = await faults()
    expect(first).toMatch(words)
    expect(more).toEqual([])
  })

  it('detects a change in any column', async () => {
    await write(0, 1)
    await chain()
    const row = await db.read.selectFrom('audit_entries').selectAll().executeTakeFirstOrThrow()
    // No hash covers `seq`, because each entry's position in the chain already protects the order.
    const { seq: _, ...columns } = row
    for (const [name, value] of Object.entries(columns)) {
      const column = sql.ref(name)
      const other = typeof value === 'number' ? value + 1 : `${value ?? ''}1`
      const set = (to: unknown) =>
        db.transaction((tx) => sql`update audit_entries set ${column} = ${to}`.execute(tx))
      await set(name === 'count' ? 1 : other)
      expect(await faults(), name).not.toEqual([])
      await set(value)
      expect(await faults(), name).toEqual([])
    }
  })

  it.each([
    [
      'a forged retention cut',
      `update audit_chains set cut_n = 3, cut_hash = (select hash from audit_entries where n = 3);
      delete from audit_entries where n <= 3`,
      /the recorded ends of the chain, 3 and 7, were modified/,
    ],
    [
      'a removed chain',
      'delete from audit_entries; delete from audit_chains',
      /2 chains are registered, but 1 exist/,
    ],
    ['a removed register', 'delete from audit_register', /register of all chains is missing/],
  ])('still detects %s after more entries were chained', async (_, statements, words) => {
    await write(0, 5)
    await chain()
    await tamper(statements)
    await write(10, 2)
    await chain()
    expect(await faults()).toEqual([expect.stringMatching(words)])
  })

  it('detects a foreign entry that the server chained', async () => {
    await write(0, 2)
    await db.transaction((tx) =>
      insertAuditEntry(tx, { ...entry('aud_forged', AT, 'cus_1'), seal: 'ab'.repeat(32) }),
    )
    await chain()
    expect((await faults())[0]).toMatch(/number 3, was modified, or was not written by this server/)
  })

  it('detects a chain that was reset to an earlier state', async () => {
    await write(0, 2)
    await write(0, 2, AT, 'cus_2')
    await chain()
    const early = await db.read
      .selectFrom('audit_chains')
      .selectAll()
      .where('customer_id', '=', 'cus_1')
      .executeTakeFirstOrThrow()
    await write(2, 1)
    await chain()
    await db.transaction(async (tx) => {
      await tx.deleteFrom('audit_entries').where('customer_id', '=', 'cus_1').where('n', '=', 3).execute()
      await tx.updateTable('audit_chains').set(early).where('customer_id', '=', 'cus_1').execute()
    })
    expect(await faults()).toEqual([
      expect.stringMatching(/5 entries are registered, but the chains contain 4/),
    ])
  })

  it('keeps a count that was written after the entry was chained', async () => {
    await write(0, 2)
    await chain()
    await countLater({ db, secrets }, 'aud_cus_1_0', 12)
    expect(await faults()).toEqual([])
    await tamper('update audit_entries set count = 13 where n = 1')
    expect((await faults())[0]).toMatch(/number 1, (or the one before it )?was modified/)
  })

  it('detects an inserted entry that has a number', async () => {
    await write(0, 5)
    await chain()
    await write(5, 1)
    await tamper("update audit_entries set n = 6, hash = 'aa' where n is null")
    expect((await faults())[0]).toMatch(/number 6, comes after the recorded end/)
  })

  it('detects entries that were not chained within a minute', async () => {
    await write(0, 2)
    expect(await faults(AT + 60_000)).toEqual([])
    expect((await faults(AT + 60_001))[0]).toMatch(/^2 entries, starting with .*, are not in the chain/)
  })

  it('stays intact when old entries are pruned and new ones follow', async () => {
    const config = readConfig({ SCRIPTWARD_AUDIT_DAYS: '10' })
    const pruneAt = async (now: number) => {
      while (await prune({ db, random: randomBytes, secrets, config }, () => now).run(SIGNAL));
    }
    await write(0, 700)
    await write(700, 3, AT + DAY_MS)
    await write(0, 2, AT, 'cus_2')
    await chain()
    await pruneAt(AT + 10 * DAY_MS)
    expect((await verifyAudit({ db, secrets, now: () => AT })).entries).toBe(705)
    await pruneAt(AT + 10 * DAY_MS + 1)
    expect(await verifyAudit({ db, secrets, now: () => AT })).toEqual({
      accounts: 2,
      entries: 3,
      faults: [],
    })
    await write(703, 2, AT + 2 * DAY_MS)
    await chain()
    expect(await verifyAudit({ db, secrets, now: () => AT })).toEqual({
      accounts: 2,
      entries: 5,
      faults: [],
    })
    expect(await db.read.selectFrom('audit_nouns').selectAll().execute()).toHaveLength(5)
    await tamper('update audit_chains set cut_n = 699')
    expect((await faults())[0]).toMatch(/is missing/)
  })
})
