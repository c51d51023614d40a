/** Guarantees of the SQLite writer: during group commits, on a full disk, and after the process is killed. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sqlite, type TestDatabase } from '../../../../test/databases.ts'
import { tier } from '../../../../test/store/rows.ts'
import type { Queries } from '../db.ts'
import { openDatabase } from '../open.ts'

const CHILD = fileURLToPath(new URL('../../../../test/store/write-tiers.ts', import.meta.url))
const ROUNDS = 3
const ACKNOWLEDGED_BEFORE_KILL = 40

describe('in the SQLite writer', () => {
  let db: TestDatabase
  let children: ChildProcess[]
  let ended: Promise<unknown>[]

  beforeEach(async () => {
    db = await sqlite.open()
    children = []
    ended = []
  })
  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL')
    await Promise.all(ended)
    await db.remove()
  })

  const addTier = (id: number) =>
    db.transaction((tx) =>
      tx
        .insertInto('tiers')
        .values({ ...tier, id })
        .execute(),
    )
  const tierIds = async () => {
    const rows = await db.read.selectFrom('tiers').select('id').orderBy('id').execute()
    return rows.map((row) => row.id)
  }
  const start = (command: string, args: string[]) => {
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    children.push(child)
    ended.push(once(child, 'exit'))
    return { child, lines: createInterface(child.stdout)[Symbol.asyncIterator]() }
  }

  test('a small change waits for at most one bulk change, no matter how many are queued', async () => {
    const order: string[] = []
    const noted = (name: string) => () => void order.push(name)
    const bulk = (id: number) =>
      db.bulk((tx) =>
        tx
          .insertInto('tiers')
          .values({ ...tier, id })
          .execute(),
      )
    const all = [bulk(1).then(noted('many')), bulk(2).then(noted('many')), bulk(3).then(noted('many'))]
    await Promise.all([...all, addTier(4).then(noted('small'))])
    expect(order).toEqual(['many', 'small', 'many', 'many'])
    expect(await tierIds()).toEqual([1, 2, 3, 4])
  })

  test('a nested transaction is rejected immediately and blocks no other', async () => {
    const nested = db.transaction(() => addTier(1))
    const next = addTier(2)
    await expect(nested).rejects.toThrow('a transaction inside the transaction')
    await next
    expect(await tierIds()).toEqual([1, 2])
  })

  test('a change that awaits anything but the store is rejected and cannot write later', async () => {
    let release = (): void => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const late = Promise.withResolvers<unknown>()
    const change = db.transaction(async (tx) => {
      await gate
      await tx.insertInto('tiers').values(tier).execute().then(late.resolve, late.reject)
    })
    await expect(change).rejects.toThrow('awaited something else')
    release()
    await expect(late.promise).rejects.toThrow('this transaction is over')
    expect(await tierIds()).toEqual([])
  })

  test('when SQLite drops an entire transaction, every change in it is rejected and the next one works', async () => {
    await addTier(1)
    const before = addTier(2)
    const culprit = db.transaction((tx) =>
      sql`insert or rollback into tiers select * from tiers where id = 1`.execute(tx),
    )
    const after = addTier(3)
    const outcomes = await Promise.allSettled([before, culprit, after])
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected', 'fulfilled'])
    expect(await tierIds()).toEqual([1, 3])
  })

  test('more changes than fit into one commit all succeed', async () => {
    const ids = Array.from({ length: 600 }, (_, index) => index)
    await Promise.all(ids.map((id) => addTier(id)))
    expect(await tierIds()).toEqual(ids)
  })

  test('SQLite writes a WAL and enforces foreign keys', async () => {
    const pragma = (tx: Queries, name: string) => sql`pragma ${sql.raw(name)}`.execute(tx)
    const settings = await db.transaction(async (tx) => {
      const answers = await Promise.all(['journal_mode', 'foreign_keys'].map((name) => pragma(tx, name)))
      return answers.flatMap((answer) => answer.rows)
    })
    expect(settings).toEqual([{ journal_mode: 'wal' }, { foreign_keys: 1 }])
  })

  test('acknowledged changes survive a killed process', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { child, lines } = start(process.execPath, [
        CHILD,
        db.location.dataDir,
        String(round * 1_000_000),
      ])
      const acknowledged: number[] = []
      for (let count = 0; count < ACKNOWLEDGED_BEFORE_KILL; count += 1) {
        acknowledged.push(Number((await lines.next()).value))
      }
      child.kill('SIGKILL')
      for await (const line of { [Symbol.asyncIterator]: () => lines }) acknowledged.push(Number(line))
      await Promise.all(ended)
      const reopened = await openDatabase(db.location)
      await reopened.close()
      const kept = new Set(await tierIds())
      expect(acknowledged.filter((id) => !kept.has(id))).toEqual([])
    }
  })

  test('a full disk rejects changes, and the writer recovers once there is space', async () => {
    await db.transaction((tx) => sql`select 1`.execute(tx))
    // Limits the files that the child process writes to 512 KiB, so that writes fail as on a full disk.
    const limited = `trap '' XFSZ; ulimit -S -f 512; exec "$0" "$@"`
    const { child, lines } = start('bash', [
      '-c',
      limited,
      process.execPath,
      CHILD,
      db.location.dataDir,
      '0',
      'fill',
    ])
    const acknowledged = Number((await lines.next()).value)
    expect(String((await lines.next()).value)).toMatch(
      /^unavailable: (disk I\/O error|database or disk is full)/,
    )
    expect(await tierIds()).toHaveLength(acknowledged)
    spawnSync('prlimit', ['--pid', String(child.pid), '--fsize=unlimited'])
    child.stdin?.end('\n')
    expect((await lines.next()).value).toBe('room again')
    await Promise.all(ended)
    expect(await tierIds()).toHaveLength(acknowledged + 1)
  })
})
