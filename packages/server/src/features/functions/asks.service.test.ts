/**
 * Server function calls sent with heartbeats (client protocol, Calls), by a wire-level client against a real
 * server.
 */
import { ASKS_LOADER_BUILD, type BeatAccepted } from '@scriptward/client/live-messages'
import { describe, expect, it } from 'vitest'
import { anyEngine, sqlite } from '../../../test/databases.ts'
import { START, serverOn } from '../../../test/harness.ts'
import { createOwner, createScript, createTier, createUser } from '../../../test/nouns.ts'
import { ProtocolClient } from '../../../test/protocol/client.ts'
import { LIVE, type Running, run } from '../../../test/protocol/running.ts'

const LOADER = { ...LIVE, lb: ASKS_LOADER_BUILD }
const PRICE = `local prices = { gold = 10 }
return function(run, item, amount)
  if not prices[item] then error('there is no ' .. tostring(item), 0) end
  return prices[item] * amount
end`
const NESTED = `return function(_, levels)
  local value = 1
  for _ = 1, levels do value = { value } end
  return value
end`

function askScene(engine: (typeof anyEngine)[number], clientRates = 0) {
  const { at } = serverOn(engine, { config: { clientRates } })
  let begin = START
  const start = async (functions: Readonly<Record<string, string>>, member: object = {}) => {
    begin += 3_600_000
    at().clock.now = begin
    const { owner, project } = await createOwner(at())
    const scriptId = await createScript(owner, project)
    for (const [name, source] of Object.entries(functions)) {
      const { status, text } = await owner.put(`/v1/scripts/${scriptId}/functions/${name}`, { source })
      expect([name, status, text]).toEqual([name, 200, expect.any(String)])
    }
    const client = new ProtocolClient(at().url)
    const key = await createUser(owner, project)
    expect((await owner.post(`/v1/users/${key}/edit`, { note: 'order 7', ...member })).status).toBe(200)
    const again = () => run(client, scriptId, { ...LOADER, key })
    return { owner, project, scriptId, client, key, run: await again(), again }
  }
  return { at, start }
}

/** Builds heartbeat bodies that contain calls. */
const bodyOf = (running: Running, ...a: unknown[]) => running.beatBody(1, { more: { a } })
const ask = async (running: Running, ...a: unknown[]) =>
  running.accept((await running.send(bodyOf(running, ...a))).text)
const answersOf = async (running: Running, ...a: unknown[]) =>
  ((await ask(running, ...a)) as BeatAccepted).answers

describe.each(anyEngine)('server function calls from a run on $name', (engine) => {
  const { start } = askScene(engine)

  it('are answered in order, by functions of their own script only', async () => {
    const other = await start({ stock: 'return function() return { left = 3 } end' })
    expect(await answersOf(other.run, ['stock'])).toEqual([{ value: { left: 3 } }])
    const { run: running } = await start({ price: PRICE })
    const asked = [['price', 'gold', 3], ['stock'], ['price', 'silver', 1], ['price', 'gold', 0.5]]
    expect(await answersOf(running, ...asked)).toEqual([
      { value: 30 },
      { problem: 'the script has no function with this name' },
      { problem: 'the function failed' },
      { value: 5 },
    ])
    expect(await running.beat()).not.toHaveProperty('answers')
  })

  it('pass facts about the run to the function, but never the key', async () => {
    const member = { tags: ['friend'], chat_id: '123456789012345678' }
    const scene = await start({ who: 'return function(run) return run end' }, member)
    const [first] = (await answersOf(scene.run, ['who'])) ?? []
    expect(first).toEqual({
      value: expect.objectContaining({
        ...{ note: 'order 7', tags: ['friend'], chat_id: member.chat_id, status: 'active', version: 1 },
        ...{ executor: 'lua5.1', user: expect.any(String) },
      }),
    })
    expect(JSON.stringify(first)).not.toContain(scene.key)
    expect(await answersOf(await scene.again(), ['who'])).toEqual([first])
  })

  it('get the same bytes when their heartbeat is resent', async () => {
    const { run: running } = await start({ price: PRICE })
    const body = bodyOf(running, ['price', 'gold', 3])
    const [first, second] = [await running.send(body), await running.send(body)]
    expect(second.text).toBe(first.text)
    expect(running.accept(first.text)).toMatchObject({ answers: [{ value: 30 }] })
  })

  it('are not answered once the run has lost access', async () => {
    const { run: running, owner, key } = await start({ price: PRICE })
    await owner.post(`/users/${key}/blacklist`, { reason: 'shared' })
    const reply = await ask(running, ['price', 'gold', 3])
    expect(reply).toMatchObject({ ok: false, kick: { reason: 'blacklisted' } })
    expect(reply).not.toHaveProperty('answers')
  })

  it('never return a value that a loader cannot parse', async () => {
    const { run: running } = await start({ nested: NESTED })
    expect(await answersOf(running, ['nested', 29], ['nested', 30], ['nested', 200])).toEqual([
      { value: expect.any(Array) },
      { problem: 'the function failed' },
      { problem: 'the function failed' },
    ])
  })
})

describe('a run that floods calls', () => {
  const { at, start } = askScene(sqlite, 1)

  it('gets twenty answers in a burst and errors for the rest, and stays alive', async () => {
    const { run: running } = await start({ price: PRICE })
    const eight = Array.from({ length: 8 }, () => ['price', 'gold', 1])
    const answers = []
    for (let i = 0; i < 30; i++) answers.push(...((await answersOf(running, ...eight)) ?? []))
    expect(answers.filter((one) => 'value' in one)).toHaveLength(20)
    expect(answers.filter((one) => 'problem' in one)).toHaveLength(220)
    expect((await running.send(bodyOf(running, ...eight))).status).toBe(429)
    expect((await running.send(running.beatBody(1, { more: { m: [[1]] } }))).status).toBe(200)
  })

  it.each([
    [120, 40, 'too many calls; try again in 1 s'],
    [0, 0, "the service tier of the script's account includes no calls"],
    [-1, 80, undefined],
  ])('gets as many as the service tier allows: %d a minute', async (max_calls, answered, problem) => {
    const scene = await start({ price: PRICE })
    const tier = await createTier(at(), { max_calls })
    expect((await at().admin.post(`/v1/admin/customers/${scene.owner.id}/edit`, { tier })).status).toBe(200)
    const running = await scene.again()
    expect(running.grant.calls).toBe(max_calls === -1 ? 1200 : max_calls)
    const eight = Array.from({ length: 8 }, () => ['price', 'gold', 1])
    const answers = []
    for (let i = 0; i < 10; i++) answers.push(...((await answersOf(running, ...eight)) ?? []))
    expect(answers.filter((one) => 'value' in one)).toHaveLength(answered)
    const problems = answers.flatMap((one) => ('problem' in one ? [one.problem] : []))
    expect(new Set(problems)).toEqual(new Set(problem === undefined ? [] : [problem]))
  })
})
