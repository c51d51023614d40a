/**
 * Creates three thousand users at a time in a separate process until the process is killed. For each batch,
 * prints a line when half of the users are written, and another when all are acknowledged.
 */

import { openDatabase } from '../../src/database/engine/open.ts'
import { BLANK } from '../../src/features/keys/blank.ts'
import { insertUsers } from '../../src/features/keys/store/user-bulk.ts'
import { changeUserCount } from '../../src/features/projects/store/projects.ts'
import { customer, project } from './rows.ts'

const AT_ONCE = 500
const TIMES = 6
const [dataDir = '', databaseUrl = '', name = ''] = process.argv.slice(2)
const db = await openDatabase({ dataDir, databaseUrl: databaseUrl || undefined, isRefusal: () => false })

for (let round = 0; ; round += 1) {
  await db.bulk(async (tx) => {
    await changeUserCount(tx, customer.id, project.id, { users: AT_ONCE * TIMES, fromAds: 0 })
    for (let time = 0; time < TIMES; time += 1) {
      const keys = Array.from({ length: AT_ONCE }, (_, index) => `${name}-${round}-${time}-${index}`)
      await insertUsers(
        tx,
        { projectId: project.id, createdAt: 0 },
        keys.map((key) => ({ ...BLANK, key })),
      )
      if (time === TIMES >> 1) process.stdout.write('half\n')
    }
  })
  process.stdout.write('done\n')
}
