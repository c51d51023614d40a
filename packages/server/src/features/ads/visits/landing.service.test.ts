/** Visitors share cached landing pages. Personal content stays private, and changes become visible. */
import { describe, expect, it } from 'vitest'
import { createSystem, earn, newVisitor, sceneOn } from '../../../../test/ads/scene.ts'
import { textOf } from '../../../../test/ads/visitor.ts'
import { anyEngine } from '../../../../test/databases.ts'

const csrfOf = (html: string) => /name="csrf" value="([^"]*)"/.exec(html)?.[1]

describe.each(anyEngine)('on $name', (engine) => {
  const scene = sceneOn(engine)

  it('new visitors see the same page, each with a token that is valid only in their browser', async () => {
    const system = await createSystem(scene(), ['a'])
    const [one, two] = [newVisitor(), newVisitor()]
    const first = await one.open(system.url)
    const second = await two.open(system.url)
    const [mine, other] = [csrfOf(first.html), csrfOf(second.html)]
    expect(mine).toMatch(/^[\w-]{22}$/)
    expect(other).not.toBe(mine)
    expect(second.html.replace(other ?? '', '')).toBe(first.html.replace(mine ?? '', ''))
    expect((await one.submit(first, '/start', { csrf: other ?? '' })).status).toBe(409)
    expect((await two.submit(second, '/start')).html).toContain('go/')
  })

  it('the landing page shows a change as soon as it is confirmed', async () => {
    const system = await createSystem(scene(), ['a'])
    expect(textOf((await newVisitor().open(system.url)).html)).toContain('Free keys')
    const changed = await system.owner.post(`/v1/adsystems/${system.id}/edit`, { name: 'Späte Schlüssel' })
    expect(changed.status).toBe(200)
    const page = await newVisitor().open(system.url)
    expect(page.html).toContain('Sp&#228;te Schl&#252;ssel')
    expect(page.html).not.toContain('Free keys')
    expect(page.html.endsWith('</html>\n')).toBe(true)
  })

  it('each language has its own page, and a chosen language is remembered', async () => {
    const system = await createSystem(scene(), ['a'])
    const [english, german] = [newVisitor(), newVisitor({ language: 'de' })]
    const pages = [
      await english.open(system.url),
      await german.open(system.url),
      await english.open(`${system.url}?lang=de`),
    ]
    expect(pages.map(({ html }) => /<html lang="(..)">/.exec(html)?.[1])).toEqual(['en', 'de', 'de'])
    const actions = pages.map(({ html }) => /action="[^"]*start([^"]*)"/.exec(html)?.[1])
    expect(actions).toEqual(['', '', ''])
    expect((await english.open(system.url)).html).toContain('<html lang="de">')
  })

  it('the keys of a visitor appear only on their own page', async () => {
    const system = await createSystem(scene(), ['a'], { max_keys: 3 })
    const visitor = newVisitor()
    const key = /id="key"[^>]*>([^<]+)</.exec((await earn(scene(), system, visitor)).html)?.[1] ?? ''
    expect(key).toMatch(/^\w{32}$/)
    expect((await visitor.open(`${system.url}?again=1`)).html).toContain(key)
    expect((await newVisitor().open(system.url)).html).not.toContain(key)
    expect((await newVisitor().open(`${system.url}?again=1`)).html).not.toContain(key)
  })
})
