/** Operators block and remove accounts, replace their API keys, and remove unused tiers. */
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../../test/databases.ts'
import { type Owner, START, serverOn } from '../../../../test/harness.ts'
import { createTier } from '../../../../test/nouns.ts'
import { browserOf } from '../../../../test/people/browsers.ts'
import { createPerson } from '../../../../test/people.ts'
import { changeRows, rowsOf } from '../../../../test/stored.ts'
import { furnish } from '../../../../test/subjects.ts'

describe.each(anyEngine)('operators on $name', (engine) => {
  const { at } = serverOn(engine)
  const on = ({ id }: Owner, word: string, body?: unknown) =>
    at().admin.post(`/v1/admin/customers/${id}/${word}`, body)
  const shown = async ({ id }: Owner) => (await at().admin.get(`/v1/admin/customers/${id}`)).body.customer

  it('who use the dashboard get API keys and appoint operators only after a recent sign-in', async () => {
    const owner = await at().createCustomer()
    await changeRows(at(), 'customers', { id: owner.id }, { admin: 1 })
    const operator = await browserOf(at(), await createPerson(at(), owner.id))
    const path = '/v1/admin/customers'
    const { id } = await at().createCustomer()
    const ask = async () => [
      await operator.post(path, { email: 'new@example.com' }),
      await operator.post(`${path}/${id}/edit`, { admin: true }),
      await operator.post(`${path}/${id}/reset`),
    ]
    at().clock.now += 11 * 60_000
    for (const { error } of await ask()) expect(error.type).toBe('fresh_sign_in_needed')
    expect((await operator.get(path)).status).toBe(200)
    at().clock.now = START
    for (const { status } of await ask()) expect(status).toBe(200)
  })

  it('block an account indefinitely, and its key is rejected until they unblock it', async () => {
    const owner = await at().createCustomer()
    expect((await on(owner, 'blacklist', { reason: ' unpaid ' })).body).toEqual({ success: true })
    expect((await owner.get('/v1/projects')).error.type).toBe('forbidden')
    expect(await shown(owner)).toMatchObject({ blacklisted: true, blacklist_reason: 'unpaid' })
    expect((await on(owner, 'unblacklist')).body).toEqual({ success: true })
    expect((await owner.get('/v1/projects')).status).toBe(200)
    expect(await shown(owner)).toMatchObject({ blacklisted: false, blacklist_reason: null })
  })

  it('block an account until a set time, and the block ends in that exact millisecond', async () => {
    const owner = await at().createCustomer()
    await on(owner, 'blacklist', { expires: START + 1000 })
    at().clock.now = START + 999
    expect((await owner.get('/v1/projects')).status).toBe(403)
    at().clock.now = START + 1000
    expect((await owner.get('/v1/projects')).status).toBe(200)
    expect((await on(owner, 'unblacklist')).error.type).toBe('customer_not_blacklisted')
    expect((await on(owner, 'blacklist', {})).status).toBe(200)
    at().clock.now = START
  })

  it('cannot block an account twice', async () => {
    const owner = await at().createCustomer()
    await on(owner, 'blacklist', {})
    expect((await on(owner, 'blacklist', {})).error.type).toBe('customer_already_blacklisted')
  })

  it('cannot create a block that ends in the past', async () => {
    const owner = await at().createCustomer()
    for (const expires of [1, START])
      expect((await on(owner, 'blacklist', { expires })).error).toMatchObject({
        type: 'invalid_request',
        failed: [{ field: 'expires' }],
      })
    expect((await on(owner, 'blacklist', { expires: 0, reason: null })).status).toBe(200)
  })

  it('end the live sessions of an account that they block', async () => {
    const { owner, ids } = await furnish(at())
    const { hub } = at().deps.sessions
    expect(await hub.find(ids.session_id ?? '')).toBeDefined()
    await on(owner, 'blacklist')
    expect(await hub.find(ids.session_id ?? '')).toBeUndefined()
  })

  it('replace the API key of an account, and the new one is shown once', async () => {
    const owner = await at().createCustomer()
    const apiKey = (await on(owner, 'reset')).string('api_key')
    expect((await owner.get('/v1/projects')).status).toBe(401)
    expect((await at().client(apiKey).get('/v1/projects')).status).toBe(200)
    expect(JSON.stringify(await shown(owner))).not.toContain(apiKey)
    const rows = await rowsOf(at(), 'customers')
    expect(JSON.stringify(rows)).not.toContain(apiKey)
  })

  it('remove an account with everything that it owns and leave other accounts alone', async () => {
    const gone = await furnish(at())
    const other = await furnish(at())
    expect((await on(gone.owner, 'remove')).body).toEqual({ success: true })
    expect((await gone.owner.get('/v1/projects')).status).toBe(401)
    expect((await on(gone.owner, 'remove')).error.type).toBe('not_found')
    const { read } = at().deps.db
    for (const table of ['projects', 'users', 'scripts', 'ad_systems'] as const) {
      const rows = JSON.stringify(await read.selectFrom(table).selectAll().execute())
      expect(rows).not.toContain(gone.ids.project_id)
      expect(rows).toContain(other.ids.project_id)
    }
    expect((await other.owner.get(`/users/${other.ids.user_key}`)).status).toBe(200)
    expect(await at().deps.sessions.hub.find(gone.ids.session_id ?? '')).toBeUndefined()
  })

  it('remove a service tier only when no account uses it', async () => {
    const tier = await createTier(at(), {})
    const owner = await at().createCustomer({ tier })
    const remove = () => at().admin.post(`/v1/admin/tiers/${tier}/remove`)
    expect((await remove()).error).toMatchObject({ code: 0, type: 'tier_in_use' })
    await on(owner, 'edit', { tier: 0 })
    expect((await remove()).body).toEqual({ success: true })
    expect((await remove()).error.type).toBe('not_found')
    expect((await at().client().get(`/data/tiers/${tier}`)).status).toBe(404)
  })

  it.each(['blacklist', 'unblacklist', 'reset', 'remove'])(
    'get "not found" for unknown accounts: %s',
    async (word) => {
      for (const id of ['cus_none', 'x', '%00'])
        expect((await at().admin.post(`/v1/admin/customers/${id}/${word}`)).error.type).toBe('not_found')
    },
  )
})
