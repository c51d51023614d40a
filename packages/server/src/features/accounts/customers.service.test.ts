/** Account details, and the projects that accounts create. */
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { START, serverOn } from '../../../test/harness.ts'
import { LONG_AGO, NO_LIMITS } from '../../../test/nouns.ts'
import { ffaDevice, instance, user } from '../../../test/store/rows.ts'
import { furnish } from '../../../test/subjects.ts'
import { changeUserCount } from '../projects/store/projects.ts'

describe.each(anyEngine)('on $name', (engine) => {
  const { at } = serverOn(engine)

  describe('GET /customers/:api_key', () => {
    it('shows a new account with everything at zero', async () => {
      const owner = await at().createCustomer({ email: 'Author@Example.com' })
      const { body } = await at().client().get(`/customers/${owner.apiKey}`)
      expect(body.customer).toEqual({
        id: owner.id,
        chat_id: null,
        tier: 0,
        email: 'author@example.com',
        plan_expires: 253_402_300_799_999,
        created_at: START,
        obfuscations_used: 0,
        bonus_obfuscations_left: 0,
        admin: false,
        verified: false,
        blacklisted: false,
        blacklist_reason: null,
        total_projects: 0,
        total_scripts: 0,
        total_users: 0,
        banned_users: 0,
        unused_users: 0,
        ffa_users: 0,
        total_executions: 0,
        total_ad_users: 0,
        total_systems: 0,
        total_checkpoints: 0,
        total_sessions: 0,
        total_instances: 0,
      })
    })

    it('counts only what the account owns', async () => {
      const { owner, ids } = await furnish(at())
      await furnish(at())
      const project_id = ids.project_id ?? ''
      const script_id = ids.script_id ?? ''
      const now = at().clock.now
      const states = [
        { executions: 3 },
        { executions: 3, executor: 'Wave', chat_id: null },
        { executor: 'Wave', chat_id: null },
        { fingerprint_assigned: 1 as const },
        { chat_id: null, blacklisted: 1 as const },
        { chat_id: null, blacklisted: 1 as const, blacklist_expires: now },
        { chat_id: null, blacklisted: 1 as const, blacklist_expires: now + 1, ad_system_id: 'sys_1' },
      ]
      await at().deps.db.transaction(async (tx) => {
        for (const [index, state] of states.entries()) {
          const row = { ...user, project_id, key: `${owner.id}-${index}`, chat_id: `chat-${index}`, ...state }
          await tx.insertInto('users').values(row).execute()
        }
        await changeUserCount(tx, owner.id, project_id, { users: states.length, fromAds: 1 })
        const live = { ...instance, project_id, script_id, user_key: null }
        await tx
          .insertInto('instances')
          .values({ ...live, exec: `${owner.id}-1`, expires_at: now + 1 })
          .execute()
        await tx
          .insertInto('instances')
          .values({ ...live, exec: `${owner.id}-2`, expires_at: now })
          .execute()
        await tx
          .insertInto('ffa_devices')
          .values({ ...ffaDevice, project_id, script_id, customer_id: owner.id })
          .execute()
      })
      const { body } = await owner.get(`/customers/${owner.apiKey}`)
      expect(body.customer).toMatchObject({
        total_projects: 1,
        total_scripts: 1,
        total_users: 8,
        banned_users: 2,
        unused_users: 4,
        ffa_users: 1,
        total_ad_users: 1,
        total_instances: 1,
      })
      const projects = await owner.get('/v1/projects')
      expect(projects.body.projects).toMatchObject([{ id: project_id, total_instances: 1 }])
    })

    it('needs no token, and accepts none in place of the key in the path', async () => {
      const owner = await at().createCustomer()
      expect((await at().client().get(`/customers/${owner.apiKey}`)).status).toBe(200)
      expect((await owner.get('/customers/sw_wrong')).status).toBe(401)
    })
  })

  describe('POST /v1/projects/new', () => {
    it('creates a project with the defaults of the interface', async () => {
      const owner = await at().createCustomer()
      const made = await owner.post('/v1/projects/new', { name: ' Garden\u00a0' })
      expect(made.body).toEqual({ success: true, project_id: expect.stringMatching(/^prj_[A-Za-z0-9]{22}$/) })
      const { body } = await owner.get('/v1/projects')
      expect(body.projects).toEqual([
        {
          id: made.string('project_id'),
          name: 'Garden',
          fingerprint_reset_cooldown: 86_400_000,
          allow_fingerprint_resets: true,
          delete_expired_users: false,
          execution_webhook: null,
          information_webhook: null,
          blacklist_webhook: null,
          total_executions: 0,
          require_chat: false,
          require_join_chat_server: false,
          total_sessions: 0,
          total_instances: 0,
        },
      ])
    })

    it('treats null as the default and stores every given field', async () => {
      const owner = await at().createCustomer()
      const nulls = {
        fingerprint_reset_cooldown: null,
        allow_fingerprint_resets: null,
        execution_webhook: null,
      }
      await owner.post('/v1/projects/new', { name: 'Nulls', ...nulls })
      const given = {
        name: 'Given',
        fingerprint_reset_cooldown: 0,
        allow_fingerprint_resets: false,
        delete_expired_users: true,
        execution_webhook: 'https://example.com/hook?a=1',
        information_webhook: 'https://example.com/',
        blacklist_webhook: '',
      }
      await owner.post('/v1/projects/new', given)
      const { body } = await owner.get('/v1/projects')
      expect(body.projects).toMatchObject([
        {
          name: 'Nulls',
          fingerprint_reset_cooldown: 86_400_000,
          allow_fingerprint_resets: true,
          execution_webhook: null,
        },
        { ...given, blacklist_webhook: null },
      ])
    })

    it('appends the project to the list', async () => {
      const owner = await at().createCustomer()
      const names = ['z', 'a', 'm', 'B', 'ä']
      for (const name of names) await owner.post('/v1/projects/new', { name })
      const { body } = await owner.get('/v1/projects')
      expect((body.projects as { name: string }[]).map(({ name }) => name)).toEqual(names)
    })

    it('trims names before it checks their length', async () => {
      const owner = await at().createCustomer()
      const create = (name: string) => owner.post('/v1/projects/new', { name })
      for (const name of ['x'.repeat(100), '𝒳'.repeat(100), `a${' '.repeat(98)}b`, 'x']) {
        const { status, text } = await create(`\u3000 ${name} `)
        expect(status, text).toBe(200)
        const { projects } = (await owner.get('/v1/projects')).body
        expect((projects as { name: string }[]).at(-1)?.name).toBe(name)
      }
      for (const name of [
        'x'.repeat(101),
        `a${' '.repeat(99)}b`,
        ' '.repeat(50),
        'a\u0000b',
        `x${' '.repeat(1000)}`,
      ]) {
        const { status, error } = await create(name)
        expect(status).toBe(400)
        expect(error.failed).toMatchObject([{ field: 'name' }])
      }
    })

    it('rejects names that cannot be displayed and URLs that cannot receive requests', async () => {
      const owner = await at().createCustomer()
      const bad = [
        ...['', ' ', '\t', 'a\nb', 'a\u0085b', 'x'.repeat(101)].map((name) => ({ name })),
        ...[
          'example.com',
          'ftp://example.com',
          'javascript:alert(1)',
          'https://',
          'https://a:b@example.com',
          'https://example.com/#x',
          'https://example.com/#',
          'http://example.com/',
          'https://127.0.0.1/',
          'https://[::ffff:10.0.0.1]/',
          'https://169.254.169.254/latest',
          `https://example.com/${'x'.repeat(2048)}`,
        ].map((execution_webhook) => ({ name: 'x', execution_webhook })),
      ]
      for (const body of bad) {
        const { error } = await owner.post('/v1/projects/new', body)
        const field = 'execution_webhook' in body ? 'execution_webhook' : 'name'
        expect(error, JSON.stringify(body)).toMatchObject({ type: 'invalid_request', failed: [{ field }] })
      }
      expect((await owner.get('/v1/projects')).body.projects).toEqual([])
    })

    it('reports an expired account before a reached limit', async () => {
      const { tier } = await tierWith(0)
      const owner = await at().createCustomer({ tier, plan_expires: LONG_AGO })
      const { error } = await owner.post('/v1/projects/new', { name: 'Late' })
      expect(error).toMatchObject({ code: 1, message: 'account expired' })
      expect((await owner.get('/v1/projects')).status).toBe(200)
    })
  })

  async function tierWith(max_projects: number) {
    const tier = 500 + max_projects
    const limits = { ...NO_LIMITS, max_projects }
    await at().admin.put(`/v1/admin/tiers/${tier}`, { name: 'few', price: 0, ...limits })
    return { tier }
  }

  it('an account expires in the exact millisecond of its expiry date', async () => {
    const owner = await at().createCustomer({ plan_expires: START + 1 })
    expect((await owner.post('/v1/projects/new', { name: 'Last' })).status).toBe(200)
    at().clock.now = START + 1
    expect((await owner.post('/v1/projects/new', { name: 'Late' })).error.type).toBe('account_expired')
    at().clock.now = START
  })
})
