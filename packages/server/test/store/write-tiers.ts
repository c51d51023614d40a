/**
 * Writes rows in a separate process until the process is killed, and prints the number of each acknowledged
 * row. With `fill`, it writes until a write fails, and continues once a line on stdin signals that there is
 * space again.
 */
import { once } from 'node:events'
import type { Database } from '../../src/database/engine/db.ts'
import { isUnavailable } from '../../src/database/engine/dialect.ts'
import { openDatabase } from '../../src/database/engine/open.ts'
import { tier } from './rows.ts'

const AT_ONCE = 8
const LONG_NAME = 'n'.repeat(10_000)

const [dataDir = '', first = '0', mode = 'forever'] = process.argv.slice(2)
const db = await openDatabase({ dataDir, isRefusal: () => false })
await (mode === 'fill' ? fill(db) : writeForever(db, Number(first)))

function print(line: string | number): void {
  process.stdout.write(`${line}\n`)
}

function add(target: Database, id: number): Promise<unknown> {
  const row = { ...tier, id, name: LONG_NAME }
  return target.transaction((tx) => tx.insertInto('tiers').values(row).execute())
}

async function writeForever(target: Database, from: number): Promise<void> {
  const lane = async (start: number): Promise<never> => {
    for (let id = start; ; id += AT_ONCE) {
      await add(target, id)
      print(id)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => lane(from + index)))
}

async function fill(target: Database): Promise<void> {
  let written = 0
  let failure: unknown
  while (failure === undefined) {
    const group = Array.from({ length: AT_ONCE }, (_, index) => add(target, written + index))
    const outcomes = await Promise.allSettled(group)
    const rejected = outcomes.filter((outcome) => outcome.status === 'rejected')
    written += outcomes.length - rejected.length
    failure = rejected[0]?.reason
  }
  print(written)
  print(
    `${isUnavailable(failure) ? 'unavailable' : 'other'}: ${failure instanceof Error ? failure.message : ''}`,
  )
  await once(process.stdin, 'data')
  await add(target, written + 1000)
  print('room again')
  await target.close()
  process.exit()
}
