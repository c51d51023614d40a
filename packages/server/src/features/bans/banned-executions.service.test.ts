/**
 * Banned users cannot run any script with any key, and their running scripts are stopped. Others are
 * unaffected.
 */
import { checkKey, deviceComponent } from '@scriptward/client/check'
import type { Hello } from '@scriptward/client/messages'
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { START, serverOn } from '../../../test/harness.ts'
import { component, STRONG } from '../../../test/protocol/client.ts'
import { liveScene } from '../../../test/protocol/live-scene.ts'
import { run } from '../../../test/protocol/running.ts'
import type { Scene } from '../../../test/protocol/scene.ts'
import { prune } from '../../jobs/prune.ts'
import { writeKeyUses } from '../executions/denials/sharing.ts'

const HOME = { 'x-forwarded-for': '203.0.113.7' }
const NEXT_DOOR = { 'x-forwarded-for': '203.0.113.8' }
const AWAY = { 'x-forwarded-for': '198.51.100.1' }
const OTHER: Partial<Hello> = { fp: { [STRONG]: component('second machine') } }

describe.each(anyEngine)('bans on $name', (engine) => {
  const { at } = serverOn(engine, { config: { trustProxy: ['127.0.0.1'] } })
  const { scene, join } = liveScene(at)

  const ban = async (members: object, { owner, projectId }: Scene = scene()) => {
    const made = await owner.post(`/v1/projects/${projectId}/bans/new`, members)
    expect([made.status, made.error]).toEqual([200, {}])
    return made.body.ban as { id: string; value: string; user_key: string | null }
  }
  const preview = async (members: object) => {
    const { owner, projectId } = scene()
    return (await owner.post(`/v1/projects/${projectId}/bans/preview`, members)).body
  }
  const verdict = (changes: Partial<Hello> = {}, headers: Record<string, string> = HOME) =>
    scene().client.verdict(scene().scriptId, changes, headers)

  it("of a user's device deny it every key of the project, and no other device", async () => {
    const [key, second] = [await scene().addUser(), await scene().addUser()]
    await verdict({ key })
    const { value, user_key } = await ban({ kind: 'device', user_key: key, reason: 'leaked' })
    expect([value, user_key]).toEqual([expect.stringMatching(/^[0-9a-f]{4}…[0-9a-f]{4}$/), key])
    const { reply } = await scene().client.run(scene().scriptId, { key: second })
    expect(reply).toMatchObject({
      reason: 'blacklisted',
      code: 12,
      details: { blacklist_reason: 'leaked', blacklist_expires: null },
    })
    expect(await verdict({ key: second, ...OTHER })).toBe('granted')
    const more = { [STRONG]: component('third machine'), gethwid: component('hwid') }
    expect(await verdict({ key: await scene().addUser(), fp: more })).toBe('granted')
  })

  it('of a device apply when one of several components matches', async () => {
    const key = await scene().addUser()
    await verdict({ key })
    await ban({ kind: 'device', user_key: key })
    const fp = { gethwid: component('another hwid'), [STRONG]: component('first machine') }
    expect(await verdict({ key: await scene().addUser(), fp })).toBe('blacklisted')
  })

  it('of a device can name the identifier that its executor sends', async () => {
    await ban({ kind: 'device', value: 'HWID-of-somebody' })
    const key = await scene().addUser()
    const host = { executor: 'Wave', version: '', platform: 'game' }
    expect(await verdict({ key, host }, { ...HOME, 'wave-fingerprint': 'HWID-of-somebody' })).toBe(
      'blacklisted',
    )
    expect(await verdict({ key, host }, { ...HOME, 'wave-fingerprint': 'another' })).toBe('granted')
  })

  it('of a network deny only that network, including IPv4 in IPv6', async () => {
    const key = await scene().addUser()
    await ban({ kind: 'network', value: '203.0.113.7' })
    expect(await verdict({ key }, HOME)).toBe('blacklisted')
    expect(await verdict({ key }, { 'x-forwarded-for': '::ffff:203.0.113.7' })).toBe('blacklisted')
    expect(await verdict({ key }, NEXT_DOOR)).toBe('granted')
    await ban({ kind: 'network', value: '2001:db8:1::/48' })
    expect(await verdict({ key }, { 'x-forwarded-for': '2001:db8:1:9::1' })).toBe('blacklisted')
    expect(await verdict({ key }, { 'x-forwarded-for': '2001:db8:2:9::1' })).toBe('granted')
  })

  it("of a user's last network deny all of its /24", async () => {
    const key = await scene().addUser()
    await verdict({ key }, AWAY)
    await verdict({ key }, HOME)
    await writeKeyUses(at().deps)
    expect(await preview({ kind: 'network', user_key: key })).toMatchObject({
      value: '203.0.113.0/24',
      users: 1,
    })
    expect(await ban({ kind: 'network', user_key: key })).toMatchObject({ value: '203.0.113.0/24' })
    expect(await verdict({ key }, NEXT_DOOR)).toBe('blacklisted')
    expect(await verdict({ key }, AWAY)).toBe('granted')
  })

  it('of a Discord account deny every key that is linked to it', async () => {
    const key = await scene().addUser({ chat_id: '4711' })
    await ban({ kind: 'chat', user_key: key })
    expect(await verdict({ key })).toBe('blacklisted')
    await scene().owner.post(`/v1/users/${key}/link`, { chat_id: '4712', force: true })
    expect(await verdict({ key })).toBe('granted')
  })

  it('reveal nothing about the key: a wrong, an expired and a blacklisted one are denied alike', async () => {
    await ban({ kind: 'network', value: '203.0.113.0/24', reason: 'attacks' })
    const keys = [
      'no key at all',
      await scene().addUser(),
      await scene().addUser({ key_expires: START - 1 }),
      await scene().addUser({ blacklisted: 1, blacklist_reason: 'their own' }),
    ]
    const replies = []
    for (const key of keys) replies.push((await scene().client.run(scene().scriptId, { key }, HOME)).reply)
    expect(replies[0]).toMatchObject({ reason: 'blacklisted', details: { blacklist_reason: 'attacks' } })
    expect(new Set(replies.map((reply) => JSON.stringify(reply))).size).toBe(1)
    const { owner, projectId } = scene()
    const { denials } = (await owner.get(`/v1/projects/${projectId}/denials`)).body
    expect(denials).toMatchObject([{ reason: 'blacklisted', value: 'attacks' }])
  })

  it('deny guests of free-for-all scripts, with and without a key', async () => {
    await scene().edit('scripts', { free_for_all: 1 })
    expect(await verdict()).toBe('granted')
    const { id } = await ban({ kind: 'network', value: '203.0.113.0/24' })
    expect(await verdict()).toBe('blacklisted')
    expect(await verdict({ key: await scene().addUser() })).toBe('blacklisted')
    await scene().owner.post(`/v1/projects/${scene().projectId}/bans/${id}/remove`)
    expect(await verdict()).toBe('granted')
  })

  it('deny key checks by other software', async () => {
    await scene().edit('projects', { allow_checks: 1 })
    const publicKeys = (await scene().client.keys()).map((one) => one.ed25519)
    const { projectId } = scene()
    const fingerprint = await deviceComponent(projectId, 'first machine')
    const key = await scene().addUser()
    const ask = () =>
      checkKey({ url: `${at().url}/client/v1`, projectId, publicKeys, key, fingerprint, claim: true })
    expect(await ask()).toMatchObject({ success: true })
    await ban({ kind: 'device', user_key: key, reason: 'leaked' })
    expect(await ask()).toMatchObject({
      success: false,
      reason: 'blacklisted',
      details: { blacklist_reason: 'leaked' },
      note: null,
    })
  })

  it('end in the exact millisecond, and a job deletes them', async () => {
    const key = await scene().addUser()
    const { id } = await ban({ kind: 'network', value: '203.0.113.0/24', expires: START + 1000 })
    expect(await verdict({ key })).toBe('blacklisted')
    at().clock.now = START + 1000
    expect(await verdict({ key })).toBe('granted')
    const { owner, projectId } = scene()
    expect((await owner.get(`/v1/projects/${projectId}/bans`)).body.bans).toEqual([])
    expect((await owner.get(`/v1/projects/${projectId}/bans/${id}`)).status).toBe(404)
    const bans = () =>
      at().deps.db.read.selectFrom('projects').select('bans').where('id', '=', projectId).executeTakeFirst()
    expect(await bans()).toEqual({ bans: 1 })
    await prune(at().deps, at().deps.now).run(new AbortController().signal)
    expect(await bans()).toEqual({ bans: 0 })
  })

  it('of one project do not apply to another', async () => {
    const theirs = await at().createCustomer()
    const made = await theirs.post('/v1/projects/new', { name: 'Other' })
    const path = `/v1/projects/${made.string('project_id')}/bans/new`
    await theirs.post(path, { kind: 'network', value: '203.0.113.0/24' })
    expect(await verdict({ key: await scene().addUser() })).toBe('granted')
  })

  it.each([
    ['network', (_: string) => ({ value: '203.0.113.0/24' })],
    ['device', (key: string) => ({ user_key: key })],
    ['chat', (key: string) => ({ user_key: key })],
  ] as const)(
    'of a %s end everything that runs with it immediately, and nothing else',
    async (kind, target) => {
      const { client, scriptId, addUser } = scene()
      const [key, neighbor] = [await addUser({ chat_id: '1' }), await addUser({ chat_id: '2' })]
      const mine = await run(client, scriptId, { key }, HOME)
      const { socket } = await join(mine)
      const other = await run(client, scriptId, { key: neighbor, ...OTHER }, AWAY)
      const theirs = await join(other)
      expect(await preview({ kind, ...target(key) })).toMatchObject({ running: 1 })
      await ban({ kind, ...target(key) })
      expect(await socket.frame('kick')).toMatchObject({ reason: 'blacklisted' })
      expect(await mine.verdict()).toBe('blacklisted')
      expect(await other.verdict()).toBe('ok')
      expect(theirs.socket.frames).toEqual([])
    },
  )

  it('of a device end the guest sessions on it', async () => {
    await scene().edit('scripts', { free_for_all: 1 })
    const { client, scriptId, addUser } = scene()
    const key = await addUser()
    await run(client, scriptId, { key }, HOME)
    const guest = await run(client, scriptId, {}, HOME)
    const other = await run(client, scriptId, OTHER, HOME)
    await ban({ kind: 'device', user_key: key })
    expect(await guest.verdict()).toBe('blacklisted')
    expect(await other.verdict()).toBe('ok')
  })

  it('leave no gap: runs that begin while a ban is created are denied or ended', async () => {
    const { client, scriptId, addUser } = scene()
    const keys = await Promise.all(Array.from({ length: 12 }, () => addUser()))
    const begun = keys.map((key) =>
      run(client, scriptId, { key }, HOME).then(
        (running) => running,
        (error: Error) => error.message,
      ),
    )
    await ban({ kind: 'network', value: '203.0.113.0/24' })
    for (const one of await Promise.all(begun))
      expect(typeof one === 'string' ? one : `denied: ${await one.verdict()}`).toBe('denied: blacklisted')
  })
})
