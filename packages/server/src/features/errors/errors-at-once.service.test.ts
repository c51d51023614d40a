/** Changes to an error take account of reports that are added at the same time. */
import { describe, expect, test } from 'vitest'
import { postgres } from '../../../test/databases.ts'
import { START, serverOn } from '../../../test/harness.ts'
import { createOwner, createScript } from '../../../test/nouns.ts'
import { countLockWaits, insertRows, rowOf } from '../../../test/stored.ts'
import { updateErrorGroup } from './store/error-groups.ts'

/** On SQLite, transactions run one at a time. */
describe('on PostgreSQL', () => {
  const { at } = serverOn(postgres)

  test('a resolved error counts as resolved in a version that reports it at the same time', async () => {
    const { owner, project } = await createOwner(at())
    const script = await createScript(owner, project)
    const id = `err_${script}`
    await insertRows(at(), 'error_groups', {
      ...{
        id,
        project_id: project,
        script_id: script,
        fingerprint: 'f',
        kind: 'crash' as const,
        message: 'nil',
      },
      ...{ place: null, first_at: START, last_at: START, first_version: 1, last_version: 1 },
    })
    const held = Promise.withResolvers<void>()
    const free = Promise.withResolvers<void>()
    const reporting = at().deps.db.transaction(async (tx) => {
      await updateErrorGroup(tx, script, id, { last_version: 2 })
      held.resolve()
      await free.promise
    })
    await held.promise
    const resolving = owner.post(`/v1/scripts/${script}/errors/${id}/edit`, { state: 'resolved' })
    await expect.poll(() => countLockWaits(at())).toBeGreaterThan(0)
    free.resolve()
    await reporting
    expect((await resolving).status).toBe(200)
    expect(await rowOf(at(), 'error_groups', { id })).toMatchObject({ resolved_in_version: 2 })
  })
})
