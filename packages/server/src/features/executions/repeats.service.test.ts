/**
 * Clients repeat a hello when the response is lost. They get the same bytes again, for every kind and format
 * of response, and nothing is counted twice.
 */
import { randomBytes } from 'node:crypto'
import type { Grant, Hello } from '@scriptward/client/messages'
import { formatReply } from '@scriptward/client/wire'
import { describe, expect, it } from 'vitest'
import { anyEngine, sqlite } from '../../../test/databases.ts'
import { serverOn } from '../../../test/harness.ts'
import {
  helloFor,
  openAnswer,
  type Plain,
  type ProtocolClient,
  type Request,
} from '../../../test/protocol/client.ts'
import { makeScene, TEXT } from '../../../test/protocol/scene.ts'
import { rowOf, rowsOf } from '../../../test/stored.ts'

const BYTES = { accept: 'application/octet-stream' }
const CAPS = { ws: false, raw: true, lz4: true, buffer: false, post: true, max_body: 65_536 }

/**
 * Converts a binary response to the text response with the same boxes. A four-byte length precedes the first
 * box.
 */
function textOf(bytes: Buffer): string {
  const end = 4 + bytes.readUInt32BE()
  return formatReply(bytes.subarray(4, end), end < bytes.length ? bytes.subarray(end) : undefined)
}

async function prepare(client: ProtocolClient, scriptId: string, changes: Partial<Hello>): Promise<Request> {
  return client.request(await client.boot(scriptId), helloFor(scriptId, changes))
}

describe.each(anyEngine)('lost answers on $name', (engine) => {
  const { at } = serverOn(engine)
  const userOf = (key: string) => rowOf(at(), 'users', { key })
  const instancesOf = (key: string) => rowsOf(at(), 'instances', { user_key: key })

  it('still grant a user who had one instance and one execution left', async () => {
    const { client, scriptId, addUser } = await makeScene(at())
    const key = await addUser({ max_instances: 1, max_executions: 1 })
    const { body, keys } = await prepare(client, scriptId, { key })
    await client.post('/exec', body)
    const { reply, script } = openAnswer(keys, await client.post('/exec', body))
    expect([reply.ok, script]).toEqual([true, TEXT])
    expect((await userOf(key)).executions).toBe(1)
    expect((await instancesOf(key)).map(({ exec }) => exec)).toEqual([(reply as Grant).exec])
  })

  it('stay the same after the user is removed and grant nothing new', async () => {
    const { client, owner, scriptId, addUser } = await makeScene(at())
    const key = await addUser()
    const { body } = await prepare(client, scriptId, { key })
    const { text } = await client.post('/exec', body)
    expect((await owner.post(`/v1/users/${key}/remove`)).status).toBe(200)
    expect((await client.post('/exec', body)).text).toBe(text)
    expect(await client.verdict(scriptId, { key })).toBe('invalid_key')
  })

  it('are sent to all simultaneous copies of a request, which count once', async () => {
    const { client, scriptId, addUser } = await makeScene(at())
    const key = await addUser()
    const { body, keys } = await prepare(client, scriptId, { key })
    const answers = await Promise.all(Array.from({ length: 10 }, () => client.post('/exec', body)))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(openAnswer(keys, answers[0] as Plain).script).toBe(TEXT)
    expect((await userOf(key)).executions).toBe(1)
    expect(await instancesOf(key)).toHaveLength(1)
  })

  it('can be denials', async () => {
    const { client, scriptId } = await makeScene(at())
    const { body, keys } = await prepare(client, scriptId, { key: 'nobody has it' })
    const first = await client.post('/exec', body)
    const again = await client.post('/exec', body)
    expect(again.text).toBe(first.text)
    expect(openAnswer(keys, again).reply).toMatchObject({ reason: 'invalid_key' })
  })

  it('for a script sent in chunks name the same execution, whose chunks are available', async () => {
    const text = `return "${randomBytes(400_000).toString('base64')}"`
    const { client, scriptId, addUser } = await makeScene(at(), {}, text)
    const { body, keys } = await prepare(client, scriptId, { key: await addUser() })
    const { reply } = openAnswer(keys, await client.post('/exec', body))
    const again = openAnswer(keys, await client.post('/exec', body))
    expect(again.reply).toEqual(reply)
    expect(await client.fetchScript(keys, again.reply as Grant)).toBe(text)
  })

  it('are sent again even after the boot record expires', async () => {
    const { client, scriptId, addUser } = await makeScene(at())
    const { body } = await prepare(client, scriptId, { key: await addUser() })
    at().clock.now += 110_000
    const { text } = await client.post('/exec', body)
    at().clock.now += 15_000
    expect((await client.post('/exec', body)).text).toBe(text)
  })
})

describe('answers as bytes', () => {
  const { at } = serverOn(sqlite)

  async function scene(text?: string) {
    const made = await makeScene(at(), {}, text)
    return { ...made, key: await made.addUser() }
  }

  it('carry the same encrypted data as text answers, in the format that each request asks for', async () => {
    const { client, scriptId, key } = await scene()
    const { body, keys } = await prepare(client, scriptId, { key, caps: CAPS })
    const { bytes, headers, status } = await client.postForBytes('/exec', body, BYTES)
    expect([status, headers.get('content-type')]).toEqual([200, 'application/octet-stream'])
    expect(headers.get('cache-control')).toBe('no-store')
    const plain = await client.post('/exec', body)
    expect(plain.headers.get('content-type')).toBe('text/plain; charset=us-ascii')
    expect(textOf(bytes)).toBe(plain.text)
    expect(openAnswer(keys, plain).script).toBe(TEXT)
    expect(bytes.length).toBeLessThan(plain.text.length * 0.77)
  })

  it('can be denials, which are not longer than other answers', async () => {
    const { client, scriptId } = await scene()
    const { body, keys } = await prepare(client, scriptId, { key: 'nobody has it', caps: CAPS })
    const { bytes } = await client.postForBytes('/exec', body, BYTES)
    expect(bytes.readUInt32BE()).toBe(bytes.length - 4)
    const text = textOf(bytes)
    expect(openAnswer(keys, { status: 200, text, headers: new Headers() }).reply).toMatchObject({ ok: false })
    expect((bytes.length - 4 - 16) % 256).toBe(0)
  })

  it('include the chunks of a large script', async () => {
    const { client, scriptId, key } = await scene(`return "${randomBytes(400_000).toString('base64')}"`)
    const { keys, body } = await prepare(client, scriptId, { key, caps: CAPS })
    const { reply } = openAnswer(keys, await client.post('/exec', body))
    const path = `/chunk/${(reply as Grant).exec}/1`
    const [bytes, plain] = [await client.bytes(path, BYTES), await client.get(path)]
    expect(`lp1.${bytes.bytes.toString('base64url')}`).toBe(plain.text)
  })

  it.each([
    ['a client that does not support bytes', false, BYTES.accept],
    ['a client that accepts any type', true, '*/*'],
    ['a client without an Accept header', true, ''],
  ])('are not sent to %s', async (_, raw, accept) => {
    const { client, scriptId, key } = await scene()
    const { body, keys } = await prepare(client, scriptId, { key, caps: { ...CAPS, raw } })
    expect(openAnswer(keys, await client.post('/exec', body, { accept })).script).toBe(TEXT)
  })

  it('contain nothing unencrypted', async () => {
    const { client } = await scene()
    const { status, text } = await client.post('/exec', 'lp1.x', BYTES)
    expect([status, JSON.parse(text).error.type]).toEqual([400, 'invalid_request'])
  })
})

describe('limits', () => {
  const { at } = serverOn(sqlite, { config: { clientRates: 1 } })

  it('count a wrong key once, no matter how often its answer is lost', async () => {
    const { client, scriptId } = await makeScene(at())
    const { body, keys } = await prepare(client, scriptId, { key: 'nobody has it' })
    for (let i = 0; i < 8; i++)
      expect(openAnswer(keys, await client.post('/exec', body)).reply).toMatchObject({
        reason: 'invalid_key',
      })
    expect(await client.verdict(scriptId, { key: 'nor this' })).toBe('invalid_key')
  })
})
