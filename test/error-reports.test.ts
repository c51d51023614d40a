/**
 * Tests error reports end to end: a protected script fails in real interpreters, and the server stores line
 * numbers of the author's source.
 */
import { describe, expect, test } from 'vitest'
import { sqlite } from '../packages/server/test/databases.ts'
import { type Job, liveScene, until } from './live-scene.ts'

const SOURCE = `local function open(shop)
  return shop.door.handle
end
local function visit()
  local handle = open({})
  return handle
end
local ok, problem = pcall(error, 'for ' .. ward.note, 0)
if not ok then WARD_REPORT(problem, { place = 'shop' }) end
local handle = visit()
print(handle)`
const FAILED = [2, 5, 10]

describe('a protected script that fails', () => {
  const { at, newJob } = liveScene(sqlite)

  const reportsOf = ({ scriptId }: Job) =>
    at()
      .deps.db.read.selectFrom('error_reports')
      .select(['kind', 'text', 'at', 'tags'])
      .where('script_id', '=', scriptId)
      .orderBy('seq')
      .execute()

  /** Maps lines of the protected script to lines of the author's source. */
  async function sourceLines({ owner, scriptId }: Job, lines: readonly number[]): Promise<unknown[]> {
    const text = lines.map((line) => `live:${line}: in function`).join('\n')
    const { body } = await owner.post(`/v1/scripts/${scriptId}/traceback`, { text })
    return (String(body.text).match(/(?<=live:)\d+/g) ?? []).map(Number)
  }

  test.each(
    ['lua5.1', 'luajit', 'lua5.4', 'luau'].flatMap((command) =>
      ['light', 'balanced', 'strong', 'max'].map((preset) => [command, preset] as const),
    ),
  )("reports its author's lines, from %s at %s", async (command, preset) => {
    const job = await newJob('print(1)')
    await job.change('update', { script: SOURCE, options: { preset } })
    await job.changeUser(job.key, { note: 'order 4711' })
    const running = job.run({ command })
    await until('both reports', async () => (await reportsOf(job))[1])
    // Hosts with threads keep running until they are stopped.
    await job.change('toggle', { state: false })
    const { status, stderr } = await running
    expect([status, stderr]).toEqual([1, expect.stringMatching(/live:\d+: /)])
    const [caught, crash] = await reportsOf(job)
    expect(caught).toMatchObject({ kind: 'caught', text: 'for <ward>', tags: '{"place":"shop"}' })
    expect(crash).toMatchObject({ kind: 'crash', text: expect.stringMatching(/^live:\d+: /) })
    expect(await sourceLines(job, JSON.parse(crash?.at ?? '[]'))).toEqual(FAILED)
  })
})
