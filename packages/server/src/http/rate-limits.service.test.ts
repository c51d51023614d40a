/** Rate limits per credential, with a clock that only the test moves. */
import { describe, expect, it } from 'vitest'
import type { Answer } from '../../test/answers.ts'
import { sqlite } from '../../test/databases.ts'
import { type Client, START, serverOn } from '../../test/harness.ts'
import { createProject } from '../../test/nouns.ts'
import { hashApiKey } from '../features/accounts/credentials.ts'

const BURST = 100
const WRONG_BURST = 20

describe('requests with one credential', () => {
  const { at } = serverOn(sqlite, { config: { apiRates: 1 } })

  async function many(client: Client, count: number, path = '/v1/projects'): Promise<Answer[]> {
    const answers: Answer[] = []
    for (let n = 0; n < count; n += 1) answers.push(await client.get(path))
    return answers
  }
  const statuses = (answers: Answer[]) => [...new Set(answers.map(({ status }) => status))]

  it('may burst to 100, and then run at 50 a second', async () => {
    const owner = await at().createCustomer()
    at().clock.now += 60_000
    expect(statuses(await many(owner, BURST))).toEqual([200])
    const [refused] = await many(owner, 1)
    expect(refused?.error).toMatchObject({ code: -1, type: 'rate_limited', retry_after: 1 })
    expect(refused?.headers.get('retry-after')).toBe('1')
    at().clock.now += 100
    expect((await many(owner, 6)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429])
    at().clock.now += 2000
    expect(statuses(await many(owner, BURST))).toEqual([200])
  })

  it('receive the remaining limit in the standard header', async () => {
    const owner = await at().createCustomer()
    const [first, second] = await many(owner, 2)
    for (const answer of [first, second])
      expect(answer?.headers.get('ratelimit-policy')).toBe('"default";q=100;w=2')
    expect(first?.headers.get('ratelimit')).toBe('"default";r=99;t=1')
    expect(second?.headers.get('ratelimit')).toBe('"default";r=98;t=1')
    await many(owner, BURST - 2)
    expect((await many(owner, 1))[0]?.headers.get('ratelimit')).toBe('"default";r=0;t=2')
  })

  it('that are expensive count as several, and the headers show what is left', async () => {
    const owner = await at().createCustomer()
    const path = `/projects/${await createProject(owner)}/users/export`
    const answers: Answer[] = []
    for (let n = 0; n < 5; n += 1) answers.push(await owner.post(path, { type: 'text' }))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 429])
    const left = answers.map(({ headers }) => headers.get('ratelimit'))
    expect(left.slice(0, 2)).toEqual(['"default";r=79;t=1', '"default";r=59;t=1'])
    expect(left.slice(3)).toEqual(['"default";r=19;t=2', '"default";r=19;t=2'])
    expect(answers[4]?.headers.get('retry-after')).toBe('1')
    expect(statuses(await many(owner, 19))).toEqual([200])
    at().clock.now += 400
    expect((await owner.post(path, { type: 'text' })).status).toBe(200)
  })

  it('count no matter where the key is sent and what the response is', async () => {
    const owner = await at().createCustomer()
    await many(owner, 30, '/projects/none')
    await many(at().client(), 30, `/customers/${owner.apiKey}`)
    await many(at().client(), 20, `/v1/account?api_key=${owner.apiKey}`)
    const bearer = { authorization: `Bearer ${owner.apiKey}` }
    for (let n = 0; n < 20; n += 1) await at().client().get('/v1/projects', bearer)
    expect(statuses(await many(owner, 1))).toEqual([429])
  })

  it("of one account do not use up another's limit, nor that of requests without a key", async () => {
    const [one, other] = [await at().createCustomer(), await at().createCustomer()]
    await many(one, BURST + 1)
    expect(statuses(await many(other, 1))).toEqual([200])
    expect(statuses(await many(at().client(), BURST + 50, '/data/tiers'))).toEqual([200])
  })

  it('with invalid keys are limited by IP address, without affecting valid ones', async () => {
    const owner = await at().createCustomer()
    await many(owner, 1)
    const wrong = (await many(at().client('sw_wrong'), WRONG_BURST)).map(({ status }) => status)
    expect(wrong).toEqual(Array(WRONG_BURST).fill(401))
    const [refused] = await many(at().client('sw_other'), 1)
    expect(refused?.error).toMatchObject({ type: 'rate_limited', retry_after: 2 })
    const newcomer = await at().createCustomer()
    for (const right of [owner, newcomer]) expect(statuses(await many(right, 5))).toEqual([200])
    at().clock.now += 2000
    expect(statuses(await many(at().client('sw_other'), 1))).toEqual([401])
    expect(statuses(await many(at().client('sw_other'), 1))).toEqual([429])
  })

  it('are not blocked when the clock is set back', async () => {
    const owner = await at().createCustomer()
    await many(owner, BURST)
    at().clock.now = START - 86_400_000
    await many(owner, 1)
    at().clock.now += 40
    expect(statuses(await many(owner, 1))).toEqual([200])
  })
})

describe('requests with many tokens of one account', () => {
  const { at } = serverOn(sqlite, { config: { apiRates: 1 } })

  it('share a limit and leave the API key its own', async () => {
    const owner = await at().createCustomer()
    const { db, now } = at().deps
    const tokens = ['a', 'b', 'c'].map((letter) => `swt_${letter.repeat(46)}`)
    await db.transaction(async (tx) => {
      for (const text of tokens)
        await tx
          .insertInto('tokens')
          .values({
            id: `tok_${text}`,
            customer_id: owner.id,
            name: text,
            hash: hashApiKey(text),
            start: 'swt_',
            scopes: '["projects:read"]',
            created_at: now(),
          })
          .execute()
    })
    const seen: number[] = []
    for (const text of tokens)
      for (let n = 0; n < BURST; n += 1) seen.push((await at().client(text).get('/v1/limits')).status)
    expect(seen.filter((status) => status === 200)).toHaveLength(2 * BURST)
    expect((await owner.get('/v1/limits')).status).toBe(200)
  })
})
