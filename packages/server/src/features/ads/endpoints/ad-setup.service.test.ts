/**
 * Setting up ad systems, against provider servers on localhost: link creation, the self-test and the preview.
 */
import { describe, expect, it } from 'vitest'
import { TOKEN_A, TOKEN_B } from '../../../../test/ads/providers.ts'
import {
  begin,
  createSystem,
  newVisitor,
  passStep,
  type System,
  sceneOn,
} from '../../../../test/ads/scene.ts'
import { anyEngine } from '../../../../test/databases.ts'
import { createTier, expire } from '../../../../test/nouns.ts'

describe.each(anyEngine)('on $name', (engine) => {
  const scene = sceneOn(engine)
  const B = { provider: 'provider_b', provider_data: { api_token: TOKEN_B, unsigned_postbacks: true } }
  const order = ({ owner, id }: System, body: object) =>
    owner.post(`/v1/adsystems/${id}/checkpoints/link`, body)
  const test = async ({ owner, id }: System) => (await owner.post(`/v1/adsystems/${id}/test`)).body.test
  const edit = ({ owner, checkpoints }: System, body: object) =>
    owner.post(`/v1/adcheckpoints/${checkpoints[0]?.id}/edit`, body)

  it.each([true, false])(
    'a link is created at the provider, and its step can be completed (list: %s)',
    async (list) => {
      const { providers } = scene()
      providers.listsLinks = list
      providers.links.length = 0
      const system = await createSystem(scene(), [], { name: 'A name that is longer than thirty characters' })
      const { owner, id } = system
      const made = await order(system, { ...B, ad_tier: 3, tasks: 2 })
      expect(made.body.url).toMatch(/\/b\/s\?[0-9a-f]{12}$/)
      const title = 'A name that is longer than thi'
      expect(providers.links).toEqual([
        { title, url: made.body.callback_url, tier_id: 3, number_of_tasks: 2 },
      ])
      const entries = (await owner.get('/v1/audit?action=v1.adCheckpoints.createLink')).body.entries
      expect(entries).toMatchObject([{ nouns: { system_id: id, checkpoint_id: made.body.checkpoint_id } }])
      const link = made.string('url').split('?')[1] ?? ''
      providers.postbacks.set(link, made.string('postback_url'))
      const draft = { name: 'Tasks', url: made.body.url, ...B }
      const created = await owner.post(`/v1/adsystems/${id}/checkpoints/new`, draft)
      expect(created.body.checkpoint_id).toBe(made.body.checkpoint_id)
      const visitor = newVisitor()
      expect((await passStep(scene(), visitor, await begin(system, visitor))).html).toContain('/claim"')
    },
  )

  it('link creation fails with the cause: settings, a rejected token, or a provider that is down or has no such API', async () => {
    const system = await createSystem(scene(), [])
    const typeOf = async (body: object) => (await order(system, body)).error.type
    expect(await typeOf({ ...B, provider_data: {} })).toBe('invalid_provider_data')
    const wrong = { api_token: 'some-other-token-of-b', unsigned_postbacks: true }
    expect(await typeOf({ ...B, provider_data: wrong })).toBe('provider_rejected')
    expect(await typeOf({ provider: 'provider_a', provider_data: { token: TOKEN_A } })).toBe(
      'provider_has_no_links',
    )
    scene().providers.linksAt = 'https://another.example.com'
    expect(await typeOf(B)).toBe('provider_unavailable')
    scene().providers.linksAt = undefined
    for (const mood of ['fails', 'breaks', 'garbage'] as const) {
      scene().providers.moods.provider_b = mood
      expect(await typeOf(B)).toBe('provider_unavailable')
    }
    expect((await system.owner.get('/v1/audit?action=v1.adCheckpoints.createLink')).body.entries).toEqual([])
    const log = scene().server.log.join('\n')
    for (const secret of [TOKEN_B, wrong.api_token]) expect(log).not.toContain(secret)
  })

  it('no link is created at the provider once the service tier allows no more checkpoints', async () => {
    const system = await createSystem(scene(), ['b'])
    const { admin } = scene().server
    const tier = await createTier(scene().server, { max_checkpoints: 1 })
    await admin.post(`/v1/admin/customers/${system.owner.id}/edit`, { tier })
    const before = scene().providers.links.length
    expect((await order(system, B)).error).toMatchObject({ code: 0, type: 'max_checkpoints_reached' })
    expect(scene().providers.links).toHaveLength(before)
  })

  it('failed setups of an author do not stop the visitors of others, however often they are repeated', async () => {
    const [mine, theirs] = [await createSystem(scene(), ['b']), await createSystem(scene(), ['b'])]
    const { moods } = scene().providers
    moods.provider_b = 'garbage'
    for (let i = 0; i < 6; i++) {
      expect((await order(mine, B)).error.type).toBe('provider_unavailable')
      expect(await test(mine)).toMatchObject({ passed: false })
    }
    moods.provider_b = 'works'
    const visitor = newVisitor()
    expect((await passStep(scene(), visitor, await begin(theirs, visitor))).html).toContain('/claim"')
  })

  it('the simulated visitor passes a system that is set up correctly, without being counted', async () => {
    const system = await createSystem(scene(), ['a', 'b', 'c'])
    const { owner, id } = system
    const passed = { result: 'passed', reason: null }
    expect(await test(system)).toMatchObject({
      passed: true,
      key: passed,
      steps: ['a', 'b', 'c'].map((style) => ({
        ...{ name: `Step ${style}`, provider: `provider_${style}` },
        checks: [
          { check: 'link', ...passed },
          { check: 'departure', ...passed },
          style === 'b'
            ? { result: 'warning', reason: 'unsigned_postbacks' }
            : { check: 'bypass', ...passed },
        ],
      })),
    })
    const { statistics } = (await owner.get(`/v1/adsystems/${id}/statistics`)).body
    expect(statistics).toMatchObject({ checkpoints: [{ total_started: 0, refused: [] }, {}, {}] })
    expect((await owner.get('/v1/audit?action=v1.adSystems.test')).body.entries).toEqual([])
  })

  it('the test reports rejected settings, a provider that is down, and weak settings', async () => {
    const system = await createSystem(scene(), ['a'])
    const reasons = async () => {
      const { steps } = (await test(system)) as { steps: { checks: { reason: string | null }[] }[] }
      return steps[0]?.checks.map(({ reason }) => reason)
    }
    await edit(system, { provider_data: { token: 'token-of-another-publisher' } })
    expect(await reasons()).toEqual([null, null, 'settings_rejected'])
    scene().providers.moods.provider_a = 'fails'
    expect(await reasons()).toEqual([null, null, 'provider_down'])
    await edit(system, { provider: 'provider_c', provider_data: { link_id: 'x', override: false } })
    expect(await reasons()).toEqual([null, null, 'shared_destination'])
    await edit(system, { provider_data: { link_id: 'x', delete_token: false } })
    expect(await reasons()).toEqual([null, null, 'tokens_kept'])
    await edit(system, {
      provider: 'provider_b',
      provider_data: { api_token: 'not-the-token-of-b', require_postback: false },
    })
    expect(await reasons()).toEqual([null, 'settings_rejected', 'no_postback'])
  })

  it('the test fails without steps, with an expired account, and when no more keys are allowed', async () => {
    const empty = await createSystem(scene(), [])
    expect(await test(empty)).toMatchObject({ passed: false, key: { result: 'failed', reason: 'no_steps' } })
    const full = await createSystem(scene(), ['a'])
    const { server } = scene()
    const tier = await createTier(server, { max_ad_users: 0 })
    await server.admin.post(`/v1/admin/customers/${full.owner.id}/edit`, { tier })
    expect(await test(full)).toMatchObject({ key: { reason: 'account_full' } })
    await expire(server, full.owner.id)
    expect(await test(full)).toMatchObject({ key: { reason: 'account_expired' } })
  })

  it('the preview shows the steps, the names of the providers and the branding of the system', async () => {
    const system = await createSystem(scene(), ['a', 'c'], { name: 'Keys of <b>Ada</b>' })
    const { owner, id, project } = system
    await owner.post(`/v1/projects/${project}/branding/edit`, { name: 'The Garden' })
    const { html } = (await owner.get(`/v1/adsystems/${id}/preview`)).body as { html: string }
    for (const part of ['Step a', 'Step c', 'Fake A', 'Fake C', 'The Garden', 'Keys of &lt;b&gt;'])
      expect(html).toContain(part)
    expect(html).not.toContain('<b>Ada')
    const german = (await owner.get(`/v1/adsystems/${id}/preview?language=de`)).body as { html: string }
    expect(german.html).toContain('lang="de"')
  })
})
