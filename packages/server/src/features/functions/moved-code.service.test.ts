/** Code that a build moved to the server: how it is stored, who can call it, and which version of it runs. */
import {
  type BeatAccepted,
  LOCKS_LOADER_BUILD,
  SERVER_CODE_LOADER_BUILD,
} from '@scriptward/client/live-messages'
import { describe, expect, it } from 'vitest'
import { anyEngine, sqlite } from '../../../test/databases.ts'
import { serverOn } from '../../../test/harness.ts'
import { createOwner, createScript, createUser } from '../../../test/nouns.ts'
import { ProtocolClient } from '../../../test/protocol/client.ts'
import { LIVE, type Running, run } from '../../../test/protocol/running.ts'
import { rowsOf } from '../../../test/stored.ts'
import { writeFunctionCalls } from './calls.ts'

const LOADER = { ...LIVE, lb: SERVER_CODE_LOADER_BUILD }
const sourceOf = (answer: string) => `
local words = { zebrafish = '${answer}' }
local f = WARD_SERVER(function(n)
  if n == 0 then error('zero: ' .. ward.note) end
  return words.zebrafish, n
end)
local t = WARD_SERVER({ a = '${answer}', [2] = { b = '\\255' } })
print(f(1), t.a)`

function movedScene(engine: (typeof anyEngine)[number], clientRates = 0) {
  const { at } = serverOn(engine, { config: { clientRates } })
  const start = async () => {
    const { owner, project } = await createOwner(at())
    const scriptId = await createScript(owner, project, { script: sourceOf('first') })
    const key = await createUser(owner, project)
    await owner.post(`/v1/users/${key}/edit`, { note: 'order 7' })
    const client = new ProtocolClient(at().url)
    const again = (loader: object = LOADER) => run(client, scriptId, { ...loader, key })
    return { owner, project, scriptId, client, key, again }
  }
  return { at, start }
}

const answersOf = async (running: Running, ...a: unknown[]) => {
  const sent = await running.send(running.beatBody(1, { more: { a } }))
  return (running.accept(sent.text) as BeatAccepted).answers
}

describe.each(anyEngine)('code that moved to the server, on $name,', (engine) => {
  const { at, start } = movedScene(engine)

  it('belongs to its version: runs keep theirs, and a rollback brings it back', async () => {
    const { owner, scriptId, again } = await start()
    const first = await again()
    const uploaded = await owner.post(`/v1/scripts/${scriptId}/update`, { script: sourceOf('second') })
    expect(uploaded.status).toBe(200)
    const second = await again()
    expect(await answersOf(first, [1, 5], [2, 'a'])).toEqual([{ value: ['first', 5] }, { value: ['first'] }])
    expect(await answersOf(second, [1, 5], [2, 'a'])).toEqual([
      { value: ['second', 5] },
      { value: ['second'] },
    ])
    expect((await owner.post(`/v1/scripts/${scriptId}/versions/1/activate`)).status).toBe(200)
    expect(await answersOf(await again(), [1, 5])).toEqual([{ value: ['first', 5] }])
  })

  it('can be called only by number, with markers for values that JSON lacks', async () => {
    const { again } = await start()
    const running = await again()
    expect(await answersOf(running, [2, 2], [2, 'zebra'], [2, '\u0001b\u00ff'], [2])).toEqual([
      { value: [{ b: '\u0001b\u00ff' }] },
      ...Array(3).fill({ value: [null] }),
    ])
    for (const wrong of ['\u0001nconstructor', '\u0001q1', '\u0001', '\u0001n) error(1'])
      expect(await answersOf(running, [1, wrong])).toEqual([{ value: ['first', null] }])
    const none = { problem: 'this version of the script has no such server code' }
    expect(await answersOf(running, [3], [999])).toEqual([none, none])
    expect(await answersOf(running, ['f', 5])).toEqual([
      { problem: 'the script has no function with this name' },
    ])
  })

  it('reports the cause and line of a failure to the author, but only the function to the customer', async () => {
    const { owner, scriptId, again } = await start()
    const [answer] = (await answersOf(await again(), [1, 0])) ?? []
    expect(answer).toEqual({ problem: 'the server could not run f (line 3)' })
    await writeFunctionCalls(at().deps)
    const { version } = (await owner.get(`/v1/scripts/${scriptId}/versions/1`)).body
    expect(version).toMatchObject({
      server_code: [
        {
          number: 1,
          name: 'f',
          place: 'line 3',
          calls: 1,
          failures: 1,
          last_problem: 'line 4: zero: order 7',
        },
        { number: 2, name: 't', kind: 'table', calls: 0 },
      ],
    })
  })

  it('is stopped when it exceeds its time or memory limit, and cannot affect other calls', async () => {
    const { owner, scriptId, again } = await start()
    const script = `local loops = WARD_SERVER(function() while true do end end)
local fills = WARD_SERVER(function() local t = {} while true do t[#t + 1] = ('x'):rep(65536) .. #t end end)
local breaks = WARD_SERVER(function() string.format = nil math.floor = nil return 1 end)
local works = WARD_SERVER(function() return string.format('%d', math.floor(2.5)) end)
print(loops, fills, breaks, works)`
    expect((await owner.post(`/v1/scripts/${scriptId}/update`, { script })).status).toBe(200)
    const running = await again()
    // Calls are made one at a time: on a busy machine, replacing the processes of stopped calls takes longer
    // than the call timeout.
    const answers = []
    for (const number of [1, 2, 3, 4, 4]) answers.push(...((await answersOf(running, [number])) ?? []))
    expect(answers).toEqual([
      { problem: 'the server could not run loops (line 1)' },
      { problem: 'the server could not run fills (line 2)' },
      { problem: 'the server could not run breaks (line 3)' },
      { value: ['2'] },
      { value: ['2'] },
    ])
  })

  it('is stored encrypted, removed with its script, and restored with it', async () => {
    const { owner, scriptId } = await start()
    const own = async () =>
      (await rowsOf(at(), 'server_functions')).filter((row) => row.script_id === scriptId)
    const rows = await own()
    expect(rows.map(({ version, number, kind }) => [version, number, kind])).toEqual([
      [1, 1, 'function'],
      [1, 2, 'table'],
    ])
    expect(rows.map(({ source }) => Buffer.from(source).toString('latin1')).join()).not.toMatch(
      /zebrafish|first/,
    )
    expect((await owner.get(`/v1/scripts/${scriptId}/functions`)).body.functions).toEqual([])
    const removed = await owner.post(`/v1/scripts/${scriptId}/remove`)
    expect(await own()).toEqual([])
    const undone = await owner.post(`/v1/changes/${removed.body.change_id}/undo`)
    expect([undone.status, await own()]).toEqual([200, rows])
  })

  it('needs a loader that can call it', async () => {
    const { client, scriptId, key } = await start()
    const hello = { ...LIVE, lb: LOCKS_LOADER_BUILD, key }
    expect(await client.verdict(scriptId, hello)).toBe('outdated_loader')
  })
})

describe('a run that floods moved code', () => {
  const { start } = movedScene(sqlite, 1)

  it('gets twenty answers in a burst and errors for the rest', async () => {
    const { again } = await start()
    const running = await again()
    const eight = Array.from({ length: 8 }, () => [2, 'a'])
    const answers = []
    for (let i = 0; i < 10; i++) answers.push(...((await answersOf(running, ...eight)) ?? []))
    expect(answers.filter((one) => 'value' in one)).toHaveLength(20)
    expect(answers.filter((one) => 'problem' in one)).toHaveLength(60)
  })
})
