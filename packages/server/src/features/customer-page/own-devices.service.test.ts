/** What customers with a key for several devices can do at `/me`, without JavaScript. */
import { beforeEach, describe, expect, it } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { type Surfer, visit as visitPage } from '../../../test/pages/surfer.ts'
import { DAY, HOUR, shopOn } from '../../../test/plans/shop.ts'
import { component } from '../../../test/protocol/client.ts'

const NAMES = ['desk', 'lap', 'third'] as const
type Name = (typeof NAMES)[number]

describe.each(anyEngine)('the page of a key for several devices on $name', (engine) => {
  const { at, scene, later, plan, edit, sell, user } = shopOn(engine)
  let id: string
  let key: string
  beforeEach(async () => {
    id = await plan({ max_devices: 2, max_resets: { count: 2, period: 30 * DAY } })
    key = await sell({ plan_id: id })
  })
  const run = (name: Name) => {
    later(1)
    return scene().client.verdict(scene().scriptId, { key, fp: { machine_id: component(name) } })
  }
  const visit = () => visitPage(at(), key)
  const textOf = (surfer: Surfer) => surfer.shown.text
  const idsIn = (surfer: Surfer) => [
    ...new Set([...textOf(surfer).matchAll(/name="device" value="(dev_\w+)"/g)].map(([, one]) => one ?? '')),
  ]
  /** Finds the form that releases or names a device. */
  const formOf = (what: 'release' | 'name', device: string | undefined) => ({
    do: what,
    device: device ?? '',
  })
  const release = (surfer: Surfer, device: string | undefined) =>
    surfer.submit('value="release"', formOf('release', device))

  it('shows the name of each device and when it was used', async () => {
    await run('desk')
    await run('lap')
    const surfer = await visit()
    expect(textOf(surfer)).toContain('2 of 2 devices are bound.')
    const [desk] = idsIn(surfer)
    await surfer.submit('value="name"', { ...formOf('name', desk), name: ' <b>Desk</b> ' })
    expect(textOf(surfer)).toContain('Name saved.')
    expect(textOf(surfer)).toContain('&lt;b&gt;Desk&lt;/b&gt;')
    const { devices } = (await scene().owner.get(`/v1/users/${key}/devices`)).body
    expect(devices).toMatchObject([{ id: desk, name: '<b>Desk</b>' }, { name: null }])
    for (const name of ['x'.repeat(61), 'a\u0007b'])
      expect((await surfer.submit('value="name"', { ...formOf('name', desk), name })).text).toContain(
        'save this name',
      )
  })

  it('releases one device for another, and no more until the cooldown is over', async () => {
    await run('desk')
    await run('lap')
    expect(await run('third')).toBe('fingerprint_mismatch')
    const surfer = await visit()
    const [desk, lap] = idsIn(surfer)
    expect((await release(surfer, desk)).text).toContain('Device released.')
    expect(await run('third')).toBe('granted')
    expect(await run('desk')).toBe('fingerprint_mismatch')
    expect(await run('lap')).toBe('granted')
    await surfer.open(`${at().url}/me`)
    expect(textOf(surfer)).toContain('You can release one again in')
    expect((await release(surfer, lap)).text).toContain('cannot be reset right now')
    later(HOUR)
    const again = await visit()
    expect((await release(again, lap)).text).toContain('Device released.')
  })

  it('releases as many as the plan allows per period, and explains that in the denial', async () => {
    await run('desk')
    const reset = async () => {
      const surfer = await visit()
      const [device] = idsIn(surfer)
      const { text } = await release(surfer, device)
      await run('desk')
      return text.includes('Device released.')
    }
    const first = at().clock.now
    expect(await reset()).toBe(true)
    later(DAY)
    expect(await reset()).toBe(true)
    later(DAY)
    expect(await reset()).toBe(false)
    await run('lap')
    const { reply } = await scene().client.run(scene().scriptId, {
      key,
      fp: { machine_id: component('third') },
    })
    expect(reply).toMatchObject({
      details: { can_reset: false, reset_available_at: first + 30 * DAY },
    })
    later(28 * DAY)
    expect(await reset()).toBe(true)
    await edit(id, { max_resets: { count: 0, period: DAY } })
    later(DAY)
    expect(textOf(await visit())).toContain('allow you to release')
    expect(await user(key)).toMatchObject({ total_fingerprint_resets: 3 })
  })

  it('exempts the owner from both limits, and does not count what the owner releases', async () => {
    await run('desk')
    for (let n = 0; n < 4; n += 1) {
      await scene().owner.post(`/v1/users/${key}/reset`, { force: true })
      await run('desk')
    }
    later(HOUR)
    const surfer = await visit()
    expect((await release(surfer, idsIn(surfer)[0])).text).toContain('Device released.')
  })

  it('ignores the device of another key', async () => {
    await run('desk')
    const other = await sell({ plan_id: id })
    await scene().client.verdict(scene().scriptId, { key: other, fp: { machine_id: component('other') } })
    const { devices } = (await scene().owner.get(`/v1/users/${other}/devices`)).body as {
      devices: { id: string }[]
    }
    const surfer = await visit()
    const foreign = devices[0]?.id
    expect((await release(surfer, foreign)).text).toContain('cannot be reset right now')
    await surfer.submit('value="name"', { ...formOf('name', foreign), name: 'mine' })
    expect(textOf(surfer)).toContain('save this name')
    expect((await scene().owner.get(`/v1/users/${other}/devices`)).body.devices).toEqual(devices)
  })

  it('is unchanged if there is only one device', async () => {
    key = await sell({})
    await run('desk')
    const surfer = await visit()
    expect(textOf(surfer)).toContain('Your key works on this device only.')
    expect(idsIn(surfer)).toEqual([])
    expect((await surfer.submit('value="reset"')).text).toContain('Device reset.')
  })
})
