/** Resellers can issue keys up to their limit, and see only the keys that they issued. */
import { describe, expect, it } from 'vitest'
import type { Answer } from '../../../test/answers.ts'
import { anyEngine } from '../../../test/databases.ts'
import { type Client, type Owner, serverOn } from '../../../test/harness.ts'
import { createOwner, createProject, createUser } from '../../../test/nouns.ts'
import { type Browser, browserOf } from '../../../test/people/browsers.ts'
import { createPerson } from '../../../test/people.ts'
import { insertRows } from '../../../test/stored.ts'
import { furnish, pathOf } from '../../../test/subjects.ts'
import { errorWithoutId } from '../../../test/without-id.ts'
import { endpoints } from '../../endpoints.ts'
import { hashCredential } from '../access/credential.ts'
import { SLICE } from '../changes/customer-lock.ts'

type By = Pick<Browser, 'get' | 'post'>

describe.each(anyEngine)('a reseller on $name', (engine) => {
  const { at } = serverOn(engine)
  /** The plan that resellers may issue keys with, by project. */
  const plans = new Map<string, string>()
  const sell = async (owner: Owner, project: string) => {
    const body = { name: 'Sold', resellable: true }
    const made =
      plans.get(project) ?? (await owner.post(`/v1/projects/${project}/plans/new`, body)).string('plan_id')
    plans.set(project, made)
  }
  const planOf = (project: string) => ({ plan_id: plans.get(project) ?? '' })
  const reseller = async (owner: Owner, project: string, maxKeys?: number): Promise<Browser> => {
    await sell(owner, project)
    const seat = { role: 'reseller', projects: [project], ...(maxKeys && { maxKeys }) } as const
    return browserOf(at(), await createPerson(at(), owner.id, seat))
  }
  const issuingToken = async (owner: Owner, project: string): Promise<Client> => {
    await sell(owner, project)
    const secret = `swt_${project}`
    await insertRows(at(), 'tokens', {
      ...{ id: `tok_${project}`, customer_id: owner.id, name: 'Shop', hash: hashCredential(secret) },
      ...{ start: 'swt_', scopes: '["users:issue"]', projects: JSON.stringify([project]), created_at: 1 },
    })
    return at().client(secret)
  }
  const issue = async (by: By, project: string, body: object = {}) =>
    (await by.post(`/v1/projects/${project}/users/new`, { ...planOf(project), ...body })).string('user_key')
  const keysOf = ({ body }: Answer) => (body.users as { key: string }[]).map(({ key }) => key)
  const shops = [
    ['member', reseller],
    ['token', issuingToken],
  ] as const

  it.each(shops)('who is a %s can read the keys they issued, in both API families', async (_, makeShop) => {
    const { owner, project } = await createOwner(at())
    const shop = await makeShop(owner, project)
    const mine = await issue(shop, project, { note: 'of the shop' })
    for (const path of [`/users/${mine}`, `/v1/users/${mine}`])
      expect((await shop.get(path)).body.user).toMatchObject({ key: mine, note: 'of the shop' })
  })

  it.each(shops)('who is a %s can neither read nor write the private note of a key', async (_, makeShop) => {
    const { owner, project } = await createOwner(at())
    const shop = await makeShop(owner, project)
    const mine = await issue(shop, project)
    await owner.post(`/v1/users/${mine}/edit`, { private_note: 'of the team' })
    const lists = await Promise.all(
      ['users', 'users/filter?fingerprint_assigned=false'].map((path) =>
        shop.get(`/v1/projects/${project}/${path}`),
      ),
    )
    const read = [await shop.get(`/v1/users/${mine}`), ...lists]
    expect(read.map(({ text }) => [text.includes(mine), text.includes('of the team')])).toEqual(
      Array(3).fill([true, false]),
    )
    const body = { ...planOf(project), private_note: 'mine' }
    expect((await shop.post(`/v1/projects/${project}/users/new`, body)).status).toBe(400)
  })

  it.each(shops)('who is a %s sees other keys as missing', async (_, makeShop) => {
    const { owner, project } = await createOwner(at())
    const shop = await makeShop(owner, project)
    const colleague = await reseller(owner, project)
    const foreign = [
      await createUser(owner, project),
      await issue(colleague, project),
      await createUser(owner, await createProject(owner)),
    ]
    for (const family of ['', '/v1']) {
      const missing = await shop.get(`${family}/users/none`)
      expect(missing.error.type).toBe('not_found')
      for (const key of foreign) {
        const answer = await shop.get(`${family}/users/${key}`)
        expect(errorWithoutId(answer, key)).toEqual(errorWithoutId(missing, 'none'))
      }
    }
  })

  it.each(shops)(
    'who is a %s lists, filters, searches and counts only the keys they issued',
    async (_, makeShop) => {
      const { owner, project } = await createOwner(at())
      const shop = await makeShop(owner, project)
      const own: string[] = []
      for (let n = 0; n < 5; n += 1) {
        await createUser(owner, project, { note: 'sold', chat_id: `of-owner-${n}` })
        own.push(await issue(shop, project, { note: 'sold', chat_id: `of-shop-${n}` }))
      }
      for (const family of ['', '/v1']) {
        const path = `${family}/projects/${project}/users`
        expect(keysOf(await shop.get(path))).toEqual(own)
        expect(keysOf(await shop.get(`${path}?from=1&limit=2`))).toEqual(own.slice(1, 3))
        expect(keysOf(await shop.get(`${path}/filter?note=sold`))).toEqual(own)
        expect(keysOf(await shop.get(`${path}/filter?note=sold&from=3`))).toEqual(own.slice(3))
        expect(keysOf(await shop.get(`${path}/filter?blacklisted=false`))).toEqual(own)
        expect(keysOf(await shop.get(`${path}/filter?key=${own[2]}`))).toEqual([own[2]])
        expect(keysOf(await shop.get(`${path}/filter?chat_id=of-owner-1`))).toEqual([])
        expect(keysOf(await shop.get(`${path}/filter?search=of-owner`))).toEqual([])
        expect(keysOf(await shop.get(`${path}/filter?search=of-shop-4`))).toEqual([own[4]])
      }
      const first = await shop.get(`/v1/projects/${project}/users?limit=3`)
      expect(first.body).toMatchObject({ total: 5, next: expect.any(String) })
      const second = await shop.get(`/v1/projects/${project}/users?limit=3&after=${first.body.next}`)
      expect([...keysOf(first), ...keysOf(second)]).toEqual(own)
      expect(second.body).toMatchObject({ total: 5, next: null })
      const all = await owner.get(`/v1/projects/${project}/users`)
      expect(all.body).toMatchObject({ total: 10 })
    },
  )

  it.each(shops)(
    'authenticated by a %s gets an error from every other endpoint that requires a scope',
    async (_, makeShop) => {
      const { owner, ids } = await furnish(at())
      const { project_id = '' } = ids
      const shop = await makeShop(owner, project_id)
      const user_key = await issue(shop, project_id)
      const others = endpoints.filter(
        ({ scope, issued, auth }) =>
          scope !== null && scope !== 'users:issue' && !issued && auth !== 'customerByPathKey',
      )
      for (const endpoint of others) {
        const path = pathOf(endpoint, { ...ids, user_key })
        const answer = await (endpoint.method === 'GET' ? shop.get(path) : shop.post(path))
        expect(['forbidden', 'unauthorized', 'invalid_endpoint'], path).toContain(answer.error.type)
      }
    },
  )

  it('cannot reach another project, even with a valid key', async () => {
    const { owner, project } = await createOwner(at())
    const other = await createProject(owner)
    const shop = await reseller(owner, project)
    for (const path of [`/v1/projects/${other}/users`, `/projects/${other}/users`])
      expect((await shop.get(path)).error.type).toBe('not_found')
    expect((await shop.post(`/v1/projects/${other}/users/new`)).error.type).toBe('not_found')
  })

  it('cannot exceed their key limit, no matter how they create keys', async () => {
    const { owner, project } = await createOwner(at())
    const shop = await reseller(owner, project, 3)
    const generate = (amount: number) =>
      shop.post(`/v1/projects/${project}/users/generate`, { amount, ...planOf(project) })
    const make = () => shop.post(`/v1/projects/${project}/users/new`, planOf(project))
    expect((await generate(4)).error).toMatchObject({ type: 'too_many_keys_to_generate', limit: 3 })
    const key = await issue(shop, project)
    expect((await generate(3)).error).toMatchObject({ type: 'too_many_keys_to_generate', limit: 3 })
    expect((await generate(2)).status).toBe(200)
    const { error } = await make()
    expect(error).toMatchObject({ type: 'max_users_reached', code: 0, limit: 3 })
    expect(error.needs).toContain('max_keys')
    await owner.post(`/v1/users/${key}/remove`)
    expect((await make()).status).toBe(200)
    expect((await owner.get(`/v1/projects/${project}/users`)).body.total).toBe(3)
    expect((await owner.post(`/projects/${project}/users/new`)).status).toBe(200)
  })

  it('is also limited by the keys they issued in a previous project', async () => {
    const { owner, project } = await createOwner(at())
    const shop = await reseller(owner, project, 2)
    await issue(shop, project)
    const { id } = ((await owner.get('/v1/members')).body.members as { id: string }[])[0] ?? { id: '' }
    const next = await createProject(owner)
    await sell(owner, next)
    await owner.post(`/v1/members/${id}/edit`, { projects: [next] })
    await issue(shop, next)
    expect((await shop.post(`/v1/projects/${next}/users/new`, planOf(next))).error.type).toBe(
      'max_users_reached',
    )
    expect((await shop.get(`/v1/projects/${next}/users`)).body.total).toBe(1)
  })

  it('cannot exceed their limit with concurrent single and bulk requests', async () => {
    const { owner, project } = await createOwner(at())
    const shop = await reseller(owner, project, 20)
    const paths = Array.from({ length: 30 }, (_, n) => (n % 3 === 0 ? 'generate' : 'new'))
    const answers = await Promise.all(
      paths.map((way) =>
        shop.post(`/v1/projects/${project}/users/${way}`, {
          ...planOf(project),
          ...(way === 'new' ? {} : { amount: 4 }),
        }),
      ),
    )
    const made = answers.flatMap(
      ({ body }) => (body.user_keys as string[]) ?? (body.user_key ? [body.user_key] : []),
    )
    const { total } = (await shop.get(`/v1/projects/${project}/users`)).body
    expect(total).toBe(made.length)
    expect(made.length).toBeGreaterThan(16)
    expect(made.length).toBeLessThanOrEqual(20)
  })

  it('cannot exceed their limit with two large concurrent generations, and leaves neither half done', async () => {
    const { owner, project } = await createOwner(at())
    const shop = await reseller(owner, project, SLICE + 10)
    const generate = () =>
      shop.post(`/v1/projects/${project}/users/generate`, { amount: SLICE + 5, ...planOf(project) })
    const answers = await Promise.all([generate(), generate()])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403])
    expect((await shop.get(`/v1/projects/${project}/users?limit=1`)).body.total).toBe(SLICE + 5)
    expect((await owner.get(`/v1/projects/${project}/users?limit=1`)).body.total).toBe(SLICE + 5)
  })

  it.each(shops)('who is a %s sees only the plans they may issue', async (_, makeShop) => {
    const { owner, project } = await createOwner(at())
    const shop = await makeShop(owner, project)
    await owner.post(`/v1/projects/${project}/plans/new`, { name: 'Not for sale' })
    await owner.post(`/v1/projects/${project}/users/new`, planOf(project))
    const { plans: listed } = (await shop.get(`/v1/projects/${project}/plans`)).body
    expect(listed).toMatchObject([{ name: 'Sold', resellable: true, users: 0 }])
    expect((await owner.get(`/v1/projects/${project}/plans`)).body.plans).toHaveLength(2)
  })

  const GIVEN: readonly (readonly [string, object])[] = [
    ['features', { features: { turbo: true } }],
    ['tags', { tags: ['vip'] }],
    ['metadata', { metadata: { public: { rank: 'admin' } } }],
    ['key_expires', { key_expires: 0 }],
    ['clock', { clock: { basis: 'creation', duration: null } }],
    ['starts_at', { starts_at: 0 }],
    ['max_devices', { max_devices: 5 }],
    ['match', { match: 'tolerant' }],
  ]
  it.each(GIVEN)('and anyone else who may not write users cannot set a custom %s', async (field, body) => {
    const { owner, project } = await createOwner(at())
    await sell(owner, project)
    const read = ['users:issue', 'users:read']
    const made = await owner.post('/v1/tokens/new', { name: 'Reading shop', scopes: read })
    for (const shop of [await reseller(owner, project), at().client(made.string('secret'))]) {
      const { error } = await shop.post(`/v1/projects/${project}/users/new`, { ...planOf(project), ...body })
      expect(error).toMatchObject({ type: 'invalid_request', failed: [{ field }] })
      expect(JSON.stringify(error.failed)).toContain('users:write')
    }
  })

  it('cannot use an unmarked plan or issue a key without a plan, no matter how they create keys', async () => {
    const { owner, project } = await createOwner(at())
    const shop = await reseller(owner, project)
    const other = await owner.post(`/v1/projects/${project}/plans/new`, { name: 'Lifetime' })
    const plan_id = other.string('plan_id')
    const path = `/v1/projects/${project}/users`
    const tries = [
      await shop.post(`${path}/new`, { plan_id }),
      await shop.post(`${path}/new`),
      await shop.post(`/projects/${project}/users/new`),
      await shop.post(`${path}/generate`, { amount: 2, plan_id }),
      await shop.post(`${path}/generate`, { amount: 2 }),
      await shop.post(`${path}/generate`, { amount: 2, dry_run: true }),
      await shop.post(`/projects/${project}/users/generate`, { amount: 2 }),
    ]
    for (const { error } of tries) {
      expect(error).toMatchObject({ type: 'invalid_request', failed: [{ field: 'plan_id' }] })
      expect(JSON.stringify(error.failed)).toContain('resellable')
    }
    const expiring = { amount: 2, keys_expire: 9e12, ...planOf(project) }
    expect((await shop.post(`${path}/generate`, expiring)).error).toMatchObject({
      failed: [{ field: 'keys_expire' }],
    })
    expect((await owner.get(path)).body.total).toBe(0)
    await owner.post(`/v1/plans/${plan_id}/edit`, { resellable: true })
    expect((await shop.post(`${path}/new`, { plan_id, note: 'sold', chat_id: '4711' })).status).toBe(200)
  })

  it('gets no stored response of another caller who used the same idempotency key', async () => {
    const { owner, project } = await createOwner(at())
    const shop = await issuingToken(owner, project)
    const send = (client: Client) =>
      client.send('POST', `/v1/projects/${project}/users/generate`, {
        headers: { 'content-type': 'application/json', 'idempotency-key': 'order-1' },
        body: '{"amount":2}',
      })
    const made = await send(owner)
    expect(made.status).toBe(200)
    const answer = await send(shop)
    expect(answer.error.type).toBe('idempotency_key_reused')
    expect((await send(owner)).text).toBe(made.text)
  })

  it('is equivalent to a custom role that may issue and not read', async () => {
    const { owner, project } = await createOwner(at())
    const seat = { role: 'custom', scopes: ['users:issue', 'users:bulk'], projects: [project] } as const
    const custom = await browserOf(at(), await createPerson(at(), owner.id, seat))
    await createUser(owner, project)
    const imported = await custom.post(`/v1/projects/${project}/users/import`, {
      users: [{ note: 'imported' }],
    })
    expect(imported.body.imported).toBe(1)
    const listed = await custom.get(`/v1/projects/${project}/users`)
    expect(listed.body).toMatchObject({ total: 1, users: [{ note: 'imported' }] })
  })

  it('and anyone else who imports without writing users cannot set features or metadata', async () => {
    const { owner, project } = await createOwner(at())
    const made = await owner.post('/v1/tokens/new', { name: 'Mover', scopes: ['users:bulk', 'users:read'] })
    const mover = at().client(made.string('secret'))
    const lists = [
      { users: [{ note: 'plain' }, { metadata: { public: { rank: 9 } } }] },
      { from: 'keyauth', users: [{ key: 'key-with-a-level', level: '9', note: 'level' }] },
    ]
    const reasons = ['metadata: requires users:write', 'features: requires users:write']
    for (const [index, list] of lists.entries()) {
      for (const dry_run of [true, false]) {
        const { body } = await mover.post(`/v1/projects/${project}/users/import`, { ...list, dry_run })
        expect(body.skipped_entries).toMatchObject([{ reason: reasons[index] }])
      }
    }
    expect((await owner.get(`/v1/projects/${project}/users`)).body.users).toMatchObject([{ note: 'plain' }])
    for (const list of lists) {
      const { body } = await owner.post(`/v1/projects/${project}/users/import`, list)
      expect(body).toMatchObject({ skipped: 0 })
    }
  })
})
