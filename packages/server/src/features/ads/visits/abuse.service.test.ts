/** Attacks by visitors, bypass tools and strangers fail. */
import { createHmac, randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { TOKEN_B } from '../../../../test/ads/providers.ts'
import {
  begin,
  createSystem,
  earn,
  newVisitor,
  passAll,
  passStep,
  type Style,
  type System,
  sceneOn,
  WATCHING_MS,
} from '../../../../test/ads/scene.ts'
import { continueUrl, type Shown, textOf, type Visitor } from '../../../../test/ads/visitor.ts'
import { anyEngine } from '../../../../test/databases.ts'
import { changeRows } from '../../../../test/stored.ts'

const SECRET = 'secret-of-the-postbacks'
const RANDOM_HASH = 'a'.repeat(64)

describe.each(anyEngine)('on $name', (engine) => {
  const scene = sceneOn(engine)
  const wait = (ms = WATCHING_MS) => {
    scene().server.clock.now += ms
  }

  /**
   * A visitor who was sent to the provider of the only step, and the URL that the provider would send them
   * back to.
   */
  async function out(style: Style, changes: Readonly<Record<string, unknown>> = {}) {
    const system = await createSystem(scene(), [{ style, changes }])
    const visitor = newVisitor()
    const location = await visitor.leave(await begin(system, visitor))
    const [checkpoint] = system.checkpoints
    return {
      system,
      visitor,
      location,
      callback: checkpoint?.callback_url ?? '',
      postback: checkpoint?.postback_url ?? '',
      link: checkpoint?.link ?? '',
    }
  }
  const isReady = ({ html }: Shown) => html.includes('/claim"')
  async function expectNothing(
    { system, visitor }: { system: System; visitor: Visitor },
    page: Shown,
    says?: RegExp,
  ) {
    expect(page.status).toBeLessThan(500)
    if (says) expect(textOf(page.html)).toMatch(says)
    expect(isReady(await visitor.open(system.url))).toBe(false)
  }

  it.each([
    ['a', ''],
    ['a', `?hash=${RANDOM_HASH}`],
    ['a', '?hash=short'],
    ['b', ''],
    ['b', '?s=AAAAAAAAAAAAAAAAAAAAAA'],
    ['c', ''],
    ['c', `?token=${randomUUID()}`],
  ] as const)(
    'opening the destination of a provider of style %s directly with "%s" passes no step',
    async (style, query) => {
      const way = await out(style)
      wait()
      await expectNothing(way, await way.visitor.open(way.callback + query))
    },
  )

  it.each(['a', 'c'] as const)(
    'a token of a provider of style %s is single-use and valid for one visitor',
    async (style) => {
      const system = await createSystem(scene(), [{ style, changes: {} }, 'a'])
      const [one, two] = [newVisitor(), newVisitor()]
      const [first, second] = [await begin(system, one), await begin(system, two)]
      await two.leave(second)
      const location = await one.leave(first)
      wait()
      const used = await one.watch(location)
      await one.open(used)
      const page = await two.open(used)
      expect(textOf(page.html)).toContain('Step 1 of 2')
    },
  )

  it('only one of two concurrent visitors with the same token passes', async () => {
    const system = await createSystem(scene(), ['a', 'a'])
    const visitors = [newVisitor(), newVisitor()]
    const outs = []
    for (const visitor of visitors) outs.push(await visitor.leave(await begin(system, visitor)))
    wait()
    const used = await (visitors[0] as Visitor).watch(outs[0] ?? '')
    const pages = await Promise.all(visitors.map((visitor) => visitor.open(used)))
    expect(pages.filter(({ html }) => textOf(html).includes('Step 2 of 2'))).toHaveLength(1)
  })

  it('a hash older than ten seconds is rejected', async () => {
    const way = await out('a')
    wait()
    const back = await way.visitor.watch(way.location)
    wait(11_000)
    await expectNothing(way, await way.visitor.open(back))
  })

  it("a token for another publisher's link is rejected", async () => {
    const way = await out('c', {})
    wait()
    const token = scene().providers.addToken({ linkId: 'foreign', byIp: way.visitor.address })
    const back = (await way.visitor.watch(way.location)).replace(/token=[^&]*/, `token=${token}`)
    await expectNothing(way, await way.visitor.open(back))
  })

  it('a token that was created before the visit or has expired is rejected', async () => {
    for (const spoiled of [{ createdAt: -60_000 }, { expiresAfter: -1 }]) {
      const way = await out('c')
      wait()
      const { now } = scene().server.clock
      const times = Object.fromEntries(Object.entries(spoiled).map(([name, by]) => [name, now + by]))
      const token = scene().providers.addToken({ linkId: way.link, byIp: way.visitor.address, ...times })
      const back = (await way.visitor.watch(way.location)).replace(/token=[^&]*/, `token=${token}`)
      await expectNothing(way, await way.visitor.open(back))
    }
  })

  it('a visit that the provider saw from another network is rejected', async () => {
    const way = await out('c')
    wait()
    const { address } = way.visitor
    way.visitor.address = newVisitor().address
    const back = await way.visitor.watch(way.location)
    way.visitor.address = address
    await expectNothing(way, await way.visitor.open(back), /another (address|network)/)
  })

  it('the callback is rejected without the cookie and in another browser', async () => {
    const way = await out('b')
    wait()
    const back = await way.visitor.watch(way.location)
    const stranger = await newVisitor({ agent: 'Other/2' }).open(back)
    expect(stranger.status).toBe(403)
    expect(stranger.headers.get('set-cookie')).toBe(null)
    const friend = newVisitor({ agent: 'Other/2' })
    await friend.leave(await begin(way.system, friend))
    await expectNothing({ ...way, visitor: friend }, await friend.open(back))
    expect(isReady(await way.visitor.open(back))).toBe(true)
  })

  it('a stolen cookie reveals no key and passes no step from another network and browser', async () => {
    const system = await createSystem(scene(), ['a'])
    const victim = newVisitor()
    const key = textOf((await earn(scene(), system, victim)).html).match(/[A-Za-z0-9]{32}/)?.[0] ?? 'none'
    const thief = newVisitor({ agent: 'Other/2' })
    for (const [name, value] of victim.cookies) thief.cookies.set(name, value)
    const page = await thief.open(system.url)
    expect(page.html).not.toContain(key)
    expect(thief.cookies.get('swv')).not.toBe(victim.cookies.get('swv'))
    expect((await victim.open(system.url)).html).toContain(key)
    const other = await out('a')
    const robber = newVisitor({ agent: 'Other/2' })
    for (const [name, value] of other.visitor.cookies) robber.cookies.set(name, value)
    wait()
    expect((await robber.open(await other.visitor.watch(other.location))).status).toBe(403)
    const go = continueUrl(await other.visitor.open(other.system.url))
    expect((await robber.ask(go)).status).toBe(404)
  })

  it('steps can only be passed in order, each by its own callback', async () => {
    const system = await createSystem(scene(), ['a', 'b', 'c'])
    const visitor = newVisitor()
    const location = await visitor.leave(await begin(system, visitor))
    wait()
    const back = await visitor.watch(location)
    for (const { callback_url } of system.checkpoints.slice(1)) {
      const page = await visitor.open(`${callback_url}?${back.split('?')[1]}&token=${randomUUID()}`)
      expect(textOf(page.html)).toContain('Step 1 of 3')
    }
    expect(textOf((await visitor.open(back)).html)).toContain('Step 2 of 3')
    expect(textOf((await visitor.open(back)).html)).toContain('Step 2 of 3')
  })

  it.each(['b', 'c'] as const)(
    'the return from a provider of style %s must carry the secret of this visit',
    async (style) => {
      const way = await out(style)
      wait()
      const back = await way.visitor.watch(way.location)
      const forged = back.replace(/([?&]s=)[^&]*/, `$1${'A'.repeat(22)}`)
      await expectNothing(way, await way.visitor.open(forged), /another|other|belong/)
      expect(isReady(await way.visitor.open(back))).toBe(true)
    },
  )

  it('a visitor who returns too early does not pass and must follow the link again', async () => {
    for (const style of ['a', 'b', 'c'] as const) {
      const way = await out(style)
      wait(style === 'b' ? 14_999 : 9999)
      await expectNothing(way, await way.visitor.open(await way.visitor.watch(way.location)), /fast|soon/i)
    }
  })

  it('a visit ends after twenty minutes, an attempt after an hour, and a finished one after half an hour', async () => {
    const way = await out('a')
    wait(20 * 60_000)
    const back = await way.visitor.watch(way.location)
    await expectNothing(way, await way.visitor.open(back), /long/)
    wait(40 * 60_000)
    expect((await way.visitor.open(way.system.url)).html).toContain('/start"')
    const done = newVisitor()
    expect(isReady(await passAll(scene(), way.system, done))).toBe(true)
    wait(30 * 60_000)
    expect(isReady(await done.open(way.system.url))).toBe(false)
  })

  it('a second cookie earns no second key', async () => {
    const system = await createSystem(scene(), ['a'])
    const visitor = newVisitor()
    await earn(scene(), system, visitor)
    wait(120_000)
    visitor.cookies.clear()
    const page = await visitor.open(system.url)
    expect(page.html).not.toContain('/start"')
    expect(page.html).not.toMatch(/[A-Za-z0-9]{32}<\/code>/)
  })

  it('a form from another site or without its token starts nothing', async () => {
    const system = await createSystem(scene(), ['a'])
    const visitor = newVisitor()
    const [url, init] = visitor.formOf(await visitor.open(system.url), '/start')
    const foreign = { ...init, headers: { 'sec-fetch-site': 'cross-site' } }
    expect((await visitor.ask(url, foreign)).status).toBe(409)
    const bare = { method: 'POST', body: new URLSearchParams({ csrf: 'x' }) }
    expect((await visitor.ask(url, bare)).status).toBe(409)
    expect((await visitor.open(system.url)).html).toContain('/start"')
  })

  it("a link that is no longer on one of the provider's hosts is not followed", async () => {
    const system = await createSystem(scene(), ['a'])
    const visitor = newVisitor()
    const page = await begin(system, visitor)
    await changeRows(
      scene().server,
      'ad_checkpoints',
      { system_id: system.id },
      { url: 'https://evil.example/x' },
    )
    const answer = await visitor.ask(continueUrl(page))
    expect(answer.headers.get('location')).not.toContain('evil')
  })

  it.each(['http://169.254.169.254/', 'https://localhost/', 'file:///etc/passwd', 'https://evil.example/'])(
    'the URL %s is rejected as the link of a checkpoint',
    async (url) => {
      await expect(createSystem(scene(), [{ style: 'a', changes: { url } }])).rejects.toThrow()
    },
  )

  describe('a postback', () => {
    const signed = { provider_data: { api_token: TOKEN_B, postback_secret: SECRET } }
    const send = (postback: string, members: Record<string, string>) =>
      fetch(`${postback}?${new URLSearchParams(members)}`)
    const clickOf = (location: string) => new URL(location).searchParams.get('puid') ?? ''
    function sign(members: Record<string, string>, secret = SECRET) {
      const { click_id = '', ip = '', ts = '', unique_id = '' } = members
      const text = `click_id=${click_id}&ip=${ip}&ts=${ts}&unique_id=${unique_id}`
      return { ...members, sig: createHmac('sha256', secret).update(text).digest('hex') }
    }

    it('lets the waiting visitor continue when it arrives', async () => {
      scene().providers.postback = 'none'
      const way = await out('b')
      wait()
      const page = await way.visitor.open(await way.visitor.watch(way.location))
      const state = async () =>
        (await way.visitor.ask(`${scene().server.url}/ads/state?system=${way.system.id}`)).json()
      expect(isReady(page)).toBe(false)
      expect(await state()).toEqual({ state: 'waiting' })
      await scene().providers.confirm(way.link, clickOf(way.location), way.visitor.address)
      expect(await state()).toEqual({ state: 'ready' })
    })

    it('passes no step on its own, and is remembered when it arrives before the callback', async () => {
      scene().providers.postback = 'none'
      const way = await out('b')
      wait()
      await scene().providers.confirm(way.link, clickOf(way.location), way.visitor.address)
      expect(isReady(await way.visitor.open(way.system.url))).toBe(false)
      expect(isReady(await way.visitor.open(await way.visitor.watch(way.location)))).toBe(true)
    })

    it('is too late after a minute', async () => {
      scene().providers.postback = 'none'
      const way = await out('b')
      wait()
      await way.visitor.open(await way.visitor.watch(way.location))
      wait(60_000)
      await scene().providers.confirm(way.link, clickOf(way.location), way.visitor.address)
      await expectNothing(way, await way.visitor.open(way.system.url), /confirm/)
    })

    it('gets the same response when it is forged, without any effect', async () => {
      scene().providers.postback = 'none'
      const way = await out('b')
      wait()
      await way.visitor.open(await way.visitor.watch(way.location))
      const ip = way.visitor.address
      const forged = await send(way.postback, { click_id: 'A'.repeat(24), ip, unique_id: '1' })
      expect([forged.status, await forged.text()]).toEqual([200, 'ok'])
      const elsewhere = await send(way.postback, {
        click_id: clickOf(way.location),
        ip: '192.0.2.9',
        unique_id: '2',
      })
      expect([elsewhere.status, await elsewhere.text()]).toEqual([200, 'ok'])
      const other = await createSystem(scene(), ['b'])
      const [foreign] = other.checkpoints
      await send(foreign?.postback_url ?? '', { click_id: clickOf(way.location), ip, unique_id: '3' })
      expect(isReady(await way.visitor.open(way.system.url))).toBe(false)
      expect((await send(`${way.postback}x`, { click_id: 'A'.repeat(24), unique_id: '1' })).status).toBe(404)
      expect((await send(way.postback, { click_id: '%00' })).status).toBe(400)
    })

    it('may arrive at the URL of another step only if it has the same account and secrets', async () => {
      scene().providers.postback = 'none'
      const way = await out('b')
      const { owner, project } = way.system
      wait()
      await way.visitor.open(await way.visitor.watch(way.location))
      const members = { click_id: clickOf(way.location), ip: way.visitor.address }
      const strict = await createSystem(scene(), [{ style: 'b', changes: signed }], {}, { owner, project })
      const own = { ...members, ts: String(scene().server.clock.now), unique_id: '1' }
      await send(strict.checkpoints[0]?.postback_url ?? '', sign(own))
      expect(isReady(await way.visitor.open(way.system.url))).toBe(false)
      const same = await createSystem(scene(), ['b'], {}, { owner, project })
      await send(same.checkpoints[0]?.postback_url ?? '', { ...members, unique_id: '2' })
      expect(isReady(await way.visitor.open(way.system.url))).toBe(true)
    })

    it('is reported as a duplicate when it is sent twice, and counts once', async () => {
      const way = await out('b')
      const members = { click_id: clickOf(way.location), ip: way.visitor.address, unique_id: 'same' }
      const words = await Promise.all([1, 2, 3].map(async () => (await send(way.postback, members)).text()))
      expect(words.sort()).toEqual(['duplicate', 'duplicate', 'ok'])
    })

    it('must be signed and fresh when a secret is set', async () => {
      scene().providers.postback = 'none'
      const way = await out('b', signed)
      wait()
      await way.visitor.open(await way.visitor.watch(way.location))
      const { now } = scene().server.clock
      const members = {
        ...{ click_id: clickOf(way.location), ip: way.visitor.address, unique_id: '1' },
        ts: String(Math.floor(now / 1000)),
      }
      const old = { ...members, ts: String(Math.floor(now / 1000) - 301) }
      const bad = [members, sign(members, 'other'), { ...sign(members), unique_id: '2' }, sign(old)]
      for (const one of bad) expect((await send(way.postback, one)).status).toBe(403)
      expect(isReady(await way.visitor.open(way.system.url))).toBe(false)
      expect(await (await send(way.postback, sign(members))).text()).toBe('ok')
      expect(isReady(await way.visitor.open(way.system.url))).toBe(true)
    })

    it('has no effect for a provider of another style', async () => {
      const way = await out('a')
      expect((await send(way.postback, { click_id: 'A'.repeat(24), unique_id: '1' })).status).toBe(404)
    })
  })

  it('a visitor with too many wrong tokens has to wait, and the provider is not called until then', async () => {
    const system = await createSystem(scene(), ['a'])
    const visitor = newVisitor()
    const [checkpoint] = system.checkpoints
    let page = await begin(system, visitor)
    const { providers } = scene()
    providers.asked.length = 0
    for (let n = 0; n < 14; n += 1) {
      const go = await visitor.ask(continueUrl(page))
      if (!go.headers.get('location')?.startsWith(providers.url)) break
      wait(11_000)
      page = await visitor.open(`${checkpoint?.callback_url}?hash=${String(n).padStart(64, '0')}`)
    }
    expect(providers.asked).toHaveLength(10)
    expect(textOf(page.html)).toMatch(/too many/i)
    wait(600_000)
    const fresh = await visitor.open(system.url)
    expect(isReady(await passStep(scene(), visitor, fresh))).toBe(true)
  })

  it('no visit data reaches the log', async () => {
    const system = await createSystem(scene(), ['b'])
    const visitor = newVisitor()
    const page = await earn(scene(), system, visitor)
    const key = textOf(page.html).match(/[A-Za-z0-9]{32}/)?.[0] ?? 'none'
    const log = scene().server.log.join('\n')
    for (const secret of [key, visitor.cookies.get('swv') ?? 'none', TOKEN_B])
      expect(log).not.toContain(secret)
  })
})
