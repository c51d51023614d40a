/**
 * Failures that are not the visitor's fault: provider outages, and owners who change steps during a visit.
 */
import { describe, expect, it } from 'vitest'
import { REJECTED_TOKEN_B, TOKEN_B } from '../../../../test/ads/providers.ts'
import {
  begin,
  createSystem,
  limitProviders,
  newVisitor,
  passStep,
  type System,
  sceneOn,
  WATCHING_MS,
} from '../../../../test/ads/scene.ts'
import { continueUrl, keyOf, textOf } from '../../../../test/ads/visitor.ts'
import { anyEngine } from '../../../../test/databases.ts'

describe.each(anyEngine)('on $name', (engine) => {
  const scene = sceneOn(engine)
  const isReady = (html: string) => html.includes('/claim"')
  const wait = (ms = WATCHING_MS) => {
    scene().server.clock.now += ms
  }
  const edit = ({ owner, checkpoints }: System, at: number, body: object) =>
    owner.post(`/v1/adcheckpoints/${checkpoints[at]?.id}/edit`, body)

  it.each([
    ['a', 'breaks'],
    ['a', 'fails'],
    ['a', 'garbage'],
    ['c', 'breaks'],
    ['c', 'garbage'],
  ] as const)(
    'a provider of style %s that fails on the way back (%s) costs the visitor nothing',
    async (style, mood) => {
      const system = await createSystem(scene(), [style])
      const visitor = newVisitor()
      const { providers } = scene()
      const location = await visitor.leave(await begin(system, visitor))
      wait()
      const back = await visitor.watch(location)
      providers.moods[`provider_${style}`] = mood
      const page = await visitor.open(back)
      expect(page.status).toBe(200)
      expect(isReady(page.html)).toBe(false)
      providers.moods[`provider_${style}`] = 'works'
      expect(isReady((await visitor.open(back)).html)).toBe(true)
    },
  )

  it.each(['b', 'c'] as const)('no visitor is sent to a failing provider of style %s', async (style) => {
    const system = await createSystem(scene(), [style])
    const visitor = newVisitor()
    const page = await begin(system, visitor)
    for (const mood of ['breaks', 'fails', 'garbage'] as const) {
      scene().providers.moods[`provider_${style}`] = mood
      const answer = await visitor.ask(continueUrl(page))
      expect(answer.status).toBe(303)
    }
    scene().providers.moods[`provider_${style}`] = 'works'
    expect((await visitor.ask(continueUrl(page))).status).toBe(302)
  })

  it('a provider that never responds times out, and the visitor sees an error', async () => {
    const system = await createSystem(scene(), ['a'])
    const visitor = newVisitor()
    const location = await visitor.leave(await begin(system, visitor))
    wait()
    const back = await visitor.watch(location)
    scene().providers.moods.provider_a = 'hangs'
    limitProviders(true)
    const page = await visitor.open(back).finally(() => limitProviders(false))
    expect(textOf(page.html)).toContain('Step 1 of 1')
    expect(page.html).toContain('role="alert"')
  })

  it('a provider that failed five times is not called for a minute, and a fallback is offered', async () => {
    const system = await createSystem(scene(), ['b', 'a'])
    const [, other] = system.checkpoints
    await edit(system, 0, { fallback_checkpoint_id: other?.id })
    const visitor = newVisitor()
    const { providers } = scene()
    let page = await begin(system, visitor)
    providers.moods.provider_b = 'fails'
    for (let n = 0; n < 5; n += 1) page = await visitor.open(continueUrl(page))
    providers.asked.length = 0
    page = await visitor.open(continueUrl(page))
    expect(providers.asked).toEqual([])
    const fallback = await visitor.leave(page, 'fallback=1')
    wait()
    page = await visitor.open(await visitor.watch(fallback))
    expect(textOf(page.html)).toContain('Step 2 of 2')
    providers.moods.provider_b = 'works'
    wait(60_000)
    const fresh = newVisitor()
    expect((await begin(system, fresh)).html).not.toContain('fallback=1')
  })

  it("a provider that rejects one account's requests stays available to the others", async () => {
    const rejected = { provider_data: { api_token: REJECTED_TOKEN_B, unsigned_postbacks: true } }
    const theirs = await createSystem(scene(), [{ style: 'b', changes: rejected }])
    const visitor = newVisitor()
    let page = await begin(theirs, visitor)
    for (let n = 0; n < 6; n += 1) page = await visitor.open(continueUrl(page))
    expect(page.html).toContain('role="alert"')
    const system = await createSystem(scene(), ['b'])
    const answer = await visitor.ask(continueUrl(await begin(system, visitor)))
    expect(answer.status).toBe(302)
    expect(answer.headers.get('location')).toContain('/b/s?')
  })

  it('a fallback cannot bypass a working provider', async () => {
    const system = await createSystem(scene(), ['b', 'a'])
    const [, other] = system.checkpoints
    await edit(system, 0, { fallback_checkpoint_id: other?.id })
    const visitor = newVisitor()
    const page = await begin(system, visitor)
    expect(page.html).not.toContain('fallback=1')
    const answer = await visitor.ask(`${continueUrl(page)}?fallback=1`)
    expect(answer.headers.get('location')).toContain('/b/s?')
  })

  it('a fallback must be another checkpoint of the same system', async () => {
    const system = await createSystem(scene(), ['a', 'a'])
    const foreign = await createSystem(scene(), ['a'])
    for (const id of [system.checkpoints[0]?.id, foreign.checkpoints[0]?.id, 'none'])
      expect((await edit(system, 0, { fallback_checkpoint_id: id })).error.type).toBe('invalid_request')
    await edit(system, 0, { fallback_checkpoint_id: system.checkpoints[1]?.id })
    await edit(system, 0, { fallback_checkpoint_id: '' })
    const { checkpoint } = (await system.owner.get(`/v1/adcheckpoints/${system.checkpoints[0]?.id}`)).body
    expect(checkpoint).toMatchObject({ fallback_checkpoint_id: null })
  })

  it('settings that a provider rejects are reported to the owner once an hour, and visitors skip the step', async () => {
    const wrong = { token: 'token-of-somebody-else' }
    const system = await createSystem(scene(), [{ style: 'a', changes: { provider_data: wrong } }])
    const hook = { information_webhook: 'https://hooks.example.com/x' }
    await system.owner.post(`/projects/${system.project}/edit`, hook)
    for (const pause of [0, 1_800_000, 1_800_000]) {
      wait(pause)
      const visitor = newVisitor()
      const page = await passStep(scene(), visitor, await begin(system, visitor))
      expect(page.html).not.toContain('go/')
    }
    const { deliveries } = (await system.owner.get(`/v1/projects/${system.project}/webhooks/deliveries`)).body
    const told = (deliveries as { type: string }[]).filter(({ type }) => type === 'ads.misconfigured')
    expect(told).toHaveLength(2)
    expect((await newVisitor().open(system.url)).html).not.toContain('/start"')
    await edit(system, 0, { provider_data: { token: 'publisher-token-of-style-a' } })
    expect((await newVisitor().open(system.url)).html).toContain('/start"')
  })

  it('no visitor is sent to a checkpoint whose encryption token is invalid', async () => {
    const wrong = { api_token: `${TOKEN_B}-wrong`, unsigned_postbacks: true }
    const system = await createSystem(scene(), [{ style: 'b', changes: { provider_data: wrong } }])
    const visitor = newVisitor()
    const page = await begin(system, visitor)
    expect((await visitor.ask(continueUrl(page))).status).toBe(303)
    expect((await visitor.open(system.url)).html).not.toContain('go/')
  })

  it('an edited checkpoint has to be visited again, and the page explains that', async () => {
    const system = await createSystem(scene(), ['a'])
    const visitor = newVisitor()
    const location = await visitor.leave(await begin(system, visitor))
    wait()
    const back = await visitor.watch(location)
    await edit(system, 0, { url: `${scene().providers.url}/a/other` })
    const page = await visitor.open(back)
    expect(isReady(page.html)).toBe(false)
    expect(textOf(page.html)).toMatch(/changed/)
    scene().providers.destinations.set('other', system.checkpoints[0]?.callback_url ?? '')
    expect(isReady((await passStep(scene(), visitor, page)).html)).toBe(true)
  })

  it('renaming a checkpoint does not interrupt a visitor', async () => {
    const system = await createSystem(scene(), ['a'])
    const visitor = newVisitor()
    const location = await visitor.leave(await begin(system, visitor))
    wait()
    const back = await visitor.watch(location)
    await edit(system, 0, { name: 'Other' })
    expect(isReady((await visitor.open(back)).html)).toBe(true)
  })

  it('visitors keep the order that they started with', async () => {
    const system = await createSystem(scene(), ['a', 'b'])
    const visitor = newVisitor()
    const page = await begin(system, visitor)
    await system.owner.post(`/v1/adcheckpoints/${system.checkpoints[0]?.id}/swap`, { index: 1 })
    const next = await passStep(scene(), visitor, await visitor.open(page.url))
    expect(textOf(next.html)).toContain('Step 2 of 2')
    expect((await visitor.ask(continueUrl(next))).headers.get('location')).toContain('/b/s?')
  })

  it('a removed checkpoint counts as passed only for visitors who passed another one', async () => {
    const system = await createSystem(scene(), ['a', 'b'])
    const [ahead, half] = [newVisitor(), newVisitor()]
    await passStep(scene(), half, await begin(system, half))
    await begin(system, ahead)
    await system.owner.post(`/v1/adcheckpoints/${system.checkpoints[1]?.id}/remove`)
    expect(isReady((await half.open(system.url)).html)).toBe(true)
    expect(keyOf(await half.submit(await half.open(system.url), '/claim'))).toMatch(/^\w{32}$/)
    const page = await ahead.open(system.url)
    expect(textOf(page.html)).toContain('Step 1 of 1')
    expect(isReady((await passStep(scene(), ahead, page)).html)).toBe(true)
  })

  it("removing a visitor's current step gives them nothing", async () => {
    const system = await createSystem(scene(), ['a', 'b'])
    const visitor = newVisitor()
    const location = await visitor.leave(await begin(system, visitor))
    wait()
    const back = await visitor.watch(location)
    await system.owner.post(`/v1/adcheckpoints/${system.checkpoints[0]?.id}/remove`)
    expect((await visitor.open(back)).status).toBe(404)
    expect(textOf((await visitor.open(system.url)).html)).toContain('Step 1 of 1')
  })

  it('a system without checkpoints and an unknown system show an error page', async () => {
    const system = await createSystem(scene(), [])
    expect((await newVisitor().open(system.url)).html).not.toContain('<form')
    expect((await newVisitor().open(`${scene().server.url}/ads/sys_none`)).status).toBe(404)
  })

  it('a system is found by its custom URL, ignoring case', async () => {
    const system = await createSystem(scene(), ['a'])
    const url = `Free-${system.id.slice(-10)}`
    await system.owner.post(`/v1/adsystems/${system.id}/url`, { url })
    const page = await newVisitor().open(`${scene().server.url}/ads/${url.toUpperCase()}`)
    expect(page.html).toContain(`${url}/start"`)
  })
})
