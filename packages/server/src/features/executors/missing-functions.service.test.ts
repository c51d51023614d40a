/** Uploads warn about functions that the executors of the script's customers lack. */
import { PROBED_FUNCTIONS, writeProbe } from '@scriptward/client/probe'
import { describe, expect, it } from 'vitest'
import { engines } from '../../../test/databases.ts'
import { START, serverOn } from '../../../test/harness.ts'
import { createOwner, createScript } from '../../../test/nouns.ts'
import { insertRows } from '../../../test/stored.ts'

type Report = {
  readonly warnings: readonly string[]
  readonly missing_functions: readonly object[]
}
const without = (...names: string[]) => writeProbe(PROBED_FUNCTIONS.map((name) => !names.includes(name)))
const SOURCE = '\nwritefile("a", "b")\nwritefile("c", "d")\nif readfile then readfile("a") end'

describe.each(engines)('missing functions on $name', (engine) => {
  const { at } = serverOn(engine)

  const executor = (name: string, functions: string, { version = '2', answers = 3, seen = START } = {}) =>
    insertRows(at(), 'executors', {
      ...{ name, version, list: 1, functions, answers, first_at: seen, last_at: seen },
    })
  /** Inserts a version's customer counts by executor. */
  const customers = (script_id: string, version: number, counts: Readonly<Record<string, number>>) => {
    const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
    const rows = Object.entries({ '': all, ...counts }).map(([name, count]) => ({
      ...{ script_id, version, executor: name, day: 0, customers: count },
    }))
    return insertRows(at(), 'version_health', rows)
  }
  const begin = async () => {
    const { owner, project } = await createOwner(at())
    const options = { preset: 'light' }
    const id = await createScript(owner, project, { script: 'print(1)', options })
    const upload = async (script = SOURCE, files?: object) => {
      const body = { script, options, ...(files ? { files } : {}) }
      const { version } = (await owner.post(`/v1/scripts/${id}/update`, body)).body
      const read = await owner.get(`/v1/scripts/${id}/versions/${version}`)
      return (read.body.version as { report: Report }).report
    }
    return { id, upload }
  }

  it('are listed with their line and the share of customers, and as a warning', async () => {
    const { id, upload } = await begin()
    const [garden, orchard] = [`Garden ${id}`, `Orchard ${id}`]
    await executor(garden, without('writefile', 'readfile'))
    await executor(orchard, without())
    await customers(id, 1, { [garden]: 12, [orchard]: 80, 'unknown one': 8 })
    const { missing_functions, warnings } = await upload()
    expect(missing_functions).toEqual([
      { name: 'writefile', file: null, line: 2, uses: 2, customers: 0.12, executors: [garden] },
    ])
    expect(warnings).toEqual([
      `line 2 and 1 more: writefile is missing for 12% of this script's customers (${garden}): check for it with 'if writefile then'`,
    ])
    const files = { 'lib/save.lua': 'return function() writefile("a", "b") end' }
    const tree = await upload('require("lib.save")()', files)
    expect(tree.warnings[0]).toMatch(/^lib\/save\.lua:1: writefile is missing for 12%/)
  })

  it('follow the newest version of an executor, and only what three networks reported', async () => {
    const { id, upload } = await begin()
    const [updated, doubtful] = [`Updated ${id}`, `Doubtful ${id}`]
    await executor(updated, without('writefile'), { version: '1', seen: START - 1 })
    await executor(updated, without())
    await executor(doubtful, without('writefile'), { answers: 2 })
    await customers(id, 1, { [updated]: 5, [doubtful]: 5 })
    expect((await upload()).missing_functions).toEqual([])
  })

  it('are not looked for in a script without customers, and never stored beyond these', async () => {
    const { upload } = await begin()
    const report = await upload()
    expect(report).toMatchObject({ missing_functions: [], warnings: [] })
    expect(report).not.toHaveProperty('hostUses')
  })
})
