/**
 * Tests webhooks that scripts send, end to end: scripts are uploaded with a URL, served, and run by real
 * interpreters, and their messages are delivered unchanged.
 */
import { describe, expect, test } from 'vitest'
import { sqlite } from '../packages/server/test/databases.ts'
import { deliver, WEBHOOKS } from '../packages/server/test/webhooks/receiver.ts'
import { closedReceivers } from '../packages/server/test/webhooks/receivers.ts'
import { alongside, liveScene, until } from './live-scene.ts'

describe('a message from a protected script', () => {
  const { at, newJob } = liveScene(sqlite, { config: WEBHOOKS })
  const receive = closedReceivers()

  test.each(['lua5.1', 'luau'])("reaches its author's channel exactly once, from %s", async (command) => {
    const receiver = await receive()
    const job = await newJob(`local name = 'Ann'
      WARD_WEBHOOK('${receiver.chatUrl}', { content = WARD_CLEAN(name, '[A-Z][a-z]+') .. ' runs %script_name%' })
      while true do ward.step(1) end`)
    const running = job.run({ command })
    await alongside(running, async () => {
      await until('the message', async () => {
        await deliver(at())
        return receiver.received[0]
      })
    })
    await job.change('toggle', { state: false })
    await running
    await deliver(at())
    expect(receiver.received.map(({ body }) => body)).toEqual([
      { allowed_mentions: { parse: [] }, content: 'Ann runs live' },
    ])
  })
})
