/**
 * The events sent when users are edited or removed: which changes they contain, that each is sent once, and
 * that a bulk change sends a single event.
 */
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../../test/databases.ts'
import { serverOn } from '../../../../test/harness.ts'
import { createUser } from '../../../../test/nouns.ts'
import { deliver, WEBHOOKS } from '../../../../test/webhooks/receiver.ts'
import { scenes, type WebhookScene } from '../../../../test/webhooks/scene.ts'
import { deleteExpiredUsers } from '../../keys/delete-expired-users.ts'

const DAY_MS = 86_400_000
const TOLD_OF_REMOVALS = ['user.removed', 'users.removed']

describe.each(anyEngine)('events about changed users on $name', (engine) => {
  const { at } = serverOn(engine, { config: WEBHOOKS })
  const scene = scenes(at)

  async function received({ receiver }: WebhookScene, ...types: string[]) {
    await deliver(at())
    return receiver.received
      .map(({ body }) => body as { type: string; data: Record<string, unknown> })
      .filter(({ type }) => types.includes(type))
  }

  it('contain the values before and after, and only of changed fields', async () => {
    const one = await scene()
    const key = await createUser(one.owner, one.project, { note: 'first' })
    const expires = at().clock.now + DAY_MS
    const edit = { note: 'first', key_expires: expires, use_fingerprint: false }
    expect((await one.owner.post(`/v1/users/${key}/edit`, edit)).status).toBe(200)
    expect(await received(one, 'user.edited')).toMatchObject([
      {
        data: {
          user: { key, note: 'first', key_expires: expires },
          actor: 'owner',
          changes: [
            { member: 'key_expires', before: null, after: expires },
            { member: 'use_fingerprint', before: true, after: false },
          ],
        },
      },
    ])
  })

  it('are not sent for an edit that changes nothing', async () => {
    const one = await scene()
    const key = await createUser(one.owner, one.project, { note: 'first' })
    expect((await one.owner.post(`/users/${key}/edit`, { note: 'first' })).status).toBe(200)
    expect(await received(one, 'user.edited')).toEqual([])
  })

  it('are sent once when a user is removed', async () => {
    const one = await scene()
    const key = await createUser(one.owner, one.project, { note: 'first' })
    await one.owner.post(`/v1/users/${key}/remove`)
    const told = await received(one, ...TOLD_OF_REMOVALS)
    expect(told).toMatchObject([
      { type: 'user.removed', data: { user: { key, note: 'first' }, actor: 'owner' } },
    ])
  })

  it.each([
    ['purge', 'purged'],
    ['clear', 'cleared'],
  ])('are sent once for all when a %s removes many', async (call, reason) => {
    const one = await scene()
    await one.owner.post(`/projects/${one.project}/users/generate`, { amount: 30 })
    await one.owner.post(`/projects/${one.project}/users/${call}`)
    await one.owner.post(`/projects/${one.project}/users/${call}`)
    const told = await received(one, ...TOLD_OF_REMOVALS)
    expect(told).toMatchObject([{ type: 'users.removed', data: { actor: 'owner', count: 30, reason } }])
  })

  it('are sent once for all when the server removes expired users', async () => {
    const one = await scene()
    await one.owner.post(`/projects/${one.project}/edit`, { delete_expired_users: true })
    const keys_expire = at().clock.now + 1000
    await one.owner.post(`/projects/${one.project}/users/generate`, { amount: 3, keys_expire })
    at().clock.now += DAY_MS
    const worker = deleteExpiredUsers(at().deps, () => at().clock.now)
    while (await worker.run(new AbortController().signal));
    const told = await received(one, ...TOLD_OF_REMOVALS)
    expect(told).toMatchObject([
      { type: 'users.removed', data: { actor: 'service', count: 3, reason: 'expired' } },
    ])
  })
})
