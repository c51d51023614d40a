/** Loaders, boot records and public keys over HTTP, and their rate limits per IP address. */
import { BOOT_LIFETIME_MS } from '@scriptward/client/messages'
import { fromB64u, isBootRecordSigned } from '@scriptward/client/wire'
import { describe, expect, it, vi } from 'vitest'
import { anyEngine, sqlite } from '../../../../test/databases.ts'
import { START, serverOn, startServer, type TestServer } from '../../../../test/harness.ts'
import { component, helloFor, openAnswer, STRONG } from '../../../../test/protocol/client.ts'
import { makeScene } from '../../../../test/protocol/scene.ts'

describe.each(anyEngine)('loaders on $name', (engine) => {
  const { at } = serverOn(engine)

  it('are ASCII Lua with a new boot record each time', async () => {
    const { client, scriptId, projectId } = await makeScene(at())
    const [one, two] = [
      await client.get(`/loader/${scriptId}.lua`),
      await client.get(`/loader/${scriptId}?rt=luau`),
    ]
    for (const { status, headers, text } of [one, two]) {
      expect(status).toBe(200)
      expect(headers.get('content-type')).toBe('text/plain; charset=us-ascii')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(text).toMatch(/^[\n\t\x20-\x7e]+$/)
      for (const part of [scriptId, projectId, `${at().url}/client/v1`]) expect(text).toContain(part)
    }
    expect(one.text).not.toBe(two.text)
  })

  it('report an unknown script as a Lua error, regardless of what its ID contains', async () => {
    const { client } = await makeScene(at())
    for (const id of ['scr_none', 'x'.repeat(300), 'a%20b', '%F0%9F%92%A9']) {
      const answer = await client.get(`/loader/${id}`)
      expect([answer.status, answer.text]).toEqual([200, 'error("script not found",0)\n'])
    }
    expect((await client.get('/loader/%00')).status).toBe(404)
    expect((await client.get('/boot?script=%00')).status).toBe(400)
    expect((await client.get('/boot?script=scr_none')).status).toBe(404)
    expect((await client.get('/boot')).status).toBe(400)
    expect((await client.get(`/loader/scr_none?rt=perl`)).status).toBe(400)
  })

  it('come with a boot record that has everything a client needs, signed by a published key', async () => {
    const { client, scriptId } = await makeScene(at())
    const boot = await client.boot(scriptId)
    const [key] = await client.keys()
    expect(boot).toMatchObject({
      v: 1,
      kid: key?.kid,
      st: START,
      sv: 1,
      minlb: 2,
      pv: [1],
      urls: [`${at().url}/client/v1`],
    })
    expect(fromB64u(boot.boot)?.readBigUInt64BE(16)).toBe(BigInt(START + BOOT_LIFETIME_MS))
    const published = fromB64u(key?.ed25519 ?? '') ?? Buffer.alloc(0)
    expect(isBootRecordSigned(published, boot)).toBe(true)
    expect(isBootRecordSigned(published, { ...boot, urls: ['http://elsewhere'] })).toBe(false)
    expect((await client.boot(scriptId)).seed).not.toBe(boot.seed)
  })

  it("include the project's current key format, except where a mistyped key does not matter", async () => {
    const { client, owner, projectId, scriptId } = await makeScene(at())
    const told = async () =>
      Promise.all(
        [await client.get(`/loader/${scriptId}`), await owner.get(`/v1/scripts/${scriptId}/loader-file`)].map(
          ({ text }) => /\["key_format"\]="([^"]*)"/.exec(text)?.[1] ?? null,
        ),
      )
    const edit = (place: string, members: object) => owner.post(`/v1/${place}/edit`, members)
    const format = 'HUB-XXXXX-XXXXX-XXXXX-XXXXX-X'
    expect(await told()).toEqual([null, null])
    await edit(`projects/${projectId}`, { key_format: format })
    expect(await told()).toEqual([format, format])
    for (const flag of ['silent', 'free_for_all']) {
      await edit(`scripts/${scriptId}`, { [flag]: true })
      expect([flag, await told()]).toEqual([flag, [null, null]])
      await edit(`scripts/${scriptId}`, { [flag]: false })
    }
    await edit(`projects/${projectId}`, { key_format: `PRO${format.slice(3)}` })
    expect(await told()).toEqual([`PRO${format.slice(3)}`, `PRO${format.slice(3)}`])
  })
})

describe.each(anyEngine)('loaders for hosts with files on $name', (engine) => {
  const { at } = serverOn(engine)
  const settled = async () => at().deps.client.keptLoaders.luau.settle()

  it('contain no code, or write it to files, once the loader to keep has been built', async () => {
    const { client, scriptId } = await makeScene(at())
    const get = async (use: string) => (await client.get(`/loader/${scriptId}?rt=luau${use}`)).text
    // No build may end before the last of these requests.
    const { obfuscator } = at().deps
    const release = Promise.withResolvers<void>()
    const { buildScript } = obfuscator
    const held = vi.spyOn(obfuscator, 'buildScript').mockImplementation(async (request) => {
      await release.promise
      return buildScript(request)
    })
    try {
      const plain = await get('')
      for (const use of ['read', 'write']) expect((await get(`&cache=${use}`)).length).toBe(plain.length)
    } finally {
      held.mockRestore()
      release.resolve()
    }
    await settled()
    const reading = await get('&cache=read')
    expect(reading.length).toBeLessThan(10_240)
    expect(reading).toContain(`"${at().url}/client/v1/loader/${scriptId}?rt=luau&"`)
    const writing = await get('&cache=write')
    expect(writing).toContain('return compile(unpackText(')
    for (const text of [reading, writing]) {
      expect(text).toMatch(/^[\n\t\x20-\x7e]+$/)
      expect(text).toContain(`"${scriptId}"`)
    }
    expect((await client.get(`/loader/${scriptId}?cache=all`)).status).toBe(400)
  })

  it('keep the same code for all scripts, and never have the same tag or key twice', async () => {
    const [one, two] = [await makeScene(at()), await makeScene(at())]
    const get = async ({ client, scriptId }: typeof one, use: string) =>
      (await client.get(`/loader/${scriptId}?rt=luau&cache=${use}`)).text
    await get(one, 'write')
    await settled()
    const codes = [await get(one, 'write'), await get(two, 'write'), await get(two, 'write')]
    expect(new Set(codes.map((text) => /\{number=\d+,text=.*\}/s.exec(text)?.[0])).size).toBe(1)
    const texts = [await get(one, 'read'), await get(one, 'read'), await get(two, 'read')]
    for (const secret of [/\["key"\]="([0-9a-f]{64})"/, /\["tag"\]="([0-9a-f]{32})"/])
      expect(new Set(texts.map((text) => secret.exec(text)?.[1])).size).toBe(3)
  })
})

describe('the loader that hosts keep', () => {
  const keptOf = async ({ deps: { client } }: TestServer) => {
    client.keptLoaders.luau.take()
    await client.keptLoaders.luau.settle()
    return client.keptLoaders.luau.take()
  }

  it('is the same after a restart, and another one on another server', async () => {
    const [server, other] = [await startServer(sqlite), await startServer(sqlite)]
    const kept = await keptOf(server)
    expect(kept).toContain('return compile(unpackText(')
    expect(await keptOf(other)).not.toBe(kept)
    await server.stop()
    const restarted = await startServer(sqlite, { location: server.location })
    expect(await keptOf(restarted)).toBe(kept)
    await Promise.all([restarted.close(), other.close()])
  })
})

const DEVICE = { [STRONG]: component('another machine') }

describe('rate limits', () => {
  const { at } = serverOn(sqlite, { config: { clientRates: 1 } })

  it('allow an IP address a burst of 120 loaders, then five a second', async () => {
    const { client, scriptId } = await makeScene(at())
    for (let i = 0; i < 120; i++) expect((await client.get(`/loader/${scriptId}`)).status).toBe(200)
    const refused = await client.get(`/loader/${scriptId}`)
    expect([refused.status, refused.text]).toEqual([429, 'error("too many requests, wait 1 seconds",0)\n'])
    const boot = await client.get(`/boot?script=${scriptId}`)
    expect([boot.status, boot.headers.get('retry-after')]).toEqual([429, '1'])
    at().clock.now += 200
    expect((await client.get(`/loader/${scriptId}`)).status).toBe(200)
    expect((await client.get(`/loader/${scriptId}`)).status).toBe(429)
  })

  it('allow ten attempts per key and minute and encrypt the denials of further attempts', async () => {
    const { client, scriptId, addUser } = await makeScene(at())
    const key = await addUser()
    at().clock.now += 600_000
    for (let i = 0; i < 10; i++) expect(await client.verdict(scriptId, { key })).toBe('granted')
    const { reply } = await client.run(scriptId, { key })
    expect(reply).toMatchObject({ code: 1, reason: 'rate_limited', retry_after: 6 })
    at().clock.now += 6000
    expect(await client.verdict(scriptId, { key })).toBe('granted')
  })

  it('reject further wrong keys from an IP address for 15 minutes after five of them', async () => {
    const { client, scriptId } = await makeScene(at())
    at().clock.now += 3_600_000
    for (let i = 0; i < 5; i++)
      expect(await client.verdict(scriptId, { key: `wrong ${i}` })).toBe('invalid_key')
    const { reply } = await client.run(scriptId, { key: 'wrong 5' })
    expect(reply).toMatchObject({ code: 1, retry_after: 900 })
    at().clock.now += 900_000
    expect(await client.verdict(scriptId, { key: 'wrong 6' })).toBe('invalid_key')
  })

  it('let existing keys of any project and account run from a paused IP address', async () => {
    const [scene, neighbor] = [await makeScene(at()), await makeScene(at())]
    at().clock.now += 3_600_000
    for (let i = 0; i < 10; i++) await scene.client.run(scene.scriptId, { key: `wrong ${i}` })
    for (const { client, scriptId, addUser } of [scene, neighbor])
      expect(await client.verdict(scriptId, { key: await addUser(), fp: DEVICE })).toBe('granted')
    const theirs = await scene.addUser()
    expect(await neighbor.client.verdict(neighbor.scriptId, { key: theirs })).toBe('rate_limited')
  })

  it('do not count runs without a key as wrong keys', async () => {
    const { client, scriptId } = await makeScene(at())
    at().clock.now += 3_600_000
    for (let i = 0; i < 10; i++)
      expect(await client.verdict(scriptId, { key: i % 2 ? '' : null })).toBe('invalid_key')
    expect(await client.verdict(scriptId, { key: 'wrong' })).toBe('invalid_key')
  })

  it('let guests without a key run from a paused IP address', async () => {
    const { client, scriptId } = await makeScene(at(), { free_for_all: 1 })
    const strict = await makeScene(at())
    at().clock.now += 3_600_000
    for (let i = 0; i < 5; i++) await client.run(strict.scriptId, { key: `wrong ${i}` })
    expect(await client.verdict(scriptId, { key: 'wrong 5' })).toBe('rate_limited')
    expect(await client.verdict(scriptId)).toBe('granted')
  })

  it('reject a flood without encrypting the responses, and change nothing', async () => {
    const { client, scriptId } = await makeScene(at())
    at().clock.now += 3_600_000
    const statuses: number[] = []
    for (let i = 0; i < 130; i++) statuses.push((await client.post('/exec', 'lp1.x')).status)
    expect(statuses.filter((one) => one === 400)).toHaveLength(120)
    expect(statuses.filter((one) => one === 429)).toHaveLength(10)
    at().clock.now += 60_000
    const { body, keys } = await client.request(
      await client.boot(scriptId),
      helloFor(scriptId, { fp: { [STRONG]: 'A'.repeat(22) } }),
    )
    expect(openAnswer(keys, await client.post('/exec', body)).reply).toMatchObject({ reason: 'invalid_key' })
  })
})
