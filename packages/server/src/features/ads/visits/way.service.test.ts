/** A visitor's complete path, from the first page through each type of checkpoint to a key. */
import { describe, expect, it } from 'vitest'
import { begin, createSystem, earn, newVisitor, passStep, sceneOn } from '../../../../test/ads/scene.ts'
import { keyOf, textOf } from '../../../../test/ads/visitor.ts'
import { anyEngine } from '../../../../test/databases.ts'

const DAY_MS = 86_400_000

describe.each(anyEngine)('on $name', (engine) => {
  const scene = sceneOn(engine)

  it.each(['a', 'b', 'c'] as const)(
    'a visitor passes a checkpoint with a provider of style %s and gets a key',
    async (style) => {
      const system = await createSystem(scene(), [style])
      const page = await earn(scene(), system, newVisitor())
      const { user } = (await system.owner.get(`/v1/users/${keyOf(page)}`)).body as { user: object }
      const key_expires = scene().server.clock.now + DAY_MS
      expect(user).toMatchObject({ key_expires, note: 'ad: Free keys', ad_system_id: system.id })
    },
  )

  it('a visitor passes three checkpoints in order and may close the page between them', async () => {
    const system = await createSystem(scene(), ['a', 'b', 'c'])
    const visitor = newVisitor()
    let page = await begin(system, visitor)
    for (const number of [1, 2, 3]) {
      page = await visitor.open(system.url)
      expect(textOf(page.html)).toContain(`Step ${number} of 3`)
      page = await passStep(scene(), visitor, page)
    }
    const key = keyOf(await visitor.submit(page, '/claim'))
    expect(keyOf(await visitor.open(system.url))).toBe(key)
  })

  it('a chosen language is kept after a visit to a provider', async () => {
    const system = await createSystem(scene(), ['b'])
    const visitor = newVisitor()
    await visitor.open(`${system.url}?lang=de`)
    const page = await passStep(scene(), visitor, await begin(system, visitor))
    expect(page.html).toContain('<html lang="de">')
  })

  it.each(['start', 'claim', 'unlock'])('the URL of the form %s redirects to the page', async (form) => {
    const system = await createSystem(scene(), ['a'])
    const page = await newVisitor().open(`${system.url}/${form}?lang=de`)
    expect([page.status, page.url]).toEqual([200, system.url])
    expect(page.html).toContain('<html lang="de">')
  })
})
