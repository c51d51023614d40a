/** Limits on starts and earned keys, and the captchas that visitors must solve. */
import { createHash, hash } from 'node:crypto'
import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { effort } from '../../../../../client/test/effort.ts'
import { begin, createSystem, earn, newVisitor, sceneOn, WATCHING_MS } from '../../../../test/ads/scene.ts'
import { continueUrl, type Shown, textOf, Visitor } from '../../../../test/ads/visitor.ts'
import { anyEngine } from '../../../../test/databases.ts'
import { listenOnFreePort } from '../../../../test/ports.ts'

const GUESSES = effort({ day: 2000, night: 10_000 })

const isUnderWay = ({ html }: Shown) => html.includes('go/')

const bitsOf = (html: string) => Number(/data-bits="(\d+)"/.exec(html)?.[1] ?? 0)

function solve(html: string, bits = bitsOf(html)): string {
  const [, challenge = ''] = /data-challenge="([^"]*)"/.exec(html) ?? []
  for (let n = 0; ; n += 1) {
    const digest = hash('sha256', `${challenge}:${n}`, 'buffer')
    if (Math.clz32(digest.readUInt32BE(0)) >= bits) return String(n)
  }
}

describe.each(anyEngine)('on $name', (engine) => {
  describe('with the default limits', () => {
    const scene = sceneOn(engine)
    const wait = (ms: number) => {
      scene().server.clock.now += ms
    }

    it('a network can start twenty times an hour, no matter how many browsers it has', async () => {
      const system = await createSystem(scene(), ['a'])
      const { address } = newVisitor()
      const known = Array.from({ length: 30 }, (_, n) => newVisitor({ agent: `Browser/${n}` }))
      for (const visitor of known) await begin(system, visitor)
      wait(3_600_000)
      for (const visitor of known) visitor.address = address
      const pages = await Promise.all(known.map((one) => begin(system, one).catch(() => undefined)))
      expect(pages.filter((page) => page && isUnderWay(page))).toHaveLength(20)
      const late = new Visitor({ address, agent: 'Late/1' })
      expect(textOf((await late.open(system.url)).html)).toMatch(/Available in/)
      wait(3_600_000)
      expect(isUnderWay(await begin(system, late))).toBe(true)
    })

    it('a visitor waits a minute between two keys and earns at most ten a day', async () => {
      const system = await createSystem(scene(), ['a'], { max_duration: 90 * 86_400_000 })
      const visitor = newVisitor()
      await earn(scene(), system, visitor)
      const again = `${system.url}?again=1`
      expect((await visitor.open(again)).html).not.toContain('/start"')
      for (let n = 1; n < 10; n += 1) {
        wait(3_600_000)
        await earn(scene(), { ...system, url: again }, visitor)
      }
      wait(3_600_000)
      expect((await visitor.open(again)).html).not.toContain('/start"')
      wait(86_400_000)
      expect((await visitor.open(again)).html).toContain('/start"')
    })

    it('a visitor who behaves like a bot has to solve a challenge', async () => {
      const system = await createSystem(scene(), ['a'])
      const visitor = newVisitor()
      let page = await begin(system, visitor)
      for (let n = 0; n < 3; n += 1) {
        const back = await visitor.watch(await visitor.leave(page))
        page = await visitor.open(back)
      }
      wait(3_600_000)
      expect((await visitor.open(system.url)).html).toContain('data-challenge')
    })
  })

  describe('on one network', () => {
    const scene = sceneOn(engine)

    it('starts without a cookie need a proof of work that gets harder with their number, and known browsers are exempt', async () => {
      const system = await createSystem(scene(), ['a'])
      const { address } = newVisitor()
      const known = Array.from({ length: 11 }, () => newVisitor())
      for (const visitor of known) await begin(system, visitor)
      scene().server.clock.now += 3_600_000
      const visitor = new Visitor({ address, agent: 'Program/1' })
      const startAll = async (from: number, to: number) => {
        for (const one of known.slice(from, to)) await begin(system, Object.assign(one, { address }))
        return visitor.open(system.url)
      }
      expect(bitsOf((await startAll(0, 4)).html)).toBe(0)
      const page = await startAll(4, 5)
      expect(bitsOf(page.html)).toBe(19)
      expect(isUnderWay(await visitor.submit(page, '/start', { solution: '1' }))).toBe(false)
      expect(bitsOf((await startAll(5, 10)).html)).toBe(20)
      expect(isUnderWay(await begin(system, Object.assign(known[10] as Visitor, { address })))).toBe(true)
    })

    it('the pause after failures survives a discarded cookie and does not affect a known browser', async () => {
      const system = await createSystem(scene(), ['a'])
      const [visitor, known] = [newVisitor(), newVisitor()]
      await begin(system, known)
      scene().server.clock.now += 3_600_000
      known.address = visitor.address
      let page = await begin(system, visitor)
      for (let n = 0; n < 10; n += 1)
        page = await visitor.open(await visitor.watch(await visitor.leave(page)))
      const fresh = new Visitor({ address: visitor.address, agent: 'Other/1' })
      const paused = await fresh.open(system.url)
      expect(paused.html).not.toContain('/start"')
      expect(textOf(paused.html)).toMatch(/Available in/)
      expect(isUnderWay(await begin(system, known))).toBe(true)
      scene().server.clock.now += 600_000
      expect((await fresh.open(system.url)).html).toContain('/start"')
    })
  })

  describe('with a challenge for every visitor', () => {
    const scene = sceneOn(engine, { adsCaptcha: 'pow' })

    it('its solution lets a visitor start once', async () => {
      const system = await createSystem(scene(), ['a'])
      const visitor = newVisitor()
      const page = await visitor.open(system.url)
      expect(isUnderWay(await visitor.submit(page, '/start'))).toBe(false)
      expect(isUnderWay(await visitor.submit(page, '/start', { solution: '1' }))).toBe(false)
      const solution = solve(page.html)
      const begun = await visitor.submit(page, '/start', { solution })
      expect(isUnderWay(begun)).toBe(true)
      const other = await createSystem(scene(), ['a'])
      const [, init] = visitor.formOf(page, '/start', { solution })
      expect(isUnderWay(await visitor.open(`${other.url}/start`, init))).toBe(false)
    })

    it('a solution is rejected in another browser and after ten minutes', async () => {
      const system = await createSystem(scene(), ['a'])
      const [one, two] = [newVisitor(), newVisitor()]
      const [first, second] = [await one.open(system.url), await two.open(system.url)]
      const solution = solve(first.html)
      const [, challenge = ''] = /data-challenge="([^"]*)"/.exec(first.html) ?? []
      expect(isUnderWay(await two.submit(second, '/start', { challenge, solution }))).toBe(false)
      scene().server.clock.now += 600_000
      expect(isUnderWay(await one.submit(first, '/start', { solution }))).toBe(false)
    })
  })

  describe('with an external verifier', () => {
    const asked: string[] = []
    const verifier = createServer(async (request, response) => {
      let text = ''
      for await (const part of request) text += String(part)
      asked.push(text)
      const form = new URLSearchParams(text)
      const success =
        form.get('secret') === 'between-us' && form.get('response')?.startsWith('human') === true
      response.end(JSON.stringify({ success }))
    })
    const adsVerifier = { page: 'https://verifier.example/check', url: '', secret: 'between-us' }
    const scene = sceneOn(engine, { adsCaptcha: 'external', adsVerifier })
    beforeAll(async () => {
      Object.assign(adsVerifier, { url: `http://127.0.0.1:${await listenOnFreePort(verifier)}` })
    })
    afterAll(() => void verifier.close())

    it('a visitor is sent there and starts once with its token', async () => {
      const system = await createSystem(scene(), ['a'])
      const visitor = newVisitor()
      const led = new URL(continueUrl(await visitor.open(system.url), 'verifier.example'))
      const back = `${led.searchParams.get('return')}&captcha=`
      expect(back.startsWith(system.url)).toBe(true)
      const robot = await visitor.open(`${back}robot`)
      expect(isUnderWay(await visitor.submit(robot, '/start'))).toBe(false)
      const answer = `human-${system.id}`
      const page = await visitor.open(back + answer)
      expect(isUnderWay(await visitor.submit(page, '/start'))).toBe(true)
      expect(asked.at(-1)).toContain(`remoteip=${visitor.address}`)
      const other = newVisitor()
      expect(isUnderWay(await other.submit(await other.open(back + answer), '/start'))).toBe(false)
    })
  })

  describe('with rate limits per IP address', () => {
    const scene = sceneOn(engine, { clientRates: 1 })

    it('thousands of guessed callbacks have no effect', async () => {
      const system = await createSystem(scene(), ['a'])
      const visitor = newVisitor()
      const page = await begin(system, visitor)
      await visitor.leave(page)
      scene().server.clock.now += WATCHING_MS
      const statuses = new Map<number, number>()
      const guess = async (n: number) => {
        const id =
          n % 2 === 0
            ? createHash('sha256').update(`${n}`).digest('base64url').slice(0, 32)
            : system.checkpoints[0]?.callback_url.split('/').at(-1)
        const answer = await visitor.ask(
          `${scene().server.url}/ads/verify/${id}?hash=${String(n).padStart(64, '0')}`,
        )
        await answer.arrayBuffer()
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      }
      const lane = async (at: number) => {
        for (let n = at; n < GUESSES; n += 20) await guess(n)
      }
      await Promise.all(Array.from({ length: 20 }, (_, at) => lane(at)))
      expect([...statuses.keys()].filter((status) => ![303, 404, 429].includes(status))).toEqual([])
      expect(statuses.get(429)).toBeGreaterThan(GUESSES * 0.9)
      scene().server.clock.now += 60_000
      expect(textOf((await visitor.open(system.url)).html)).toContain('Step 1 of 1')
    })
  })
})
