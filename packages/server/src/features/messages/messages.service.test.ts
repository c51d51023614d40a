/**
 * Webhooks in scripts: uploaded with their URL, triggered by runs of scripts that contain neither the URL nor
 * the message, and delivered as the author wrote them.
 */
import { describe, expect, it } from 'vitest'
import { anyEngine, sqlite } from '../../../test/databases.ts'
import { START, serverOn } from '../../../test/harness.ts'
import { createOwner, createScript, createUser } from '../../../test/nouns.ts'
import { ProtocolClient } from '../../../test/protocol/client.ts'
import { LIVE, type Running, run } from '../../../test/protocol/running.ts'
import { rowsOf } from '../../../test/stored.ts'
import { addressesOf } from '../../../test/webhooks/addresses.ts'
import { deliver, type Receiver, WEBHOOKS } from '../../../test/webhooks/receiver.ts'
import { closedReceivers } from '../../../test/webhooks/receivers.ts'

const LOADER = { ...LIVE, lb: 4 }
const CLEAN = "WARD_CLEAN(name, '[a-zA-Z]{3,12}')"
const BODY = `{ username = 'Garden', content = 'Hello ' .. ${CLEAN} .. ' of %SCRIPT_NAME%', extra = count,
  embeds = {{ title = "%user_note%, %USER_KEY%, %chat_id%, %executor%, %network%, 5%off%", color = 7 }} }`

function messageScene(engine: (typeof anyEngine)[number], clientRates = 0) {
  const { at } = serverOn(engine, { config: { ...WEBHOOKS, clientRates } })
  const receive = closedReceivers()
  let begin = START
  const start = async (address: (receiver: Receiver) => string = ({ chatUrl }) => chatUrl) => {
    begin += 3_600_000
    at().clock.now = begin
    const receiver = await receive()
    const owned = await createOwner(at())
    const { owner, project } = owned
    const script = `local name, count = ...\nWARD_WEBHOOK('${address(receiver)}', ${BODY})`
    const scriptId = await createScript(owner, project, { script })
    const client = new ProtocolClient(at().url)
    const key = await createUser(owner, project, { note: 'order 7' })
    const begun = await run(client, scriptId, { ...LOADER, key })
    const shown = async () => {
      const { version } = (await owner.get(`/v1/scripts/${scriptId}/versions/1`)).body
      return version as { messages: object[]; message_counts: { outcome: string; count: number }[] }
    }
    return { owned, owner, project, scriptId, client, key, run: begun, receiver, shown }
  }
  return { at, start }
}

/** Sends heartbeats that contain messages. */
const say = async (running: Running, ...m: unknown[]) =>
  running.accept((await running.send(running.beatBody(1, { more: { m } }))).text)

describe.each(anyEngine)('a message of a script on $name', (engine) => {
  const { at, start } = messageScene(engine)

  it('is filled in by the server and sent to the URL that only the server knows', async () => {
    const { run, receiver, key, shown, owned, scriptId } = await start()
    expect(run.grant).not.toHaveProperty('messages')
    expect(await say(run, [1, 'Ann', 12.5])).toMatchObject({ ok: true })
    await deliver(at())
    expect(receiver.received.map(({ body }) => body)).toEqual([
      {
        allowed_mentions: { parse: [] },
        username: 'Garden',
        content: 'Hello Ann of Script',
        extra: 12.5,
        embeds: [{ title: `order 7, ${key}, N/A, lua5.1, 127.0.0.*, 5%off%`, color: 7 }],
      },
    ])
    const [hook] = await addressesOf(owned).all()
    expect(hook).toMatchObject({ address: receiver.chatUrl, events: [], name: 'Script webhooks' })
    expect(await shown()).toMatchObject({
      messages: [
        {
          number: 1,
          line: 2,
          webhook_id: hook?.id,
          host: new URL(receiver.chatUrl).host,
          values: 2,
          unchecked: 1,
        },
      ],
      message_counts: [{ outcome: 'sent', count: 1, last_at: at().clock.now }],
    })
    const sealed = await rowsOf(at(), 'script_versions', { script_id: scriptId })
    expect(Buffer.from(sealed[0]?.messages ?? []).toString('latin1')).not.toMatch(/Garden|webhooks/)
  })

  it('is sent once when it arrives twice, and each of several is a separate request', async () => {
    const { run, receiver } = await start()
    const body = run.beatBody(1, {
      more: {
        m: [
          [1, 'Ann', 1],
          [1, 'Bob', 2],
        ],
      },
    })
    const [first, second] = [await run.send(body), await run.send(body)]
    expect(second.text).toBe(first.text)
    await deliver(at())
    await deliver(at())
    expect(receiver.received.map(({ body }) => body.content)).toEqual([
      'Hello Ann of Script',
      'Hello Bob of Script',
    ])
  })

  it('cannot break out of its string, and is signed where the receiver is not a chat service', async () => {
    const { run, receiver } = await start(({ url }) => url)
    const value = '"}],"content":"@everyone %user_key%","x":[{"a":"\\'
    await say(run, [1, 'Ann', value])
    await deliver(at())
    const [received] = receiver.received
    expect(received?.body).toMatchObject({ content: 'Hello Ann of Script', extra: value })
    expect(received?.body).not.toHaveProperty('allowed_mentions')
    expect(received?.headers['webhook-signature']).toMatch(/^v1a,/)
  })

  it('is dropped and counted when a value does not match, is too long, or the endpoint was removed', async () => {
    const { run, receiver, shown, owned } = await start()
    await say(
      run,
      [1, 'A', 1],
      [1, 'Ann\n', 1],
      [1, 'Ann@everyone', 1],
      [1, 'Ann'],
      [2, 'Ann', 1],
      [1, null, 1],
    )
    await say(run, [1, 'Ann', 'x'.repeat(2001)], [1, 'Ann', null])
    const [hook] = await addressesOf(owned).all()
    await addressesOf(owned).call(hook?.id ?? '', 'remove')
    await say(run, [1, 'Ann', 1])
    await deliver(at())
    expect(receiver.received.map(({ body }) => body.extra)).toEqual([])
    const { message_counts, messages } = await shown()
    expect(message_counts.map(({ outcome, count }) => [outcome, count])).toEqual([
      ['no_address', 1],
      ['sent', 1],
      ['too_long', 1],
      ['wrong_value', 6],
    ])
    expect(messages).toMatchObject([{ webhook_id: null, host: null }])
  })

  it('is not accepted from a run that has lost access, or from a loader that cannot send messages', async () => {
    const { run: running, receiver, owner, key, client, scriptId, shown } = await start()
    expect(await client.verdict(scriptId, { ...LIVE, lb: 3, key })).toBe('outdated_loader')
    await owner.post(`/users/${key}/blacklist`, { reason: 'shared' })
    expect(await say(running, [1, 'Ann', 1])).toMatchObject({ ok: false, kick: { reason: 'blacklisted' } })
    await deliver(at())
    expect(receiver.received).toEqual([])
    expect((await shown()).message_counts).toEqual([])
  })

  it('is sent by older versions while its endpoint exists, and new versions reuse that endpoint', async () => {
    const { run: running, receiver, owner, owned, project, scriptId } = await start()
    const script = `WARD_WEBHOOK('${receiver.chatUrl}', { content = 'second' })`
    await owner.put(`/v1/projects/${project}/scripts/${scriptId}`, { script })
    expect(await addressesOf(owned).all()).toHaveLength(1)
    await say(running, [1, 'Ann', 1])
    await deliver(at())
    expect(receiver.received.map(({ body }) => body.content)).toEqual(['Hello Ann of Script'])
  })
})

describe('the limits of messages', () => {
  const { at, start } = messageScene(sqlite, 1)

  it('let a run that floods messages send thirty a minute, and count the rest', async () => {
    const { run: running, receiver, shown } = await start()
    const ten = Array.from({ length: 10 }, (_, i) => [1, 'Ann', i])
    for (let i = 0; i < 4; i++) await say(running, ...ten)
    for (let i = 0; i < 30; i++) await deliver(at())
    expect(receiver.received).toHaveLength(30)
    const counts = (await shown()).message_counts.map(({ outcome, count }) => [outcome, count])
    expect(counts).toEqual([
      ['rate_limited', 10],
      ['sent', 30],
    ])
    for (let i = 0; i < 16; i++) await say(running, [1, 'Ann', i])
    const { status } = await running.send(running.beatBody(1, { more: { m: [[1, 'Ann', 1]] } }))
    expect(status).toBe(429)
  })
})

describe('an upload is rejected with line and column', () => {
  const { at } = serverOn(sqlite, { config: { ...WEBHOOKS, webhookAllowCidr: [], webhookAllowHttp: false } })

  const complaintsOf = async (
    script: string,
    before?: (owned: Awaited<ReturnType<typeof createOwner>>) => Promise<void>,
  ) => {
    const owned = await createOwner(at())
    await before?.(owned)
    const { status, body } = await owned.owner.post(`/v1/projects/${owned.project}/scripts/new`, {
      name: 'x',
      script,
    })
    expect(status).toBe(422)
    return JSON.stringify(body)
  }
  const sending = (address: string, content = "'x'") =>
    `\n WARD_WEBHOOK('${address}', { content = ${content} })`

  it.each([
    ['http://a.example/x', 'line 2, column 2: the URL of this webhook must start with https://'],
    ['https://10.0.0.1/x', 'must point to a public host'],
    ['https://localhost/x', 'must point to a public host'],
    ['nothing', 'the URL of this webhook must be a URL'],
  ])('when the URL of a webhook is %s', async (address, words) => {
    expect(await complaintsOf(sending(address))).toContain(words)
  })

  it.each([
    ['(', 'is not a valid RE2 regular expression'],
    ['(?=a)b', 'is not a valid RE2 regular expression'],
    ['(a)\\\\1', 'is not a valid RE2 regular expression'],
    ['[a-z]{3, 40}', 'write {3,40}'],
    ['([a-z]{1,90}){1,90}', 'this pattern'],
    ['a'.repeat(501), 'more than 500 characters'],
    [`(?i)${'[a-\\\\x{10ffff}]'.repeat(11)}`, 'use fewer case-insensitive ranges'],
    [`(?i:${'[!-\u{1d7ff}]'.repeat(11)})`, 'use fewer case-insensitive ranges'],
  ])('when a pattern is %s', async (pattern, words) => {
    const complaints = await complaintsOf(sending('https://a.example/x', `WARD_CLEAN(x, '${pattern}')`))
    expect(complaints).toContain('line 2, column')
    expect(complaints).toContain(words)
  })

  it('when the project has reached its limit of endpoints', async () => {
    const complaints = await complaintsOf(sending('https://a.example/x'), async (owned) => {
      for (let i = 0; i < 10; i++) await addressesOf(owned).added({ address: `https://b.example/${i}` })
    })
    expect(complaints).toContain('line 2, column 2: the project already has 10 webhook endpoints')
  })
})
