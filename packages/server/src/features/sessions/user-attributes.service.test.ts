/** Scripts, and software that checks keys, get only the published part of tags and metadata. */
import type { ChangingVariables } from '@scriptward/client/live-messages'
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { shopOn } from '../../../test/plans/shop.ts'
import { reconcileSessions } from './reconcile.ts'

const MARKER = 'of-the-author-alone'
const PRIVATE = { order: MARKER, [MARKER]: { public: { shop: MARKER } }, list: [{ public: MARKER }] }
/** A string with the maximum number of characters that `limits` allows, each of them four bytes long. */
const LONG_TAGS = Array.from({ length: 32 }, (_, i) => `${i + 10}${'😀'.repeat(19)}`)

describe.each(anyEngine)('tags and public metadata on $name', (engine) => {
  const { at, scene, later, sell, play } = shopOn(engine)
  const edit = (key: string, members: object) => scene().owner.post(`/v1/users/${key}/edit`, members)
  const bulk = (members: object) =>
    scene().owner.post(`/v1/projects/${scene().projectId}/users/bulk`, members)
  const told = ({ tags, metadata }: ChangingVariables) => ({ tags, metadata })
  const ask = async (key: string) => {
    const { projectId, edit: change } = scene()
    await change('projects', { allow_checks: 1 })
    const asked = { project_id: projectId, key, fingerprint: 'A'.repeat(22), nonce: 'n'.repeat(16) }
    return at()
      .client()
      .post('/client/v1/check', { ...asked, claim: false })
  }
  const join = async (key: string) => {
    const running = await play(key)
    const socket = await running.connect(at().url)
    await socket.frame('ready')
    return socket
  }
  const nextTold = async (socket: Awaited<ReturnType<typeof join>>) => told(await socket.frame('set'))

  it('come with the grant, with a heartbeat when they change, and not again', async () => {
    const key = await sell({ tags: ['vip', 'autumn'], metadata: { ...PRIVATE, public: { guild: 'red' } } })
    const running = await play(key)
    expect(told(running.grant.vars)).toEqual({ tags: ['vip', 'autumn'], metadata: { guild: 'red' } })
    await edit(key, { tags: ['autumn', 'vip'], metadata: { public: [1, null, { a: null }] } })
    later(30_000)
    expect(await running.beat()).toMatchObject({
      vars: { tags: ['autumn', 'vip'], metadata: [1, null, { a: null }] },
    })
    await edit(key, { metadata: { ...PRIVATE, public: [1, null, { a: null }] } })
    later(30_000)
    expect(await running.beat()).not.toHaveProperty('vars')
    await edit(key, { tags: [], metadata: PRIVATE })
    later(30_000)
    const last = await running.beat()
    expect(last).toHaveProperty('vars')
    for (const member of ['tags', 'metadata']) expect(last).not.toHaveProperty(`vars.${member}`)
  })

  it.each([
    ['no metadata', {}],
    ['private metadata', PRIVATE],
    ['null as its public metadata', { ...PRIVATE, public: null }],
  ])('are omitted if a key has no tags and %s', async (_, metadata) => {
    const key = await sell({ metadata })
    expect((await ask(key)).body).toMatchObject({ success: true, tags: [], metadata: null })
    const { vars } = (await play(key)).grant
    for (const member of ['tags', 'metadata']) expect(vars).not.toHaveProperty(member)
  })

  it.each([[false], [0], [''], ['red'], [[]], [{}]])('may be any JSON value, such as %j', async (value) => {
    const key = await sell({ metadata: { public: value } })
    expect((await ask(key)).body.metadata).toEqual(value)
    expect((await play(key)).grant.vars.metadata).toEqual(value)
  })

  it('arrive over a session, no matter who changed them', async () => {
    const key = await sell({ tags: ['vip'], metadata: { public: 1 } })
    const socket = await join(key)
    await edit(key, { tags: ['beta'] })
    expect(await nextTold(socket)).toEqual({ tags: ['beta'], metadata: 1 })
    const tagged = await bulk({ keys: [key], action: 'tag', tags: ['gold', 'silver'] })
    expect(await nextTold(socket)).toEqual({ tags: ['beta', 'gold', 'silver'], metadata: 1 })
    await bulk({ keys: [key], action: 'untag', tags: ['beta', 'silver'] })
    expect(await nextTold(socket)).toEqual({ tags: ['gold'], metadata: 1 })
    await edit(key, { tags: ['beta', 'gold', 'silver'] })
    expect(await nextTold(socket)).toEqual({ tags: ['beta', 'gold', 'silver'], metadata: 1 })
    await scene().owner.post(`/v1/changes/${tagged.body.change_id}/undo`)
    expect(await nextTold(socket)).toEqual({ tags: ['beta'], metadata: 1 })
    await edit(key, { tags: [], metadata: {} })
    expect(await nextTold(socket)).toEqual({ tags: undefined, metadata: undefined })
  })

  it('never expose other metadata or the private note in any answer or frame', async () => {
    const notes = { private_note: MARKER, issued_to: MARKER, issued_by: MARKER }
    const key = await sell({ metadata: { ...PRIVATE, public: 1 }, ...notes })
    const checked = await ask(key)
    const running = await play(key)
    const socket = await running.connect(at().url)
    const seen: unknown[] = [checked.text, running.grant, await socket.frame('ready')]
    await edit(key, {
      ...{ metadata: { ...PRIVATE, more: MARKER, public: 2 }, private_note: `${MARKER}!`, note: 'changed' },
    })
    const frame = await socket.frame('set')
    seen.push(frame, socket.frames)
    socket.send({ t: 'bye' })
    await socket.closed
    await edit(key, { metadata: { ...PRIVATE, public: 3 }, note: 'again' })
    later(30_000)
    const beat = await running.beat()
    seen.push(beat)
    expect([frame, beat]).toMatchObject([{ metadata: 2 }, { vars: { metadata: 3 } }])
    expect(checked.body).toMatchObject({ success: true, metadata: 1 })
    expect(JSON.stringify(seen)).not.toContain(MARKER)
  })

  it('are signed in the answer to other software, for valid keys only', async () => {
    const metadata = { ...PRIVATE, public: { guild: 'red' } }
    const key = await sell({ tags: ['vip', 'autumn'], metadata })
    expect((await ask(key)).body).toMatchObject({ tags: ['vip', 'autumn'], metadata: { guild: 'red' } })
    await scene().owner.post(`/v1/users/${key}/blacklist`, { expires: 0 })
    expect((await ask(key)).body).toMatchObject({ reason: 'blacklisted', tags: null, metadata: null })
  })

  it('arrive even at their maximum size', async () => {
    const metadata = { public: 'é'.repeat(4000) }
    const key = await sell({ tags: LONG_TAGS, metadata })
    expect(told((await play(key)).grant.vars)).toEqual({ tags: LONG_TAGS, metadata: metadata.public })
    const socket = await join(key)
    const other = { public: 'ä'.repeat(4000) }
    await edit(key, { metadata: other })
    expect(await nextTold(socket)).toEqual({ tags: LONG_TAGS, metadata: other.public })
  })

  it('wait for the next second when many are large', async () => {
    const { sessions, beats } = at().deps.client.variableBytes
    const key = await sell({ metadata: { public: 1 } })
    const other = await sell({ metadata: { public: 1 } })
    const [socket, running] = [await join(key), await play(other)]
    // Uses up the bytes allowed in one second.
    while (sessions.take(1024 * 1024, at().clock.now));
    await edit(key, { metadata: { public: 2 } })
    expect(socket.frames).toEqual([])
    later(1000)
    await reconcileSessions(at().deps)
    expect(await nextTold(socket)).toMatchObject({ metadata: 2 })
    await bulk({ keys: [other], action: 'tag', tags: ['vip'] })
    later(30_000)
    while (beats.take(1024 * 1024, at().clock.now));
    expect(await running.beat()).not.toHaveProperty('vars')
    later(30_000)
    expect(await running.beat()).toMatchObject({ vars: { tags: ['vip'] } })
  })
})
