/** Outcomes that a transaction counts are added once it has committed. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { postgres } from '../../../test/databases.ts'
import { OutcomeCounter } from './outcome-counter.ts'

const crash = { script: { id: 'scr_1', project_id: 'prj_1' }, outcome: 'crashed', now: 0 } as const

test('a transaction that PostgreSQL aborts because of a deadlock counts its outcomes once when it is retried', async () => {
  const db = await postgres.open()
  const outcomes = new OutcomeCounter()
  let runs = 0
  try {
    await outcomes.countDone(db, async (tx, own) => {
      runs += 1
      own.countOutcome(crash)
      if (runs === 1) await sql`do $$ begin raise sqlstate '40P01'; end $$`.execute(tx)
    })
  } finally {
    await db.remove()
  }
  expect(runs).toBe(2)
  expect(outcomes.takeCounts()).toMatchObject([{ outcome: 'crashed', count: 1 }])
})
