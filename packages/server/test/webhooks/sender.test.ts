/** Sending in the thread that the service does it in: what comes back from it, and what its end does. */
import { generateKeyPairSync, verify } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { ThreadSender } from '../../src/webhooks/sender.ts'
import { startReceiver, status, WEBHOOKS } from './receiver.ts'

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function scene(rules = WEBHOOKS as ConstructorParameters<typeof ThreadSender>[0]) {
  const receiver = await startReceiver(status(202, { 'x-own': '1' }, 'thanks'))
  const sender = new ThreadSender(rules, privateKey)
  closing.push(
    () => sender.stop(),
    () => receiver.close(),
  )
  const send = (number: number) =>
    sender.send({ address: receiver.url, headers: { 'x-number': `${number}` }, body: `{"n":${number}}` })
  return { receiver, sender, send }
}

describe('the thread that sends', () => {
  it('answers every message with what its own receiver said', async () => {
    const { receiver, send } = await scene()
    receiver.answer(({ body }, response) => {
      setTimeout(() => response.end(`${body.n}`), Number(body.n) % 2 === 0 ? 30 : 0)
    })
    const numbers = Array.from({ length: 20 }, (_, i) => i)
    const outcomes = await Promise.all(numbers.map(send))
    expect(outcomes).toEqual(numbers.map((n) => expect.objectContaining({ status: 200, text: `${n}` })))
    expect(receiver.received.map(({ headers, body }) => [headers['x-number'], body.n])).toEqual(
      expect.arrayContaining(numbers.map((n) => [`${n}`, n])),
    )
  })

  it('tells status, text and headers', async () => {
    const { send } = await scene()
    expect(await send(1)).toMatchObject({ status: 202, text: 'thanks', headers: { 'x-own': '1' } })
  })

  it('signs what is to be signed, with the key of the service', async () => {
    const { receiver, sender } = await scene()
    const signing = { id: 'evt_1', at: 1_700_000_000_999, secret: undefined }
    await sender.send({ address: receiver.url, headers: {}, body: '{}', signing })
    const [headers] = receiver.received.map((received) => received.headers)
    expect(headers).toMatchObject({ 'webhook-id': 'evt_1', 'webhook-timestamp': '1700000000' })
    const [, signature = ''] = String(headers?.['webhook-signature']).split(',')
    const content = Buffer.from('evt_1.1700000000.{}')
    expect(verify(null, content, publicKey, Buffer.from(signature, 'base64'))).toBe(true)
  })

  it('knows the rules of the operator', async () => {
    const { receiver, send } = await scene({ ...WEBHOOKS, webhookAllowCidr: [] })
    expect(await send(1)).toEqual({ error: expect.stringContaining('must lead to a public host') })
    expect(receiver.received).toEqual([])
  })

  it('gives up what is under way when the service stops', async () => {
    const { receiver, sender, send } = await scene()
    receiver.answer(() => {})
    const outcomes = [send(1), send(2)]
    await expect.poll(() => receiver.received.length).toBe(2)
    await sender.stop()
    expect(await Promise.all(outcomes)).toEqual([
      { error: 'the service was stopped' },
      { error: 'the service was stopped' },
    ])
  })

  it('that ends rejects what it had, and the next message has another one', async () => {
    const { receiver, sender, send } = await scene()
    receiver.answer(() => {})
    const lost = send(1)
    await expect.poll(() => receiver.received.length).toBe(1)
    const broken = sender.send(null as never)
    await expect(lost).rejects.toThrow('null')
    await expect(broken).rejects.toThrow('null')
    receiver.answer(status(200))
    expect(await Promise.all([send(2), send(3)])).toMatchObject([{ status: 200 }, { status: 200 }])
  })

  it.runIf(process.platform === 'linux')(
    'stands back behind all other threads, which keep their places',
    async () => {
      const before = lowThreads()
      const { send } = await scene()
      await send(1)
      expect(lowThreads()).toBe(before + 1)
    },
  )

  it.runIf(process.platform === 'linux')('is not given the processor for being woken', async () => {
    const { send } = await scene()
    await send(1)
    await expect.poll(() => threads().filter(isBatch).length).toBe(1)
  })

  it.runIf(process.platform === 'linux')(
    'comes with the first message and goes with the service',
    async () => {
      const { sender, send } = await scene()
      const before = threads().length
      const sent = send(1)
      expect(threads().length).toBeGreaterThan(before)
      await sent
      const low = lowThreads()
      await sender.stop()
      expect(lowThreads()).toBe(low - 1)
    },
  )
})

/** Those of them that get the processor last (proc_pid_stat(5), field 19). */
function lowThreads(): number {
  return threads().filter((fields) => fields[16] === '19').length
}

/** SCHED_BATCH of sched(7), field 41. */
function isBatch(fields: readonly string[]): boolean {
  return fields[38] === '3'
}

/** What Linux tells of each thread of this process, from its state on. */
function threads(): string[][] {
  return readdirSync('/proc/self/task').map((task) =>
    (readFileSync(`/proc/self/task/${task}/stat`, 'utf8').split(') ').at(-1) ?? '').split(' '),
  )
}
