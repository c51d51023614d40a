/** Account and tier management, which only operators can access. */
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../../test/databases.ts'
import { START, serverOn } from '../../../../test/harness.ts'
import { rowsOf } from '../../../../test/stored.ts'

const LIMITS = {
  max_users: 1,
  max_projects: 2,
  max_scripts: 3,
  free_for_all: 4,
  obfuscations: 5,
  max_ad_users: 6,
  max_checkpoints: 7,
  max_systems: -1,
  max_calls: 90,
  log_days: 14,
}

describe.each(anyEngine)('operators on $name', (engine) => {
  const { at } = serverOn(engine)

  it('create an account whose key works and is shown only in the response', async () => {
    const made = await at().admin.post('/v1/admin/customers', { email: 'New@Example.com', tier: null })
    expect(made.body.customer).toMatchObject({
      email: 'new@example.com',
      tier: 1,
      admin: false,
      created_at: START,
    })
    const apiKey = made.string('api_key')
    expect(apiKey).toMatch(/^sw_[A-Za-z0-9]{46}$/)
    expect((await at().client(apiKey).get('/v1/projects')).status).toBe(200)
    const { id } = made.body.customer as { id: string }
    const shown = await at().admin.get(`/v1/admin/customers/${id}`)
    expect(shown.body.customer).toEqual(made.body.customer)
    expect(shown.text).not.toContain(apiKey)
  })

  it.each([
    ...['<evil@example.com>', 'Evil <evil@example.com>', 'a@[127.0.0.1]', 'a@127.0.0.1', '"a b"@example.com'],
    ...[
      'a,b@example.com',
      'a;b@example.com',
      'a(b)@example.com',
      'a@b@example.com',
      'a@exa_mple.com',
      'a@.com',
    ],
    ...['a@example.com>', '@example.com', 'a@', 'a@example.com,b@example.com', 'a@example.com/b'],
  ])('get an error for anything but a plain email address: %s', async (email) => {
    const { status, error } = await at().admin.post('/v1/admin/customers', { email, tier: null })
    expect([status, error.type, error.failed]).toMatchObject([400, 'invalid_request', [{ field: 'email' }]])
  })

  it.each([`o'neil+shop@example.com`, 'a.b-c_d@sub.example.co.uk', 'jürgen@bücher.example', 'a@1and1.com'])(
    'can use the email address %s',
    async (email) => {
      const made = await at().admin.post('/v1/admin/customers', { email, tier: null })
      expect(made.body.customer).toMatchObject({ email })
    },
  )

  it('cannot recover an API key from the database', async () => {
    const owner = await at().createCustomer()
    const rows = await rowsOf(at(), 'customers')
    expect(JSON.stringify(rows)).not.toContain(owner.apiKey)
    expect(rows.find(({ id }) => id === owner.id)?.api_key_start).toBe(owner.apiKey.slice(0, 8))
  })

  it('page through the accounts in order of creation', async () => {
    await at().createCustomer()
    const last = await at().createCustomer()
    const all = await at().admin.get('/v1/admin/customers')
    const customers = all.body.customers as { id: string; email: string }[]
    expect(customers[0]?.email).toBe('admin@localhost')
    expect(customers.at(-1)?.id).toBe(last.id)
    expect(all.body.total).toBe(customers.length)
    const part = await at().admin.get('/v1/admin/customers?from=1&limit=2')
    expect(part.body).toMatchObject({ customers: customers.slice(1, 3), total: customers.length })
    for (const empty of ['?limit=0', '?from=1000']) {
      expect((await at().admin.get(`/v1/admin/customers${empty}`)).body.customers).toEqual([])
    }
  })

  it.each(['from=-1', 'limit=x', 'from=1.5', 'limit=1e3', 'from=99999999999', 'limit=1&limit=2', 'from=%00'])(
    'get an error that explains the invalid query %s',
    async (query) => {
      const { error } = await at().admin.get(`/v1/admin/customers?${query}`)
      expect(error).toMatchObject({ type: 'invalid_request', failed: [{ field: query.split('=')[0] }] })
    },
  )

  it('edit only the given fields of an account', async () => {
    const owner = await at().createCustomer({ email: 'edited@example.com' })
    const path = `/v1/admin/customers/${owner.id}`
    const edited = await at().admin.post(`${path}/edit`, {
      tier: 2,
      plan_expires: START + 5,
      bonus_obfuscations_left: 7,
      verified: true,
      email: null,
    })
    const expected = {
      tier: 2,
      plan_expires: START + 5,
      bonus_obfuscations_left: 7,
      verified: true,
      admin: false,
    }
    expect(edited.body.customer).toMatchObject({ ...expected, email: 'edited@example.com' })
    expect((await at().admin.get(path)).body.customer).toEqual(edited.body.customer)
    const same = await at().admin.post(`${path}/edit`, { email: 'EDITED@example.com' })
    expect(same.status).toBe(200)
  })

  it("turn an account into an operator's and back", async () => {
    const owner = await at().createCustomer()
    const edit = (admin: boolean) => at().admin.post(`/v1/admin/customers/${owner.id}/edit`, { admin })
    await edit(true)
    expect((await owner.get('/v1/admin/tiers')).status).toBe(200)
    await edit(false)
    expect((await owner.get('/v1/admin/tiers')).error.type).toBe('forbidden')
  })

  it.each(['cus_none', 'x', '%00', '../tiers'])('get "not found" for the account "%s"', async (id) => {
    expect(
      (await at().admin.get(`/v1/admin/customers/${encodeURIComponent(decodeURIComponent(id))}`)).error.type,
    ).toBe('not_found')
    const edit = await at().admin.post(
      `/v1/admin/customers/${encodeURIComponent(decodeURIComponent(id))}/edit`,
      { admin: true },
    )
    expect(edit.error.type).toBe('not_found')
  })

  it('assign an email address to only one account when many requests race', async () => {
    const tries = Array.from({ length: 12 }, () =>
      at().admin.post('/v1/admin/customers', { email: 'same@example.com' }),
    )
    const answers = await Promise.all(tries)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ error }) => error.type === 'email_already_taken')).toHaveLength(11)
  })

  it('get errors for an unknown service tier, a taken email address and an empty edit', async () => {
    await at().createCustomer({ email: 'Taken@example.com' })
    const { id } = await at().createCustomer()
    const edit = (body: object) => at().admin.post(`/v1/admin/customers/${id}/edit`, body)
    const create = (body: object) => at().admin.post('/v1/admin/customers', body)
    expect((await create({ email: 'tierless@example.com', tier: 999 })).error.type).toBe('unknown_tier')
    expect((await create({ email: 'tAKEN@example.com' })).error.type).toBe('email_already_taken')
    expect((await edit({ tier: 999 })).error.type).toBe('unknown_tier')
    expect((await edit({ email: 'tAKEN@example.com' })).error.type).toBe('email_already_taken')
    expect((await edit({})).error.type).toBe('cannot_edit_nothing')
  })

  it('create a service tier with the default rate limit and retention if they set none', async () => {
    const { max_calls, log_days, ...limits } = LIMITS
    const made = await at().admin.put('/v1/admin/tiers/41', { name: 'Plain', price: 1, ...limits })
    expect(made.body.tier).toMatchObject({ ...limits, max_calls: 60, log_days: 30 })
    const { tier } = (await at().client().get('/data/tiers/41')).body
    for (const name of ['max_calls', 'log_days']) expect(tier).not.toHaveProperty(name)
    expect((await at().admin.post('/v1/admin/tiers/41/remove')).status).toBe(200)
  })

  it('replace a service tier for every account that uses it', async () => {
    const first = { name: ' Small ', price: 2.5, ...LIMITS }
    const made = await at().admin.put('/v1/admin/tiers/40', first)
    expect(made.body.tier).toEqual({ ...first, id: 40, name: 'Small' })
    const owner = await at().createCustomer({ tier: 40 })
    for (const name of ['One', 'Two'])
      expect((await owner.post('/v1/projects/new', { name })).status).toBe(200)
    expect((await owner.post('/v1/projects/new', { name: 'Three' })).error.code).toBe(0)
    await at().admin.put('/v1/admin/tiers/40', { ...first, max_projects: -1 })
    expect((await owner.post('/v1/projects/new', { name: 'Three' })).status).toBe(200)
    expect((await at().client().get('/data/tiers/40')).body.tier).toMatchObject({
      max_projects: -1,
      price: 2.5,
    })
    const listed = await at().admin.get('/v1/admin/tiers')
    expect((listed.body.tiers as { id: number }[]).map(({ id }) => id)).toEqual([0, 1, 2, 3, 40])
    expect(listed.body.total).toBe(5)
  })
})
