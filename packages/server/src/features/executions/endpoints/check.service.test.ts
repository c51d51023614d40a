/** Key checks by the JavaScript library against a real server. */
import { createPrivateKey, createPublicKey, randomBytes, sign } from 'node:crypto'
import { type CheckAnswer, CheckError, checkKey, deviceComponent, openAnswer } from '@scriptward/client/check'
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../../test/databases.ts'
import { START, serverOn, type TestServer } from '../../../../test/harness.ts'
import { STRONG } from '../../../../test/protocol/client.ts'
import { makeScene, type Scene } from '../../../../test/protocol/scene.ts'
import { countRows } from '../../../../test/store/rows.ts'
import { rowOf } from '../../../../test/stored.ts'

const nonce = () => randomBytes(24).toString('base64url')

async function open(server: TestServer, scene: Scene) {
  await scene.edit('projects', { allow_checks: 1 })
  const publicKeys = (await scene.client.keys()).map((one) => one.ed25519)
  const url = `${server.url}/client/v1`
  const ask = (key: string, more: { fingerprint?: string | null; claim?: boolean } = {}) =>
    checkKey({ url, projectId: scene.projectId, publicKeys, key, ...more })
  return { ask, publicKeys, url, first: await deviceComponent(scene.projectId, 'first machine') }
}

async function kindOf(asked: Promise<CheckAnswer>): Promise<string> {
  const error: unknown = await asked.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return error instanceof CheckError ? `${error.kind} ${error.status ?? ''}`.trim() : String(error)
}

describe.each(anyEngine)('key checks on $name', (engine) => {
  const { at } = serverOn(engine)
  const begin = async () => {
    const scene = await makeScene(at())
    return { ...scene, ...(await open(at(), scene)) }
  }

  it('report a valid key with its attributes and count nothing', async () => {
    const { ask, addUser, first } = await begin()
    const key = await addUser({ note: 'for Ä', key_expires: START + 1000, max_executions: 1 })
    const answer = { success: true, code: 0, reason: 'valid', executions: 0, note: 'for Ä', st: START }
    expect(await ask(key, { fingerprint: first })).toMatchObject({
      ...answer,
      key_expires: START + 1000,
      bound: false,
    })
    expect(await ask(key, { fingerprint: first })).toMatchObject(answer)
  })

  it('accept keys of 512 printable characters, like scripts', async () => {
    const { owner, ask, client, first, projectId, scriptId } = await begin()
    const key = `key/${'aB3+/= "'.repeat(63)}.\\%#`
    expect(key).toHaveLength(512)
    await owner.post(`/v1/projects/${projectId}/users/import`, { users: [{ key }] })
    expect(await ask(key, { fingerprint: first, claim: true })).toMatchObject({
      reason: 'valid',
      bound: true,
    })
    expect(await client.verdict(scriptId, { key, fp: { [STRONG]: first } })).toBe('granted')
  })

  it('accept keys in the key format of their project in lower case, as scripts do', async () => {
    const { owner, ask, client, first, projectId, scriptId, edit } = await begin()
    await owner.post(`/v1/projects/${projectId}/edit`, { key_format: 'HUB-XXXXX-XXXXX-XXXXX-XXXXX-X' })
    const key = (await owner.post(`/v1/projects/${projectId}/users/new`, {})).string('user_key')
    expect((await ask(key.toLowerCase(), { fingerprint: first })).reason).toBe('valid')
    // A loader for a silent script doesn't know the key format.
    await edit('scripts', { silent: 1 })
    const hello = { key: key.toLowerCase(), fp: { [STRONG]: first } }
    expect(await client.verdict(scriptId, hello)).toBe('granted')
  })

  it('bind a device on request, the same one that a script binds on that machine', async () => {
    const { ask, addUser, first, projectId, scriptId, client } = await begin()
    const key = await addUser()
    expect(await ask(key, { fingerprint: first, claim: true })).toMatchObject({ success: true, bound: true })
    const second = await deviceComponent(projectId, 'second machine')
    expect(await ask(key, { fingerprint: second, claim: true })).toMatchObject({
      success: false,
      code: 14,
      reason: 'fingerprint_mismatch',
      details: { can_reset: true },
      key_expires: null,
      note: null,
    })
    expect(await client.verdict(scriptId, { key, fp: { [STRONG]: second } })).toBe('fingerprint_mismatch')
    expect(await client.verdict(scriptId, { key, fp: { [STRONG]: first } })).toBe('granted')
    const { fingerprint_display } = await rowOf(at(), 'users', { key })
    expect(JSON.parse(fingerprint_display ?? '')).toMatchObject({ ip: '127.0.*.*', executor: 'so**' })
  })

  it('bind exactly one of two devices that claim a key at the same time', async () => {
    const { ask, addUser, projectId } = await begin()
    const key = await addUser()
    const devices = await Promise.all([1, 2, 3].map((i) => deviceComponent(projectId, `machine ${i}`)))
    const answers = await Promise.all(devices.map((fingerprint) => ask(key, { fingerprint, claim: true })))
    expect(answers.filter(({ success }) => success)).toHaveLength(1)
  })

  it('deny in the same order as executions', async () => {
    const { ask, addUser, edit, first, owner, projectId } = await begin()
    const key = await addUser()
    const reason = async (given = key) => (await ask(given, { fingerprint: first })).reason
    expect((await ask(key)).reason).toBe('fingerprint_missing')
    expect(await reason('no such key')).toBe('invalid_key')
    expect(await reason('')).toBe('invalid_key')
    expect(await reason(await (await begin()).addUser())).toBe('invalid_key')
    await edit('users', { max_executions: 0 }, key)
    expect(await reason()).toBe('max_executions')
    await owner.post(`/v1/projects/${projectId}/edit`, { require_join_chat_server: true })
    expect(await reason()).toBe('join_required')
    await edit('users', { key_expires: START - 1 }, key)
    expect(await ask(key, { fingerprint: first })).toMatchObject({
      reason: 'key_expired',
      details: { expired_at: START - 1 },
    })
    await edit('users', { blacklisted: 1, blacklist_reason: 'shared' }, key)
    expect(await reason()).toBe('blacklisted')
    await edit('customers', { plan_expires: 1 })
    expect(await reason()).toBe('service_unavailable')
  })

  it('return the same error for a missing project and for one that does not allow checks', async () => {
    const { ask, addUser, url, publicKeys, edit } = await begin()
    const key = await addUser()
    await edit('projects', { allow_checks: 0 })
    expect(await kindOf(ask(key))).toBe('refused 404')
    expect(await kindOf(checkKey({ url, projectId: 'prj_none', publicKeys, key }))).toBe('refused 404')
  })

  it('can be allowed under /v1', async () => {
    const { owner, projectId, ask, addUser } = await begin()
    const edited = await owner.post(`/v1/projects/${projectId}/edit`, { allow_checks: false })
    expect(edited.body.project).toMatchObject({ allow_checks: false })
    expect(await kindOf(ask(await addUser()))).toBe('refused 404')
    await owner.post(`/v1/projects/${projectId}/edit`, { allow_checks: true })
    expect((await ask(await addUser())).reason).toBe('fingerprint_missing')
    expect((await owner.get(`/v1/projects/${projectId}`)).body.project).toMatchObject({ allow_checks: true })
  })

  it('create no instance, execution or denial', async () => {
    const { ask, addUser, first } = await begin()
    const tables = ['instances', 'daily_executions', 'denials'] as const
    const count = () => Promise.all(tables.map((table) => countRows(at().deps.db.read, table)))
    const before = await count()
    await ask(await addUser(), { fingerprint: first, claim: true })
    await ask('wrong', { fingerprint: first })
    expect(await count()).toEqual(before)
  })
})

describe.each(anyEngine.slice(0, 1))('answers to key checks', (engine) => {
  const { at } = serverOn(engine)
  const answered = async () => {
    const scene = await makeScene(at())
    const { publicKeys, url } = await open(at(), scene)
    const question = {
      project_id: scene.projectId,
      key: await scene.addUser(),
      fingerprint: null,
      nonce: nonce(),
    }
    const body = JSON.stringify(question)
    const headers = { 'content-type': 'application/json', origin: 'https://shop.example' }
    const response = await fetch(`${url}/check`, { method: 'POST', body, headers })
    const signature = response.headers.get('scriptward-signature')
    return { text: await response.text(), signature, publicKeys, question, response, scene }
  }

  it('can be requested and read by pages on any site', async () => {
    const { response, text, signature, publicKeys, question } = await answered()
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-expose-headers')).toBe('scriptward-signature')
    expect(await openAnswer({ text, signature, publicKeys, question })).toMatchObject({ code: 15 })
  })

  it('are accepted only unchanged, signed by a known key and for the same question', async () => {
    const { text, signature, publicKeys, question } = await answered()
    const good = { text, signature, publicKeys, question }
    await openAnswer(good)
    const other = (await answered()).publicKeys
    expect(other).toEqual(publicKeys)
    const seed = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), randomBytes(32)])
    const ownKey = createPrivateKey({ key: seed, format: 'der', type: 'pkcs8' })
    const ownSignature = sign(null, Buffer.from(`lp1 check\0${text}`), ownKey).toString('base64url')
    const ownPublic = createPublicKey(ownKey)
      .export({ format: 'der', type: 'spki' })
      .subarray(-32)
      .toString('base64url')
    const forged = [
      { ...good, text: text.replace('"success":false', '"success":true') },
      { ...good, signature: null },
      { ...good, signature: `${signature}A` },
      { ...good, signature: `ed25519=${ownSignature}` },
      { ...good, publicKeys: [ownPublic] },
      { ...good, publicKeys: [] },
      { ...good, question: { ...question, key: 'another key' } },
      { ...good, question: { ...question, nonce: nonce() } },
      { ...good, question: { ...question, project_id: 'prj_other' } },
      { ...good, question: { ...question, fingerprint: 'A'.repeat(22) } },
    ]
    for (const one of forged) expect(await kindOf(openAnswer(one))).toBe('forged')
  })

  it('that do not arrive are not treated as denials', async () => {
    const nowhere = { url: 'http://127.0.0.1:1/client/v1', projectId: 'prj_1', publicKeys: [], key: 'key' }
    expect(await kindOf(checkKey(nowhere))).toBe('network')
  })
})

describe.each(anyEngine.slice(0, 1))('many key checks', (engine) => {
  const { at } = serverOn(engine, { config: { clientRates: 1 } })

  it('share the rate limit of executions and return a signed answer', async () => {
    const scene = await makeScene(at())
    const { ask, first } = await open(at(), scene)
    const key = await scene.addUser()
    for (let i = 0; i < 10; i++) expect((await ask(key, { fingerprint: first })).success).toBe(true)
    expect(await ask(key, { fingerprint: first })).toMatchObject({
      code: 1,
      reason: 'rate_limited',
      retry_after: 6,
    })
    expect(await scene.client.verdict(scene.scriptId, { key })).toBe('rate_limited')
  })

  it('find an existing key from an IP address paused by other clients, even in another account', async () => {
    const [scene, neighbor] = [await makeScene(at()), await makeScene(at())]
    at().clock.now += 3_600_000
    const { ask } = await open(at(), scene)
    const theirs = await open(at(), neighbor)
    for (let i = 0; i < 20; i++) await ask(`wrong ${i}`)
    expect(await ask('wrong 20')).toMatchObject({ reason: 'rate_limited', retry_after: 900 })
    expect((await ask(await scene.addUser({ use_fingerprint: 0 }))).reason).toBe('valid')
    expect((await theirs.ask(await neighbor.addUser({ use_fingerprint: 0 }))).reason).toBe('valid')
  })

  it('find an existing key from an IP address that has used up its twenty checks a minute', async () => {
    const scene = await makeScene(at())
    at().clock.now += 3_600_000
    const { ask } = await open(at(), scene)
    for (let i = 0; i < 20; i++) expect((await ask('')).reason).toBe('invalid_key')
    expect(await ask('')).toMatchObject({ reason: 'rate_limited', retry_after: 3 })
    expect((await ask(await scene.addUser({ use_fingerprint: 0 }))).reason).toBe('valid')
  })

  it('without a key cause no pause', async () => {
    const scene = await makeScene(at())
    at().clock.now += 3_600_000
    const { ask } = await open(at(), scene)
    for (let i = 0; i < 10; i++) expect((await ask('')).reason).toBe('invalid_key')
    expect((await ask('wrong')).reason).toBe('invalid_key')
  })
})
