/** The hub URL: which script it chooses, and what it returns for unsupported games. */
import { describe, expect, it } from 'vitest'
import { anyEngine, sqlite } from '../../../test/databases.ts'
import { serverOn } from '../../../test/harness.ts'
import { createScript } from '../../../test/nouns.ts'
import { makeScene } from '../../../test/protocol/scene.ts'

const CHROME = { accept: 'text/html,*/*', 'sec-fetch-dest': 'document' }

describe.each(anyEngine)('the hub URL on $name', (engine) => {
  const { at } = serverOn(engine)

  async function hubScene() {
    const { client, owner, projectId, scriptId: first } = await makeScene(at())
    const names = new Map([[first, 'main']])
    const add = async (name: string, members?: object) => {
      const id = await createScript(owner, projectId, { name })
      names.set(id, name)
      if (members) await edit(id, members)
      return id
    }
    const edit = async (id: string, members: object) =>
      expect((await owner.post(`/v1/scripts/${id}/edit`, members)).status).toBe(200)
    const get = (query: string) => client.get(`/hub/${projectId}${query}`)
    /** Returns the name of the chosen script, or the response text if none was chosen. */
    const chosen = async (query: string) => {
      const { text } = await get(query)
      return [...names].find(([id]) => text.includes(`"${id}"`))?.[1] ?? text
    }
    return { client, owner, projectId, first, add, edit, get, chosen }
  }

  it('chooses by place, then by game, then the default script', async () => {
    const { first, add, edit, chosen } = await hubScene()
    await edit(first, { games: ['any'] })
    await add('by game', { games: [7] })
    await add('by place', { places: [1] })
    await add('place and game', { places: [2], games: [8] })
    expect(await chosen('?place=1&game=7')).toBe('by place')
    expect(await chosen('?place=1&game=8')).toBe('by place')
    expect(await chosen('?place=2&game=7')).toBe('place and game')
    expect(await chosen('?place=9&game=7')).toBe('by game')
    expect(await chosen('?game=8')).toBe('place and game')
    expect(await chosen('?place=7&game=1')).toBe('main')
    expect(await chosen('?place=0')).toBe('main')
    expect(await chosen('?place=99999999999999999999&game=0')).toBe('main')
  })

  it('answers like the loader of the chosen script, also for one kind of host', async () => {
    const { client, first, edit, get, projectId } = await hubScene()
    await edit(first, { places: [1] })
    // The first request starts an obfuscated build, which replaces the plain loader.
    await client.get(`/loader/${first}?rt=luau`)
    await at().deps.client.loaders.luau.settle()
    const loader = await client.get(`/loader/${first}?rt=luau`)
    const hub = await get('.lua?place=1&rt=luau')
    // The boot record is different each time, but its length is always the same.
    expect(hub.text.length).toBe(loader.text.length)
    for (const name of ['content-type', 'cache-control'])
      expect(hub.headers.get(name)).toBe(loader.headers.get(name))
    for (const part of [first, projectId]) expect(hub.text).toContain(part)
  })

  it('serves a short program that asks for the game, unless there is only a default script', async () => {
    const { first, add, edit, get, chosen, projectId } = await hubScene()
    const stub = await get('?rt=luau')
    expect(stub.text).toContain(`"${at().url}/client/v1/hub/${projectId}?rt=luau&"`)
    expect(stub.text.length).toBeLessThan(3840)
    expect(stub.text).toMatch(/^[\n\t\x20-\x7e]+$/)
    await edit(first, { games: ['any'] })
    expect(await chosen('')).toBe('main')
    await add('by place', { places: [1] })
    expect(await chosen('')).toContain('game:HttpGet')
  })

  it('serves the default script to hosts that have no game', async () => {
    const { first, add, edit, chosen } = await hubScene()
    await add('by place', { places: [1] })
    for (const rt of ['51', '54', 'jit']) expect(await chosen(`?rt=${rt}`)).toContain('not supported')
    await edit(first, { games: ['any'] })
    for (const rt of ['51', '54', 'jit']) expect(await chosen(`?rt=${rt}`)).toBe('main')
  })

  it('names the supported games, of enabled scripts only, and at most ten', async () => {
    const { add, chosen, owner } = await hubScene()
    const says = (words: string) => `error("scriptward: ${words}",0)\n`
    expect(await chosen('?place=5')).toBe(says('this project supports no games yet'))
    const farm = await add('Farm "\\🌱', { places: [1] })
    const supported = 'this game is not supported. Supported: '
    expect(await chosen('?place=5')).toBe(says(`${supported}Farm \\034\\092\\240\\159\\140\\177`))
    for (let i = 0; i < 13; i++) await add(`Game ${i}`, { games: [i + 1] })
    await owner.post(`/v1/scripts/${farm}/toggle`, { state: false })
    const names = Array.from({ length: 10 }, (_, i) => `Game ${i}`).join(', ')
    expect(await chosen('?place=5')).toBe(says(`${supported}${names} and 3 more`))
    expect(await chosen('?place=1')).toBe('Farm "\\🌱')
    const translated = 'dieses Spiel wird nicht unterst\\195\\188tzt. Unterst\\195\\188tzt: '
    expect(await chosen('?place=5&lang=de-AT')).toBe(says(`${translated}${names} und 3 weitere`))
    expect(await chosen('?place=5&lang=zh')).toBe(says(`${supported}${names} and 3 more`))
  })

  it('reports a missing project as a Lua error, and rejects IDs that are not decimal', async () => {
    const { client, get } = await hubScene()
    for (const id of ['prj_none', 'x'.repeat(300), 'a%20b']) {
      const { status, text } = await client.get(`/hub/${id}?place=1`)
      expect([status, text]).toEqual([200, 'error("project not found",0)\n'])
    }
    for (const query of [
      '?place=x',
      '?place=007',
      `?game=${'1'.repeat(21)}`,
      '?place=',
      '?rt=perl',
      '?lang=pt_BR',
      '?key=1',
    ])
      expect([query, (await get(query)).status]).toEqual([query, 400])
  })

  it('leads browsers to a page with the line', async () => {
    const { client, projectId } = await hubScene()
    const url = (path: string) => `${at().url}${path}`
    const answer = await fetch(url(`/client/v1/hub/${projectId}`), { headers: CHROME })
    expect([answer.status, new URL(answer.url).pathname]).toEqual([200, `/run/${projectId}`])
    expect(await answer.text()).toContain(url(`/client/v1/hub/${projectId}`))
    expect((await fetch(url('/run/prj_none'))).status).toBe(404)
    expect((await client.get(`/hub/${projectId}`)).text).toContain('game:HttpGet')
  })
})

describe('the limits of loaders', () => {
  const { at } = serverOn(sqlite, { config: { clientRates: 1 } })

  it('also count requests of hub URLs, once each', async () => {
    const { client, owner, projectId, scriptId } = await makeScene(at())
    await owner.post(`/v1/scripts/${scriptId}/edit`, { places: [1] })
    for (let i = 0; i < 60; i++) {
      expect((await client.get(`/hub/${projectId}?place=1`)).status).toBe(200)
      expect((await client.get(`/hub/${projectId}?place=2`)).status).toBe(200)
    }
    const refused = await client.get(`/hub/${projectId}?place=1`)
    expect([refused.status, refused.text]).toEqual([429, 'error("too many requests, wait 1 seconds",0)\n'])
    expect((await client.get(`/loader/${scriptId}`)).status).toBe(429)
  })
})
