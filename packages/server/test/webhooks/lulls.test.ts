/** Webhooks and requests to the same service: requests go first, and webhooks go all the same. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { engines } from '../databases.ts'
import { createUser } from '../endpoints/nouns.ts'
import { serverOn } from '../harness.ts'
import { runningRequests } from '../running-requests.ts'
import { realSender, WEBHOOKS, workerOf } from './receiver.ts'
import { scenes } from './scene.ts'

const PATIENCE = { timeout: 10_000 }

describe.each(engines)('webhooks on $name', (engine) => {
  const { at } = serverOn(engine, { config: WEBHOOKS })
  const scene = scenes(at)

  it('are sent when nobody waits for an answer', async () => {
    const { receiver, owner, project } = await scene()
    await createUser(owner, project)
    const lulls: (() => void)[] = []
    const lull = () => new Promise<void>((resolve) => lulls.push(resolve))
    const worker = workerOf(at(), realSender(at()), { lull })
    const begun = worker.run(new AbortController().signal)
    await expect.poll(() => lulls.length, PATIENCE).toBe(1)
    await setTimeout(50)
    expect(receiver.received).toEqual([])
    lulls[0]?.()
    await begun
    await worker.close()
    expect(receiver.received).toHaveLength(1)
  })
})

describe.each(engines)('the service on $name', (engine) => {
  const { at } = serverOn(engine, { config: { ...WEBHOOKS, jobs: true } })
  const scene = scenes(at)

  it('sends webhooks although a request waits for its answer all the time', async () => {
    const { receiver, owner, project } = await scene()
    const path = `/projects/${project}/users/new`
    const { hostname, port } = new URL(at().url)
    const open = connect(Number(port), hostname)
    open.write(
      `POST ${path} HTTP/1.1\r\nhost: ${hostname}\r\ntoken: ${owner.apiKey}\r\ncontent-length: 2\r\n\r\n{`,
    )
    await expect.poll(() => runningRequests(at().url), PATIENCE).toBe(1)
    await createUser(owner, project)
    await expect.poll(() => receiver.received.length, PATIENCE).toBe(1)
    expect(await runningRequests(at().url)).toBe(1)
    open.destroy()
    await once(open, 'close')
  })
})
