/**
 * Attacks by clients without a key and by someone who intercepts the traffic. The server rejects every
 * invalid body before it changes anything. A recording of the traffic reveals nothing and cannot be replayed.
 */
import { randomBytes } from 'node:crypto'
import { type BootRecord, MAX_MESSAGE_BYTES } from '@scriptward/client/messages'
import { x25519Pair } from '@scriptward/client/wire'
import { describe, expect, it } from 'vitest'
import { anyEngine, type Engine } from '../../../test/databases.ts'
import { START, serverOn, startServer, type TestServer } from '../../../test/harness.ts'
import { component, helloFor, openAnswer, type Plain, ProtocolClient } from '../../../test/protocol/client.ts'
import { makeScene, TEXT } from '../../../test/protocol/scene.ts'

describe.each(anyEngine)('the server on $name', (engine) => {
  const { at } = serverOn(engine)

  it('rejects a body with any wrong byte, length or field, and changes nothing', async () => {
    const { client, scriptId, addUser } = await makeScene(at())
    const hello = helloFor(scriptId, { key: await addUser() })
    const boot = await client.boot(scriptId)
    const { body } = await client.request(boot, hello)
    const before = await dump(at())
    for (const [name, bad] of badBodies(body)) {
      const answer = await client.post('/exec', bad)
      expect([name, answer.status, answer.text]).toEqual([
        name,
        expect.any(Number),
        expect.stringContaining('"success":false'),
      ])
      expect([400, 409, 426], name).toContain(answer.status)
    }
    expect(await dump(at())).toEqual(before)
    const { body: good, keys } = await client.request(boot, hello)
    expect(openAnswer(keys, await client.post('/exec', good)).reply.ok).toBe(true)
  })

  it('names an invalid field and how to fix it', async () => {
    const { client, scriptId } = await makeScene(at())
    const { body } = await client.request(await client.boot(scriptId), helloFor(scriptId))
    const [tag, kid, boot, ep, box] = body.split('.')
    const failed = async (bad: string) => JSON.parse((await client.post('/exec', bad)).text).error
    expect(await failed('hello')).toMatchObject({ type: 'invalid_request', failed: [{ field: 'body' }] })
    expect(await failed(`${tag}.XYZ.${boot}.${ep}.${box}`)).toMatchObject({ failed: [{ field: 'kid' }] })
    expect(await failed(`${tag}.${kid}.AAAA.${ep}.${box}`)).toMatchObject({ failed: [{ field: 'boot' }] })
    expect(await failed(`${tag}.${kid}.${boot}.AAAA.${box}`)).toMatchObject({ failed: [{ field: 'ep' }] })
    const zero = Buffer.alloc(32).toString('base64url')
    expect(await failed(`${tag}.${kid}.${boot}.${zero}.${box}`)).toMatchObject({ failed: [{ field: 'ep' }] })
    expect(await failed(`${tag}.${kid}.${boot}.${ep}.${box}A`)).toMatchObject({ failed: [{ field: 'box' }] })
    expect(await failed(`${tag}.00000000.${boot}.${ep}.${box}`)).toMatchObject({ type: 'kid_unknown' })
    const unsupported = await client.post('/exec', `lp2.${kid}.${boot}.${ep}.${box}`)
    expect(unsupported.status).toBe(426)
    expect(JSON.parse(unsupported.text)).toEqual({
      success: false,
      error: { code: -1, message: 'unsupported protocol' },
      supported: ['lp1'],
    })
  })

  it('answers a replayed request only with the recorded answer, for one minute, and changes nothing', async () => {
    const { client, scriptId, addUser } = await makeScene(at())
    const key = await addUser()
    const { body } = await client.request(await client.boot(scriptId), helloFor(scriptId, { key }))
    const { status, text } = await client.post('/exec', body)
    expect(status).toBe(200)
    const before = await dump(at())
    for (const again of [await client.post('/exec', body), await client.get(`/exec?b=${body}`)])
      expect([again.status, again.text]).toEqual([200, text])
    expect(await dump(at())).toEqual(before)
    at().clock.now += 60_000
    expect(refusal(await client.post('/exec', body))).toEqual([409, 'boot_reused'])
    expect(await dump(at())).toEqual(before)
  })

  it('rejects a used boot record for any other request', async () => {
    const { client, scriptId, addUser } = await makeScene(at())
    const hello = helloFor(scriptId, { key: await addUser() })
    const boot = await client.boot(scriptId)
    const [one, other] = [await client.request(boot, hello), await client.request(boot, hello)]
    expect((await client.post('/exec', one.body)).status).toBe(200)
    const before = await dump(at())
    expect(refusal(await client.post('/exec', other.body))).toEqual([409, 'boot_reused'])
    expect(await dump(at())).toEqual(before)
  })

  it('answers one of many simultaneous requests with the same boot record', async () => {
    const { client, scriptId, addUser } = await makeScene(at())
    const hello = helloFor(scriptId, { key: await addUser() })
    const boot = await client.boot(scriptId)
    const requests = await Promise.all(Array.from({ length: 10 }, () => client.request(boot, hello)))
    const answers = await Promise.all(requests.map(({ body }) => client.post('/exec', body)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(9)
  })

  it('accepts a boot record for two minutes and for its own script only', async () => {
    const { client, scriptId, addUser } = await makeScene(at())
    const hello = helloFor(scriptId, { key: await addUser() })
    const old = await client.request(await client.boot(scriptId), hello)
    at().clock.now += 120_000
    expect(refusal(await client.post('/exec', old.body))).toEqual([409, 'boot_expired'])
    at().clock.now = START + 200_000
    const other = await makeScene(at())
    const { body, keys } = await client.request(await client.boot(other.scriptId), hello)
    expect(openAnswer(keys, await client.post('/exec', body)).reply).toMatchObject({
      code: 3,
      reason: 'bad_request',
    })
  })

  it('rejects a boot record from another server', async () => {
    const { client, scriptId } = await makeScene(at())
    const boot = await client.boot(scriptId)
    const forged: BootRecord = { ...boot, boot: randomBytes(40).toString('base64url') }
    const { body } = await client.request(forged, helloFor(scriptId))
    expect(refusal(await client.post('/exec', body))).toEqual([409, 'boot_invalid'])
  })

  it('denies an encrypted hello with an invalid field, names the field and changes nothing', async () => {
    const { client, scriptId, addUser } = await makeScene(at())
    const hello = helloFor(scriptId, { key: await addUser() })
    const before = await dump(at())
    for (const [name, odd, member] of oddHellos(hello)) {
      const { body, keys } = await client.request(await client.boot(scriptId), odd)
      const { reply } = openAnswer(keys, await client.post('/exec', body))
      expect([name, reply]).toMatchObject([name, { code: 3, reason: 'bad_request', details: { member } }])
    }
    expect(await dump(at())).toEqual(before)
  })

  it('reveals no key, fingerprint or source in a recorded exchange', async () => {
    const { client, scriptId, addUser } = await makeScene(at())
    const key = await addUser({ note: 'a note for eyes' })
    const { body, keys } = await client.request(await client.boot(scriptId), helloFor(scriptId, { key }))
    const answer = await client.post('/exec', body)
    expect(openAnswer(keys, answer).script).toBe(TEXT)
    for (const secret of [key, component('first machine'), 'payload of the scene', 'a note for eyes']) {
      for (const form of [secret, Buffer.from(secret).toString('base64url').slice(2, -2)]) {
        expect(decoded(body) + body).not.toContain(form)
        expect(decoded(answer.text) + answer.text).not.toContain(form)
      }
    }
    const lines = at().log.join('\n')
    expect(lines).toContain('/client/v1/exec')
    for (const secret of [key, component('first machine')]) expect(lines).not.toContain(secret)
  })

  it('sends an answer that another run cannot decrypt', async () => {
    const { client, scriptId, addUser } = await makeScene(at())
    const hello = helloFor(scriptId, { key: await addUser() })
    const first = await client.request(await client.boot(scriptId), hello)
    const recorded = await client.post('/exec', first.body)
    const second = await client.request(await client.boot(scriptId), hello)
    expect(() => openAnswer(second.keys, recorded)).toThrow('not sealed')
  })
})

it.each(anyEngine)(
  'a restarted server rejects old boot records and accepts new ones on $name',
  async (engine: Engine) => {
    const first = await startServer(engine)
    const { scriptId, addUser, client } = await makeScene(first)
    const hello = helloFor(scriptId, { key: await addUser() })
    const kids = (await client.keys()).map((key) => key.kid)
    const { body } = await client.request(await client.boot(scriptId), hello)
    await first.stop()
    const second = await startServer(engine, { location: first.location })
    try {
      const again = new ProtocolClient(second.url)
      expect((await again.keys()).map((key) => key.kid)).toEqual(kids)
      expect(refusal(await again.post('/exec', body))).toEqual([409, 'boot_invalid'])
      const retried = await again.request(await again.boot(scriptId), hello)
      expect(openAnswer(retried.keys, await again.post('/exec', retried.body)).script).toBe(TEXT)
    } finally {
      await second.close()
    }
  },
)

function refusal({ status, text }: Plain): [number, string] {
  return [status, JSON.parse(text).error.type]
}

/** Returns invalid copies of the body, one for each kind of defect. */
function badBodies(body: string): [string, string][] {
  const fields = body.split('.')
  const bad: [string, string][] = []
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i] ?? ''
    const put = (text: string) => fields.map((old, at) => (at === i ? text : old)).join('.')
    bad.push([`field ${i} empty`, put('')], [`field ${i} cut`, put(field.slice(0, -4))])
    bad.push([`field ${i} longer`, put(`${field}AAAA`)], [`field ${i} padded`, put(`${field}==`)])
    for (const place of [0, Math.floor(field.length / 2), field.length - 1]) {
      const other = field[place] === 'a' ? 'b' : 'a'
      bad.push([`field ${i} byte ${place}`, put(field.slice(0, place) + other + field.slice(place + 1))])
    }
  }
  const strange = x25519Pair(randomBytes(32)).publicKey.toString('base64url')
  bad.push(['foreign ep', [...fields.slice(0, 3), strange, fields[4]].join('.')])
  bad.push(['four fields', fields.slice(0, 4).join('.')], ['six fields', `${body}.AAAA`], ['no tag', 'x'])
  return bad
}

function oddHellos(hello: object): [string, unknown, string][] {
  return [
    ['not JSON', 'hello', 'hello'],
    ['a list', [], 'hello'],
    ['nothing', {}, 'pv'],
    ['an unknown member', { ...hello, extra: 1 }, 'extra'],
    ['a key that is a number', { ...hello, key: 5 }, 'key'],
    ['a key with NUL', { ...hello, key: 'a\0b' }, 'key'],
    ['a long key', { ...hello, key: 'a'.repeat(513) }, 'key'],
    [
      'a lone surrogate',
      { ...hello, host: { executor: '\ud800', version: '', platform: '' } },
      'host.executor',
    ],
    ['a header component', { ...hello, fp: { header: component('x') } }, 'fp.header'],
    ['a short component', { ...hello, fp: { machine_id: 'abc' } }, 'fp.machine_id'],
    ['a prototype', JSON.stringify(hello).replace('{', '{"__proto__":{"a":1},'), '__proto__'],
    ['deep nesting', `{"pv":${'['.repeat(3000)}${']'.repeat(3000)}}`, 'pv'],
    ['too much', { ...hello, note: 'a'.repeat(MAX_MESSAGE_BYTES - 600) }, 'note'],
  ]
}

function decoded(body: string): string {
  return body
    .split('.')
    .map((field) => Buffer.from(field, 'base64url').toString('latin1'))
    .join('\n')
}

const TABLES = [
  'customers',
  'projects',
  'scripts',
  'users',
  'user_fingerprints',
  'ffa_devices',
  'daily_executions',
  'instances',
] as const

/** Reads every table that an execution writes to. */
async function dump({ deps }: TestServer): Promise<string> {
  const tables = await Promise.all(
    TABLES.map((table) => deps.db.read.selectFrom(table).selectAll().execute()),
  )
  return JSON.stringify(tables.map((rows) => rows.map((row) => JSON.stringify(row)).sort()))
}
