/** Streams and waiting messages end soon after their caller loses permission. */
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../test/databases.ts'
import { type Owner, START, serverOn } from '../../test/harness.ts'
import { joinSession } from '../../test/live-sessions.ts'
import { ended, until } from '../../test/patience.ts'
import { furnish } from '../../test/subjects.ts'
import { watch } from '../../test/watch-events.ts'
import { EndedEarly, LiveRequests } from './live-requests.ts'
import { answerOutcome } from './respond.ts'

const HOUR_MS = 3_600_000

describe.each(anyEngine)('a long-running request, on $name', (engine) => {
  const { at } = serverOn(engine)

  const furnished = async () => {
    const { owner, ids } = await furnish(at())
    const { project_id = '', script_id = '', user_key = '' } = ids
    const session = joinSession(at(), { customer_id: owner.id, project_id, script_id, user_key })
    return { owner, project_id, session, events: `${at().url}/v1/projects/${project_id}/sessions/events` }
  }
  const admin = (owner: Owner, word: string, body: object = {}) =>
    at().admin.post(`/v1/admin/customers/${owner.id}/${word}`, body)

  const ENDS: readonly (readonly [string, (owner: Owner, project: string) => Promise<unknown>])[] = [
    ['a reset of the API key', (owner) => owner.post('/v1/account/reset', {})],
    ['a reset of the API key by mail', (owner) => owner.post(`/customers/${owner.apiKey}/reset`, {})],
    ['a replacement of the API key by an operator', (owner) => admin(owner, 'reset')],
    ['a block of the account', (owner) => admin(owner, 'blacklist')],
    ['the removal of the account', (owner) => admin(owner, 'remove')],
    ['the removal of the project', (owner, id) => owner.post(`/v1/projects/${id}/remove`)],
  ]

  it.each([
    ...ENDS,
    ['the expiry of the account', (owner: Owner) => admin(owner, 'edit', { plan_expires: START })] as const,
  ])('for a stream ends with %s', async (_, end) => {
    const { owner, project_id, events } = await furnished()
    const other = await furnished()
    const [stream, untouched] = [
      await watch(events, owner.apiKey),
      await watch(other.events, other.owner.apiKey),
    ]
    await stream.next()
    await untouched.next()
    await end(owner, project_id)
    await ended(stream.ended())
    other.session.detach(1)
    expect(await untouched.next()).toMatch(/^event: detached/)
    await untouched.close()
  })

  it.each(ENDS)('for a message stops waiting after %s', async (_, end) => {
    const { owner, project_id, session } = await furnished()
    const asked = owner.post(`/v1/sessions/${session.id}/message`, { key: 'k' })
    const together = owner.post('/v1/sessions/message', { session_ids: [session.id], key: 'k' })
    await reached(session.received, 2)
    await end(owner, project_id)
    const answers = await ended(Promise.all([asked, together]))
    for (const { body } of answers) expect(body).not.toMatchObject({ processed: true })
    // No caller sees the response that the client sends afterward.
    for (const { id } of session.received) session.reply(id, { ok: true, data: { secret: 'of the user' } })
  })

  it('with the old API key fails after a reset, like any other request', async () => {
    const { owner, session } = await furnished()
    const asked = owner.post(`/v1/sessions/${session.id}/message`, { key: 'k' })
    await reached(session.received, 1)
    await owner.post('/v1/account/reset', {})
    const answer = await ended(asked)
    expect(answer.status).toBe(401)
    expect(answer.error.type).toBe('unauthorized')
  })

  it('for a stream fails for an expired account', async () => {
    const { owner, project_id } = await furnished()
    await admin(owner, 'edit', { plan_expires: START })
    const answer = await owner.get(`/v1/projects/${project_id}/sessions/events`)
    expect(answer.error).toMatchObject({ type: 'account_expired', code: 0 })
  })

  const guardedList = (owner: Owner, format: 'list' | 'CSV file' = 'list') => {
    const requests = new LiveRequests(at().deps)
    const endpoint = {
      name: 'list',
      path: '/v1/list',
      auth: 'customer',
      scope: null,
      failures: {},
      ...(format === 'list' && { produces: 'stream' as const }),
    } as const
    const credential = { kind: 'key', text: owner.apiKey } as const
    const caller = { endpoint, credential, params: {}, address: '127.0.0.1' }
    const parts = requests.guard(caller, Readable.from(['[1', ',2', ',3]']))
    return { requests, endpoint, parts }
  }

  it.each(['list', 'CSV file'] as const)(
    'for a %s is cut off, so that it does not look complete',
    async (format) => {
      const { owner } = await furnished()
      const { requests, parts } = guardedList(owner, format)
      await requests.review()
      expect((await parts.next()).value).toBe('[1')
      await owner.post('/v1/account/reset', {})
      await requests.review()
      await expect(parts.next()).rejects.toThrow(EndedEarly)
    },
  )

  it('for a list gets an error if nothing was sent yet', async () => {
    const { owner } = await furnished()
    const { requests, endpoint, parts } = guardedList(owner)
    await owner.post('/v1/account/reset', {})
    await requests.review()
    const answer = await answerOutcome(
      endpoint,
      { parts },
      { requestId: 'r', params: {}, onFailure: expect.fail },
    )
    expect(answer).toMatchObject({ status: 401, body: { error: { type: 'unauthorized' } } })
  })

  it('for a stream lasts an hour at most', async () => {
    const { owner, events } = await furnished()
    const stream = await watch(events, owner.apiKey)
    await stream.next()
    at().clock.now += HOUR_MS
    await ended(stream.ended())
  })
})

function reached(received: readonly unknown[], count: number): Promise<void> {
  return until(() => received.length >= count)
}
