/**
 * A key is bound to the device whose denial led to the page. Without one, it is bound to the first device
 * that uses the key from the network where it was earned.
 */
import { describe, expect, it } from 'vitest'
import { createSystem, earn, newVisitor, passAll, sceneOn } from '../../../../test/ads/scene.ts'
import { keyOf, textOf, type Visitor } from '../../../../test/ads/visitor.ts'
import { anyEngine } from '../../../../test/databases.ts'
import { component, STRONG } from '../../../../test/protocol/client.ts'
import { makeScene } from '../../../../test/protocol/scene.ts'

const DAY_MS = 86_400_000
const OTHER = { fp: { [STRONG]: component('second machine') } }

describe.each(anyEngine)('on $name', (engine) => {
  const scene = sceneOn(engine)

  async function project(members: Readonly<Record<string, unknown>> = {}) {
    const { owner, projectId, scriptId, client } = await makeScene(scene().server)
    const system = await createSystem(scene(), ['a'], members, { owner, project: projectId })
    const run = async (key: string | null, from: string, changes: object = {}) =>
      (await client.run(scriptId, { key, ...changes }, { 'x-forwarded-for': from })).reply
    return { system, run }
  }
  const ticketed = async (run: (key: string | null, from: string, changes?: object) => Promise<object>) => {
    const denied = (await run('wrong-key', '203.0.113.1')) as { ad_url?: string }
    return denied.ad_url ?? ''
  }
  const earnAt = (system: Awaited<ReturnType<typeof project>>['system'], url: string, visitor: Visitor) =>
    earn(scene(), { ...system, url }, visitor)

  it('a denied client gets the URL where a key can be earned, and that key runs only on its device', async () => {
    const { system, run } = await project()
    const url = await ticketed(run)
    expect(url.startsWith(`${system.url}?d=`)).toBe(true)
    const key = keyOf(await earnAt(system, url, newVisitor()))
    expect(await run(key, '192.0.2.1', OTHER)).toMatchObject({ ok: false, reason: 'fingerprint_mismatch' })
    expect(await run(key, '192.0.2.1')).toMatchObject({ ok: true })
  })

  it('an expired key leads back to the system that issued it', async () => {
    const { system, run } = await project({ key_duration: 60_000 })
    const key = keyOf(await earn(scene(), system, newVisitor()))
    scene().server.clock.now += 60_000
    const reply = await run(key, '192.0.2.1')
    expect(reply).toMatchObject({ ok: false, reason: 'key_expired' })
    expect(reply).toMatchObject({ ad_url: expect.stringContaining(`${system.url}?d=`) })
    expect('ad_url' in reply && reply.link).toEqual({
      text: 'Get a key',
      url: 'ad_url' in reply && reply.ad_url,
    })
  })

  it('a project without checkpoints returns no URL', async () => {
    const { client, scriptId } = await makeScene(scene().server)
    const { reply } = await client.run(scriptId, { key: 'wrong-key' })
    expect(reply).toMatchObject({ reason: 'invalid_key' })
    expect('ad_url' in reply).toBe(false)
  })

  it('a key without a device must first be used where it was earned, and then works anywhere', async () => {
    const { system, run } = await project()
    const visitor = newVisitor()
    const key = keyOf(await earn(scene(), system, visitor))
    const denied = { ok: false, reason: 'network_locked', ad_url: system.url }
    expect(await run(key, '192.0.2.1')).toMatchObject(denied)
    expect(await run(key, visitor.address.replace(/7$/, '99'))).toMatchObject({ ok: true })
    expect(await run(key, '192.0.2.1')).toMatchObject({ ok: true })
  })

  it('a key that a key check bound to a device has been used, and works anywhere', async () => {
    const { owner, projectId, scriptId, client, edit } = await makeScene(scene().server)
    await edit('projects', { allow_checks: 1 })
    const of = { owner, project: projectId }
    const system = await createSystem(scene(), ['a'], { key_duration: 3 * DAY_MS }, of)
    const visitor = newVisitor()
    const key = keyOf(await earn(scene(), system, visitor))
    const fingerprint = component('first machine')
    const check = async (from: string, claim: boolean) => {
      const body = { project_id: projectId, key, fingerprint, nonce: 'n'.repeat(16), claim }
      const headers = { 'x-forwarded-for': from, 'content-type': 'application/json' }
      return JSON.parse((await client.post('/check', JSON.stringify(body), headers)).text).reason
    }
    expect(await check('192.0.2.1', true)).toBe('network_locked')
    expect(await check(visitor.address, true)).toBe('valid')
    scene().server.clock.now += DAY_MS
    expect(await check('192.0.2.1', false)).toBe('valid')
    const { reply } = await client.run(scriptId, { key }, { 'x-forwarded-for': '192.0.2.1' })
    expect(reply).toMatchObject({ ok: true })
  })

  it('a visitor can unlock an unused key for their current network', async () => {
    const { system, run } = await project({ key_duration: 3 * DAY_MS })
    const visitor = newVisitor()
    const key = keyOf(await earn(scene(), system, visitor))
    scene().server.clock.now += DAY_MS
    expect(await run(key, visitor.address)).toMatchObject({ reason: 'network_locked' })
    visitor.address = newVisitor().address
    await visitor.submit(await visitor.open(system.url), '/unlock')
    expect(await run(key, visitor.address)).toMatchObject({ ok: true })
  })

  it('a visitor cannot unlock the key of another visitor', async () => {
    const { system, run } = await project({ max_keys: 2 })
    const key = keyOf(await earn(scene(), system, newVisitor()))
    const thief = newVisitor()
    await earn(scene(), system, thief)
    thief.address = newVisitor().address
    await thief.submit(await thief.open(system.url), '/unlock', { key })
    expect(await run(key, thief.address)).toMatchObject({ reason: 'network_locked' })
  })

  it.each([
    ['forged', (url: string) => `${url.slice(0, -4)}AAAA`],
    ['truncated', (url: string) => url.slice(0, -20)],
    ['made up', (url: string) => url.replace(/d=.*/, 'd=AA')],
  ])('a ticket that is %s does not bind the key to a device', async (_, spoil) => {
    const { system, run } = await project()
    const key = keyOf(await earnAt(system, spoil(await ticketed(run)), newVisitor()))
    expect(await run(key, '192.0.2.1')).toMatchObject({ reason: 'network_locked' })
  })

  it('a ticket is rejected in another project and after half an hour', async () => {
    const one = await project()
    const other = await project()
    const foreign = (await ticketed(other.run)).replace(other.system.id, one.system.id)
    const page = await newVisitor().open(foreign)
    expect(page.html).not.toContain('name="d"')
    const url = await ticketed(one.run)
    expect((await newVisitor().open(url)).html).toContain('name="d"')
    scene().server.clock.now += 30 * 60_000
    expect((await newVisitor().open(url)).html).not.toContain('name="d"')
  })

  it('keys are counted per device, regardless of browser and network', async () => {
    const { system, run } = await project({ allow_extending: false })
    const url = await ticketed(run)
    await earnAt(system, url, newVisitor())
    const page = await newVisitor({ agent: 'Other/2' }).open(url)
    expect(textOf(page.html)).toContain('reached the key limit')
  })

  it('a device can extend its key from any browser, which sees the key masked', async () => {
    const { system, run } = await project()
    const url = await ticketed(run)
    const key = keyOf(await earnAt(system, url, newVisitor()))
    const stranger = newVisitor({ agent: 'Other/2' })
    const ready = await passAll(scene(), { ...system, url }, stranger)
    const page = await stranger.submit(ready, '/claim')
    expect(page.html).not.toContain(key)
    const { user } = (await system.owner.get(`/v1/users/${key}`)).body as { user: { key_expires: number } }
    expect(user.key_expires).toBeGreaterThan(scene().server.clock.now + DAY_MS)
  })
})
