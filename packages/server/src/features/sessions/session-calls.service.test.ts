/** Server function calls that a wire-level client makes over a live session (client protocol, Calls). */
import type { BeatAnswer } from '@scriptward/client/live-messages'
import { describe, expect, it } from 'vitest'
import { anyEngine, sqlite } from '../../../test/databases.ts'
import { START, serverOn } from '../../../test/harness.ts'
import { liveScene } from '../../../test/protocol/live-scene.ts'
import { run, type Socket } from '../../../test/protocol/running.ts'
import { rowOf } from '../../../test/stored.ts'
import { writeFunctionCalls } from '../functions/calls.ts'

const PRICE = `return function(run, amount)
  if not amount then error('no amount', 0) end
  return { 10 * amount, run.note }
end`
const LOST = 'the connection was lost during the call'

function callScene(engine: (typeof anyEngine)[number], clientRates = 0) {
  const { at } = serverOn(engine, { config: { clientRates } })
  const live = liveScene(at)
  const putFunction = async () => {
    const { owner, scriptId } = live.scene()
    const put = await owner.put(`/v1/scripts/${scriptId}/functions/price`, { source: PRICE })
    expect([put.status, put.text]).toEqual([200, expect.any(String)])
  }
  /** Returns how many times the function ran. */
  const callsMade = async () => {
    const { owner, scriptId } = live.scene()
    await writeFunctionCalls(at().deps)
    const { functions } = (await owner.get(`/v1/scripts/${scriptId}/functions`)).body
    return (functions as { calls: number }[])[0]?.calls
  }
  return { at, ...live, putFunction, callsMade }
}

const send = (socket: Socket, id: number, ...a: unknown[]) =>
  socket.send({ t: 'call', id: `${id}`, epoch: 1, a })
async function ask(socket: Socket, id: number, ...a: unknown[]): Promise<BeatAnswer> {
  send(socket, id, ...a)
  const { t, id: answered, ...answer } = await socket.frame('answer')
  expect([t, answered]).toEqual(['answer', `${id}`])
  return answer
}

describe.each(anyEngine)('calls over a session on $name', (engine) => {
  const { at, scene, start, join, detached, putFunction, callsMade } = callScene(engine)

  it('are answered by functions of their script, with facts about the run', async () => {
    await putFunction()
    const key = await scene().addUser({ note: 'order 7' })
    const { socket } = await join(await run(scene().client, scene().scriptId, { key }))
    expect(await ask(socket, 1, 'price', 3)).toEqual({ value: [30, 'order 7'] })
    expect(await ask(socket, 2, 'price')).toEqual({ problem: 'the function failed' })
    expect(await ask(socket, 3, 'stock')).toEqual({ problem: 'the script has no function with this name' })
    expect(await callsMade()).toBe(2)
  })

  it('run once, no matter how often they are sent, and are answered over the newest connection', async () => {
    await putFunction()
    const running = await start()
    const { socket, sid } = await join(running)
    await ask(socket, 1, 'price', 3)
    send(socket, 2, 'price', 4)
    await socket.frame('answer')
    socket.ws.terminate()
    await detached()
    const again = (await join(running, { resume: sid })).socket
    expect(await ask(again, 2, 'price', 4)).toMatchObject({ value: [40] })
    expect(await ask(again, 3, 'price', 5)).toMatchObject({ value: [50] })
    expect(await callsMade()).toBe(3)
  })

  it('that an earlier session may have run fail with an error', async () => {
    await putFunction()
    const running = await start()
    const { socket } = await join(running)
    await ask(socket, 1, 'price', 3)
    const other = (await join(running)).socket
    expect(await ask(other, 1, 'price', 3)).toEqual({ problem: LOST })
    other.send({ t: 'call', id: '1', epoch: 2, a: ['price', 4] })
    expect(await other.frame('answer')).toMatchObject({ value: [40] })
    expect(await callsMade()).toBe(2)
  })

  it('of a run that has lost access end it with the reason and run nothing', async () => {
    await putFunction()
    const key = await scene().addUser({ key_expires: START + 60_000 })
    const running = await run(scene().client, scene().scriptId, { key })
    const { socket } = await join(running)
    await ask(socket, 1, 'price', 3)
    at().clock.now += 120_000
    send(socket, 2, 'price', 4)
    expect(await socket.frame('kick')).toMatchObject({ reason: 'key_expired' })
    expect(await socket.closed).toBe(4403)
    expect(socket.frames.filter(({ t }) => t === 'answer')).toEqual([])
    expect(await callsMade()).toBe(1)
    expect(await rowOf(at(), 'instances', { exec: running.exec })).toMatchObject({ kick: 'key_expired' })
  })

  it.each([
    { id: 1, epoch: 1, a: ['price'] },
    { id: '1', a: ['price'] },
    { id: '1', epoch: 1.5, a: ['price'] },
    { id: '1', epoch: 1, a: ['Price'] },
    { id: '1', epoch: 1, a: [0] },
    { id: '1', epoch: 1, a: ['price', ...Array(17).fill(0)] },
    { id: '1', epoch: 1, a: ['price'], more: true },
  ])('that are invalid close the connection: %j', async (call) => {
    const { socket } = await join(await start())
    socket.send({ t: 'call', ...call })
    expect(await socket.closed).toBe(4400)
  })
})

describe('a run that floods calls over its session', () => {
  const { start, join, putFunction } = callScene(sqlite, 1)

  it('gets twenty answers in a burst and errors for the rest, and keeps its connection', async () => {
    await putFunction()
    const { socket } = await join(await start())
    const answers: BeatAnswer[] = []
    for (let id = 1; id <= 30; id++) answers.push(await ask(socket, id, 'price', 1))
    expect(answers.filter((one) => 'value' in one)).toHaveLength(20)
    expect(answers.at(-1)).toEqual({ problem: 'too many calls; try again in 1 s' })
  })
})
