/**
 * Preparing and ordering the checkpoints of ad systems. `ad-providers.service.test.ts` covers their
 * providers.
 */
import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { anyEngine } from '../../../../test/databases.ts'
import {
  type AdSystem,
  createAdSystem,
  createCheckpoint,
  DRAFT,
  listCheckpoints,
  readCheckpoint,
} from '../../../../test/endpoints/v1/checkpoints.ts'
import { START, serverOn } from '../../../../test/harness.ts'
import { createTier, expire } from '../../../../test/nouns.ts'

const DAY_MS = 86_400_000
describe.each(anyEngine)('on $name', (engine) => {
  const { at } = serverOn(engine, { config: { adsUrl: 'https://ads.example.com/keys' } })

  const system = () => createAdSystem(at())
  const prepare = ({ owner, path }: AdSystem) => owner.post(`${path}/prepare`)
  const order = async (made: AdSystem) => (await listCheckpoints(made)).map(({ id }) => id)

  describe('POST /v1/adsystems/:system_id/checkpoints/prepare', () => {
    const ask = ({ owner, id }: AdSystem) => owner.post(`/v1/adsystems/${id}/checkpoints/prepare`)

    test('returns the URLs of the next checkpoint, and the same ones when repeated', async () => {
      const made = await system()
      const { body } = await ask(made)
      expect(body).toEqual({
        success: true,
        checkpoint_id: expect.stringMatching(/^chk_\w+$/),
        callback_id: expect.stringMatching(/^[\w-]{32}$/),
        postback_id: expect.stringMatching(/^[\w-]{32}$/),
        callback_url: `https://ads.example.com/keys/verify/${body.callback_id}`,
        postback_url: `https://ads.example.com/keys/postback/${body.postback_id}`,
        expires_at: START + DAY_MS,
      })
      expect(body.callback_id).not.toBe(body.postback_id)
      const again = await Promise.all([ask(made), ask(made)])
      for (const answer of again) expect(answer.body).toEqual(body)
      expect(await listCheckpoints(made)).toEqual([])
    })

    test('counts only existing checkpoints toward the limit of the service tier', async () => {
      const made = await system()
      const tier = await createTier(at(), { max_checkpoints: 1 })
      await at().admin.post(`/v1/admin/customers/${made.owner.id}/edit`, { tier })
      expect((await ask(made)).status).toBe(200)
      await createCheckpoint(made)
      expect((await ask(made)).error).toMatchObject({ code: 0, type: 'max_checkpoints_reached' })
    })
  })

  test('an empty edit is rejected', async () => {
    const made = await system()
    const id = await createCheckpoint(made)
    const { error } = await made.owner.post(`/v1/adcheckpoints/${id}/edit`, { provider_data: null })
    expect(error.type).toBe('cannot_edit_nothing')
  })

  describe('creating a checkpoint', () => {
    test('uses up the preparation and appends the checkpoint', async () => {
      const made = await system()
      const first = await createCheckpoint(made)
      const slot = (await prepare(made)).body
      const { body } = await made.owner.post(`${made.path}/new`, { ...DRAFT, name: ' Second ' })
      expect(body).toEqual({ success: true, checkpoint_id: slot.checkpoint_id })
      expect(await order(made)).toEqual([first, slot.checkpoint_id])
      const { success: _, checkpoint_id: id, expires_at: __, ...addresses } = slot
      expect(await readCheckpoint(made, String(id))).toEqual({
        ...{ id, system_id: made.id, index: 1, name: 'Second', url: DRAFT.url, provider: 'provider_a' },
        ...{ provider_data: { token: 'abcd…wxyz', param: 'hash' }, ...addresses },
        ...{ created_at: START, total_started: 0, total_completed: 0, fallback_checkpoint_id: null },
        value_per_thousand: null,
      })
      expect((await made.owner.post(`${made.path}/new`, DRAFT)).error).toMatchObject({ code: 0 })
      expect((await prepare(made)).body.checkpoint_id).not.toBe(id)
    })

    test('works by GET with a query, as documented in the interface, and the response may not be cached', async () => {
      const made = await system()
      await prepare(made)
      const provider_data = JSON.stringify({ link_id: 'l', override: false })
      const query = new URLSearchParams({ ...DRAFT, provider: 'provider_c', provider_data })
      const answer = await made.owner.get(`${made.path}/new?${query}`)
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(await readCheckpoint(made, answer.string('checkpoint_id'))).toMatchObject({
        name: 'Step',
        provider_data: { link_id: 'l', override: false, delete_token: true, check_ip: 'prefix' },
      })
    })

    test('validates the body of a GET like that of a POST', async () => {
      const made = await system()
      await prepare(made)
      for (const wrong of [
        { ...DRAFT, name: 5 },
        { ...DRAFT, provider: 'constructor' },
        { extra: 1 },
        null,
        [],
      ]) {
        const answer = await getWithBody(`${at().url}${made.path}/new`, made.owner.apiKey, wrong)
        expect(answer.error).toMatchObject({ type: 'invalid_request' })
      }
    })

    test('works by GET with a body, and by POST with a query', async () => {
      const made = await system()
      const { provider_data, ...rest } = DRAFT
      await prepare(made)
      expect((await getWithBody(`${at().url}${made.path}/new`, made.owner.apiKey, DRAFT)).success).toBe(true)
      await prepare(made)
      const answer = await made.owner.post(`${made.path}/new?${new URLSearchParams(rest)}`, { provider_data })
      expect(answer.status).toBe(200)
      expect(await order(made)).toHaveLength(2)
    })

    test.each([
      { members: {}, fields: ['name', 'url', 'provider', 'provider_data'] },
      { members: { ...DRAFT, name: null }, fields: ['name'] },
      { members: { ...DRAFT, provider: 'provider_d' }, fields: ['provider'] },
      { members: { ...DRAFT, url: `https://links.example.com/${'x'.repeat(2048)}` }, fields: ['url'] },
    ])('names the missing or invalid fields of $fields', async ({ members, fields }) => {
      const made = await system()
      await prepare(made)
      const { status, error } = await made.owner.post(`${made.path}/new`, members)
      expect([status, error.type]).toEqual([400, 'invalid_request'])
      expect((error.failed as { field: string }[]).map(({ field }) => field)).toEqual(fields)
    })

    test('rejects a field that is given twice', async () => {
      const made = await system()
      await prepare(made)
      const { error } = await made.owner.post(`${made.path}/new?name=Other`, DRAFT)
      expect(error.failed).toMatchObject([{ field: 'name' }])
    })

    test('needs a preparation that has not expired', async () => {
      const made = await system()
      const first = (await prepare(made)).body
      at().clock.now += DAY_MS
      expect((await made.owner.post(`${made.path}/new`, DRAFT)).error).toMatchObject({ code: 0 })
      const second = (await prepare(made)).body
      expect(second.callback_id).not.toBe(first.callback_id)
      expect((await made.owner.post(`${made.path}/new`, DRAFT)).status).toBe(200)
      at().clock.now = START
    })

    test('succeeds once per preparation, even with many concurrent requests', async () => {
      const made = await system()
      await prepare(made)
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => made.owner.post(`${made.path}/new`, DRAFT)),
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409])
    })
  })

  describe('the order of checkpoints', () => {
    async function three(): Promise<{ made: AdSystem; ids: string[] }> {
      const made = await system()
      for (let i = 0; i < 3; i += 1) await createCheckpoint(made)
      return { made, ids: await order(made) }
    }
    const swap = ({ owner }: AdSystem, id: string | undefined, index: unknown) =>
      owner.post(`/v1/adcheckpoints/${id}/swap`, { index })

    test('changes when two are swapped, and not when one is moved to its own index', async () => {
      const { made, ids } = await three()
      const [a, b, c] = ids
      expect((await swap(made, a, 2)).body).toEqual({ success: true })
      expect(await order(made)).toEqual([c, b, a])
      expect((await swap(made, b, 1)).status).toBe(200)
      expect(await order(made)).toEqual([c, b, a])
      expect((await listCheckpoints(made)).map(({ index }) => index)).toEqual([0, 1, 2])
    })

    test('has no gaps after concurrent swaps and removals', async () => {
      const { made, ids } = await three()
      await createCheckpoint(made)
      await Promise.all([
        ...ids.flatMap((id) => [0, 1, 2, 3].map((index) => swap(made, id, index))),
        made.owner.post(`/v1/adcheckpoints/${ids[1]}/remove`),
      ])
      const rest = await listCheckpoints(made)
      expect(rest.map(({ index }) => index)).toEqual([0, 1, 2])
      expect(new Set(rest.map(({ id }) => id)).size).toBe(3)
    })

    test.each([-1, 3, 1e15])('cannot be changed with the index %d', async (index) => {
      const { made, ids } = await three()
      expect((await swap(made, ids[0], index)).error).toMatchObject({ code: 0, type: 'invalid_index' })
      expect(await order(made)).toEqual(ids)
    })

    test.each([1.5, '1', null, undefined])('cannot be changed with %j as an index', async (index) => {
      const { made, ids } = await three()
      expect((await swap(made, ids[0], index)).error.type).toBe('invalid_request')
    })

    test('has no gap after a removal, even on an expired account', async () => {
      const { made, ids } = await three()
      await expire(at(), made.owner.id)
      const { body } = await made.owner.post(`/v1/adcheckpoints/${ids[0]}/remove`)
      expect(body).toEqual({ success: true })
      expect((await listCheckpoints(made)).map(({ id, index }) => [id, index])).toEqual([
        [ids[1], 0],
        [ids[2], 1],
      ])
      const { total } = (await made.owner.get(`${made.path}?limit=1`)).body
      expect(total).toBe(2)
    })
  })
})

/** `fetch` cannot send a body with a GET request, but other clients do. */
async function getWithBody(
  url: string,
  token: string,
  body: object | null,
): Promise<Record<string, unknown>> {
  const sentText = JSON.stringify(body)
  const length = { 'content-length': Buffer.byteLength(sentText) }
  const headers = { token, 'content-type': 'application/json', ...length }
  const text = await new Promise<string>((resolve, reject) => {
    const sent = request(url, { method: 'GET', headers }, (response) => {
      let received = ''
      response.on('data', (chunk) => {
        received += chunk
      })
      response.on('end', () => resolve(received))
    })
    sent.on('error', reject)
    sent.end(sentText)
  })
  return JSON.parse(text)
}
