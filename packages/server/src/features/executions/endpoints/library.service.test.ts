/** Key checks by the library for script hubs, as raw requests against a real server. */
import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto'
import type { LibraryCheck } from '@scriptward/client/messages'
import { beforeEach, describe, expect, it } from 'vitest'
import { createSystem, sceneOn } from '../../../../test/ads/scene.ts'
import { anyEngine, sqlite } from '../../../../test/databases.ts'
import { START, serverOn } from '../../../../test/harness.ts'
import { component, STRONG } from '../../../../test/protocol/client.ts'
import { makeScene, type Scene } from '../../../../test/protocol/scene.ts'
import { countRows } from '../../../../test/store/rows.ts'

const FIRST = { [STRONG]: component('first machine') }
const SECOND = { [STRONG]: component('second machine') }
const FORMAT = 'HUB-XXXXX-XXXXX-XXXXX-XXXXX-X'

function bodyOf(check: Partial<LibraryCheck>): string {
  const whole = {
    key: '',
    nonce: randomBytes(24).toString('base64url'),
    rt: 'luau',
    host: { executor: 'Garden', version: '2.1', platform: 'game' },
    fp: FIRST,
    ...check,
  }
  return Buffer.from(JSON.stringify(whole)).toString('base64url')
}

/** Verifies the signature over everything before it, as clients must. */
function openText(text: string, ed25519: string): Record<string, unknown> {
  const [, signed = '', sig = ''] = /^(.*),"sig":"([\w-]{86})"}$/.exec(text) ?? []
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: ed25519 }, format: 'jwk' })
  const bytes = Buffer.from(`lp1 library\0${signed}}`)
  expect(verify(null, bytes, key, Buffer.from(sig, 'base64url'))).toBe(true)
  return JSON.parse(text)
}

type Way = { readonly byQuery?: boolean; readonly headers?: Record<string, string> }

async function ask(scene: Scene, check: Partial<LibraryCheck>, { byQuery = false, headers = {} }: Way = {}) {
  const body = bodyOf({ project_id: scene.projectId, ...check })
  const answer = byQuery
    ? await scene.client.get(`/library/check?b=${body}`, headers)
    : await scene.client.post('/library/check', body, headers)
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store'])
  const [key] = await scene.client.keys()
  const opened = openText(answer.text, key?.ed25519 ?? '')
  expect(opened.asked).toBe(createHash('sha256').update(`lp1 asked\0${body}`).digest('base64url'))
  return opened
}

describe.each(anyEngine)('key checks of the library on $name', (engine) => {
  const { at } = serverOn(engine, { config: { baseUrl: 'https://ward.example.com' } })
  let scene: Scene
  beforeEach(async () => {
    at().clock.now = START
    scene = await makeScene(at())
    await scene.edit('projects', { allow_checks: 1 })
  })

  it.each([false, true])(
    'report a valid key with its attributes and count nothing, by query: %s',
    async (byQuery) => {
      const key = await scene.addUser({ note: 'for Ä', key_expires: START + 1000, max_executions: 1 })
      const tables = ['instances', 'daily_executions', 'denials', 'user_devices'] as const
      const count = () => Promise.all(tables.map((table) => countRows(at().deps.db.read, table)))
      const before = await count()
      for (let i = 0; i < 2; i++)
        expect(await ask(scene, { key }, { byQuery })).toMatchObject({
          ...{ success: true, code: 0, reason: 'valid', executions: 0, note: 'for Ä', bound: false },
          ...{ key_expires: START + 1000, message: null, link: null, get_key: null, typo: false, st: START },
        })
      expect(await count()).toEqual(before)
    },
  )

  it('answer in the language of the host, or in English', async () => {
    const message = async (lang?: string) =>
      (await ask(scene, { key: 'wrong', ...(lang && { lang }) })).message
    expect(await message('id')).toBe('Key ini tidak valid untuk script ini. Cek script_key.')
    expect(await message('zh')).toBe(await message())
    const bad = bodyOf({ project_id: scene.projectId, lang: 'pt_BR.UTF-8' })
    expect((await scene.client.post('/library/check', bad)).status).toBe(400)
  })

  it('recognize the device that a run has bound, by the components of the hello and by headers', async () => {
    const [key, byHeader] = [await scene.addUser(), await scene.addUser()]
    await scene.client.run(scene.scriptId, { key, fp: FIRST })
    expect(await ask(scene, { key })).toMatchObject({ reason: 'valid', bound: true })
    expect(await ask(scene, { key, fp: SECOND })).toMatchObject({ reason: 'fingerprint_mismatch' })
    const headers = { 'garden-hwid': 'a device' }
    await scene.client.run(scene.scriptId, { key: byHeader, fp: {} }, headers)
    expect(await ask(scene, { key: byHeader, fp: {} }, { headers })).toMatchObject({ bound: true })
    const two = { ...headers, 'orchard-hwid': 'another device' }
    expect(await ask(scene, { key: byHeader, fp: {} }, { headers: two })).toMatchObject({ code: 16 })
  })

  it('include the message and the link of a denied run', async () => {
    const key = await scene.addUser()
    await scene.client.run(scene.scriptId, { key, fp: FIRST })
    const { reply } = await scene.client.run(scene.scriptId, { key, fp: SECOND })
    const denied = await ask(scene, { key, fp: SECOND })
    expect('message' in reply && reply.link).toBeTruthy()
    expect(denied).toMatchObject({
      ...{ message: 'message' in reply && reply.message, link: 'link' in reply && reply.link },
      ...{ success: false, code: 14, key_expires: null, note: null },
    })
    expect(await ask(scene, { key, fp: {} })).toMatchObject({
      code: 15,
      message: expect.stringContaining('Your executor (Garden) has no working gethwid function'),
    })
  })

  it('accept keys typed in lower case and detect typos without counting them', async () => {
    const { owner, projectId } = scene
    await owner.post(`/v1/projects/${projectId}/edit`, { key_format: FORMAT })
    const issued = await owner.post(`/v1/projects/${projectId}/users/new`, {})
    const key = issued.string('user_key')
    expect(await ask(scene, { key: key.toLowerCase() })).toMatchObject({ reason: 'valid' })
    const typo = key.slice(0, -1) + (key.endsWith('2') ? '3' : '2')
    for (let i = 0; i < 10; i++)
      expect(await ask(scene, { key: typo })).toMatchObject({
        ...{ reason: 'invalid_key', typo: true, message: 'This key contains a typo. Check script_key.' },
      })
    expect((await ask(scene, { key: typo, lang: 'fr' })).message).toContain('faute de frappe')
    expect(await ask(scene, { key: 'another key' })).toMatchObject({ reason: 'invalid_key', typo: false })
  })

  it('are refused alike for a missing project and for one that does not allow checks', async () => {
    const key = await scene.addUser()
    await scene.edit('projects', { allow_checks: 0 })
    for (const project_id of [scene.projectId, 'prj_none', "' or 1=1", 'ä'])
      expect((await scene.client.post('/library/check', bodyOf({ project_id, key }))).status).toBe(404)
  })

  it('are refused with the field to fix if the request is malformed', async () => {
    const { projectId: project_id } = scene
    const malformed: [string, string][] = [
      ['b', 'not base64url!'],
      ['b', Buffer.from('{"').toString('base64url')],
      ['b', Buffer.from('[]').toString('base64url')],
      ['b', Buffer.from([0xff]).toString('base64url')],
      ['nonce', bodyOf({ project_id, nonce: 'short' })],
      ['key', bodyOf({ project_id, key: 'x'.repeat(513) })],
      ['key', bodyOf({ project_id, key: 'a\0b' })],
      ['fp.header', bodyOf({ project_id, fp: { header: component('stolen') } })],
      ['claim', bodyOf({ project_id, ...({ claim: true } as object) })],
      ['project_id', bodyOf({})],
    ]
    for (const [field, body] of malformed)
      for (const answer of [
        await at().client().send('POST', '/client/v1/library/check', { body }),
        await at()
          .client()
          .get(`/client/v1/library/check?b=${encodeURIComponent(body)}`),
      ])
        expect([answer.status, answer.error]).toMatchObject([400, { failed: [{ field }] }])
  })
})

describe('the get-key page in key checks of the library', () => {
  const scene = sceneOn(sqlite)

  it('is a page bound to this device, whether the key is valid or not, and the link where a key helps', async () => {
    const { server } = scene()
    const system = await createSystem(scene(), ['a'])
    await system.owner.post(`/v1/projects/${system.project}/edit`, { allow_checks: true })
    const issued = await system.owner.post(`/v1/projects/${system.project}/users/new`, {})
    const library = { ...(await makeScene(server)), projectId: system.project }
    const get_key = expect.stringContaining(`${system.url}?d=`)
    expect(await ask(library, { key: 'wrong' })).toMatchObject({
      get_key,
      link: { text: 'Get a key', url: get_key },
    })
    expect(await ask(library, { key: issued.string('user_key') })).toMatchObject({
      reason: 'valid',
      get_key,
      link: null,
    })
    expect(await ask(library, { fp: {} })).toMatchObject({ get_key: system.url })
  })
})

describe('many key checks of the library', () => {
  const { at } = serverOn(sqlite, { config: { clientRates: 1 } })

  it('share the limits of runs and get signed answers', async () => {
    const scene = await makeScene(at())
    await scene.edit('projects', { allow_checks: 1 })
    const key = await scene.addUser()
    for (let i = 0; i < 10; i++) expect(await ask(scene, { key })).toMatchObject({ success: true })
    expect(await ask(scene, { key })).toMatchObject({ code: 1, retry_after: 6, get_key: null })
    expect(await scene.client.verdict(scene.scriptId, { key })).toBe('rate_limited')
  })
})

describe('the text of the library', () => {
  const { at } = serverOn(sqlite)

  it('contains the current and the next key, the URL of the request and the project, and runs as Lua', async () => {
    const { client } = await makeScene(at())
    const { status, text, headers } = await client.get('/library?rt=luau&project=prj_1')
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=us-ascii'])
    const pins = at()
      .deps.secrets.server.pins(START)
      .map(({ ed25519 }) => ed25519)
    expect(pins).toHaveLength(2)
    for (const part of [...pins, `${at().url}/client/v1`, '["project"]="prj_1"']) expect(text).toContain(part)
    expect(text).toMatch(/^[\n\t\x20-\x7e]+$/)
    expect((await client.get('/library')).text.length).toBeGreaterThan(text.length)
  })

  it('is revalidated without being sent again, and compressed', async () => {
    const { client } = await makeScene(at())
    const first = await client.get('/library')
    const etag = first.headers.get('etag') ?? ''
    expect(first.headers.get('cache-control')).toBe('public, max-age=300')
    expect(first.headers.get('content-encoding')).toBe('gzip')
    const again = await client.get('/library', { 'if-none-match': etag })
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag])
    expect((await client.get('/library', { 'if-none-match': 'W/"other"' })).status).toBe(200)
    expect((await client.get('/library?rt=luau')).headers.get('etag')).not.toBe(etag)
  })

  it.each(['project=a"]=1', 'project=', 'rt=none', 'other=1'])(
    'is refused with %s in the query',
    async (query) => {
      const { client } = await makeScene(at())
      expect((await client.get(`/library?${query}`)).status).toBe(400)
    },
  )
})

describe('the text of the key window', () => {
  const scene = sceneOn(sqlite)
  const LOGO =
    'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR4nGOQj79AEmIY1TCqYfhqAADf8k4Q0uiyngAAAABJRU5ErkJggg=='

  it('contains the branding of the project and the words of one language, as ASCII', async () => {
    const { server } = scene()
    const { owner, project } = await createSystem(scene(), ['a'])
    const client = (await makeScene(server)).client
    const get = async (query = '') => client.get(`/library/window?project=${project}${query}`)
    expect((await get()).status).toBe(404)
    await owner.post(`/v1/projects/${project}/edit`, { allow_checks: true, name: 'Plain "name"' })
    expect((await get()).text).toContain('["title"]="Plain \\034name\\034"')
    const links = [{ title: 'Chat', url: 'https://chat.example.com' }]
    await owner.post(`/v1/projects/${project}/branding/edit`, {
      ...{ name: 'Gärten', accent: '#2f9e6e', logo: LOGO, links },
    })
    const { status, text, headers } = await get('&lang=de-DE')
    expect([status, headers.get('content-encoding')]).toEqual([200, 'gzip'])
    expect(text).toMatch(/^[\n\x20-\x7e]+$/)
    const logo = Buffer.from(LOGO, 'base64').toString('base64url')
    for (const part of ['G\\195\\164rten', '#2f9e6e', logo, 'https://chat.example.com', '["get_key"]=true'])
      expect(text).toContain(part)
    expect(text).toContain('["window_paste"]="Einf\\195\\188gen"')
    for (const lang of ['en', 'xx', 'nl-NL']) expect((await get(`&lang=${lang}`)).text).toContain('"Paste"')
    const etag = headers.get('etag') ?? ''
    expect(
      (await client.get(`/library/window?project=${project}&lang=de`, { 'if-none-match': etag })).status,
    ).toBe(304)
    expect((await get('&lang=../..')).status).toBe(400)
  })

  it('is refused alike for a missing project and for one that does not allow checks', async () => {
    const { client, projectId } = await makeScene(scene().server)
    for (const id of [projectId, 'prj_none'])
      expect((await client.get(`/library/window?project=${id}`)).status).toBe(404)
  })
})
