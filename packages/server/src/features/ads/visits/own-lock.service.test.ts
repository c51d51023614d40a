/**
 * The network lock of a key that was earned without a device: on the key's page, only the browser that earned
 * it or the owner can unlock it.
 */
import { describe, expect, it } from 'vitest'
import { createSystem, earn, newVisitor, sceneOn } from '../../../../test/ads/scene.ts'
import { keyOf, textOf, type Visitor } from '../../../../test/ads/visitor.ts'
import { engines } from '../../../../test/databases.ts'
import { rowOf } from '../../../../test/stored.ts'

describe.each(engines)('the lock of an earned key on $name', (engine) => {
  const scene = sceneOn(engine)
  const earned = async () => {
    const visitor = newVisitor()
    const system = await createSystem(scene(), ['a'])
    const key = keyOf(await earn(scene(), system, visitor))
    return { visitor, system, key }
  }
  const lockOf = async (key: string) => {
    return rowOf(scene().server, 'ad_keys', { user_key: key })
  }
  const openOwn = async (visitor: Visitor, key: string) => {
    const form = await visitor.open(`${scene().server.url}/me`)
    return visitor.submit(form, '', { key })
  }
  const unlock = async (visitor: Visitor, page: Awaited<ReturnType<typeof openOwn>>) => {
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.html)?.[1] ?? ''
    const body = new URLSearchParams({ csrf, do: 'unlock' })
    return visitor.open(`${scene().server.url}/me`, { method: 'POST', body })
  }

  it('is shown, and needs no action where it was earned', async () => {
    const { visitor, key } = await earned()
    const page = await openOwn(visitor, key)
    expect(textOf(page.html)).toContain(
      'Use your key for the first time on the network where you earned it, by',
    )
    expect(page.html).not.toContain('value="unlock"')
  })

  it('can be moved to another network by the browser that earned it', async () => {
    const { visitor, key } = await earned()
    const before = await lockOf(key)
    visitor.address = newVisitor().address
    const page = await openOwn(visitor, key)
    expect(page.html).toContain('value="unlock"')
    scene().server.clock.now += 1000
    expect(textOf((await unlock(visitor, page)).html)).toContain(
      'Unlocked. First use your key on the network',
    )
    const after = await lockOf(key)
    expect(after.locked_network).not.toBe(before.locked_network)
    expect(after.locked_until).toBe(scene().server.clock.now + 86_400_000)
  })

  it('stays for someone who bought the key', async () => {
    const { key } = await earned()
    const before = await lockOf(key)
    const buyer = newVisitor()
    const page = await openOwn(buyer, key)
    expect(textOf(page.html)).toContain('open this page in the browser where you earned it')
    expect(page.html).not.toContain('value="unlock"')
    expect(textOf((await unlock(buyer, page)).html)).toContain('cannot unlock this key')
    expect(await lockOf(key)).toEqual(before)
  })

  it('stays for someone who bought the key and stole the cookie', async () => {
    const { visitor, key } = await earned()
    const before = await lockOf(key)
    const buyer = newVisitor({ agent: 'Other/2' })
    buyer.cookies.set('swv', visitor.cookies.get('swv') ?? '')
    expect(textOf((await unlock(buyer, await openOwn(buyer, key))).html)).toContain('cannot unlock this key')
    expect(await lockOf(key)).toEqual(before)
  })

  it('can be removed by the owner, once', async () => {
    const { system, key } = await earned()
    const way = `/v1/users/${key}/unlock`
    expect((await system.owner.post(way)).status).toBe(200)
    expect(await lockOf(key)).toMatchObject({ locked_network: null, locked_until: null })
    const page = await openOwn(newVisitor(), key)
    expect(textOf(page.html)).not.toContain('you earned')
    expect((await system.owner.post(way)).body).toMatchObject({ error: { type: 'user_not_locked' } })
  })

  it('is reported as missing to another owner', async () => {
    const { key } = await earned()
    const stranger = await scene().server.createCustomer()
    const answers = [
      await stranger.post(`/v1/users/${key}/unlock`),
      await stranger.post('/v1/users/none/unlock'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 404])
    expect((await lockOf(key)).locked_network).not.toBeNull()
  })
})
