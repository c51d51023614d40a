/**
 * A project's branding appears in full on its public pages and nowhere else, and the content security policy
 * stays strict.
 */
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createSystem, earn, newVisitor, sceneOn } from '../../../test/ads/scene.ts'
import { anyEngine } from '../../../test/databases.ts'
import { png } from '../../../test/images.ts'
import { createProject, createScript, createUser } from '../../../test/nouns.ts'
import { Surfer } from '../../../test/pages/surfer.ts'

const BRANDING = {
  name: 'Gärten & Co',
  accent: '#c2185b',
  logo: png(40, 30).toString('base64'),
  links: [{ title: '<Shop>', url: 'https://shop.example.com/?a=1&b=2' }],
}
type Page = { readonly text: string; readonly headers: Headers; readonly url: string }

describe.each(anyEngine)('the branding of a project on $name', (engine) => {
  const scene = sceneOn(engine)
  const begin = async (branding: object = BRANDING) => {
    const system = await createSystem(scene(), ['a'])
    const { owner, project } = system
    const brand = (members: object) => owner.post(`/v1/projects/${project}/branding/edit`, members)
    expect((await brand(branding)).status).toBe(200)
    const open = async (url: string): Promise<Page> => {
      const { html, ...rest } = await newVisitor().open(url)
      return { ...rest, text: html }
    }
    const me = `${scene().server.url}/me`
    const signIn = async (key: string): Promise<Page> => {
      const surfer = new Surfer()
      await surfer.open(`${me}?project=${project}`)
      return surfer.submit('name="key"', { key })
    }
    return { ...system, brand, open, me, signIn }
  }

  it('appears on every page of the project, escaped, with a logo that loads', async () => {
    const { owner, project, url, open, me, signIn } = await begin()
    const key = await createUser(owner, project)
    for (const page of [await open(url), await open(`${me}?project=${project}`), await signIn(key)]) {
      expect(page.text).toContain('G&#228;rten &amp; Co')
      expect(page.text).toContain(
        '<a href="https://shop.example.com/?a=1&amp;b=2" rel="noopener noreferrer">&lt;Shop&gt;',
      )
      const [, logo = '', size] = /<img src="([^"]+)" alt="" (width="\d+" height="\d+")/.exec(page.text) ?? []
      expect(size).toBe('width="40" height="30"')
      const loaded = await fetch(new URL(logo, page.url))
      expect([loaded.status, loaded.headers.get('content-type')]).toEqual([200, 'image/png'])
      expectStrict(page)
    }
  })

  it('shows changes immediately, and nothing that was cleared', async () => {
    const { url, open, brand } = await begin()
    await open(url)
    await brand({ name: 'Meadow', accent: '', logo: '', links: [] })
    const page = await open(url)
    expect(page.text).toContain('Meadow')
    expect(page.text).not.toMatch(/<img|Shop|G&#228;rten/)
    expect(page.text.match(/<style>/g)).toHaveLength(1)
    expectStrict(page)
  })

  it('appears on no page of another project or of none', async () => {
    const { owner, open, me } = await begin()
    const other = await createProject(owner)
    const plain = (await open(me)).text
    for (const query of [`?project=${other}`, '?project=prj_none', '']) {
      const { text } = await open(me + query)
      expect(text).not.toMatch(/<img|Shop|G&#228;rten/)
      expect(lengthOf(text)).toBe(lengthOf(plain))
    }
  })

  it("falls back to the project's name when it has none of its own", async () => {
    const { open, me, project, url } = await begin({ accent: '#c2185b' })
    for (const page of [await open(url), await open(`${me}?project=${project}`)])
      expect(page.text).toContain('<p class="above">Project</p>')
  })

  it('decides which scripts visitors see: all enabled ones, or those of a list in its order', async () => {
    const { owner, project, brand, signIn, ...system } = await begin()
    const make = (name: string) => createScript(owner, project, { name })
    const [one, two] = [await make('First'), await make('Second')]
    await owner.post(`/v1/scripts/${await make('Off')}/toggle`, { state: false })
    const key = await createUser(owner, project)
    const shown = async () => {
      const own = await signIn(key)
      expect(own.text).not.toContain(key)
      const earned = await earn(scene(), { ...system, owner, project }, newVisitor())
      const [first, second] = [own.text, earned.html].map(loadersIn)
      expect(first).toEqual(second)
      return first
    }
    expect(await shown()).toEqual([one, two])
    await brand({ all_scripts: false, scripts: [two, one] })
    expect(await shown()).toEqual([two, one])
    await brand({ scripts: [] })
    expect(await shown()).toEqual([])
    await brand({ all_scripts: true })
    expect(await shown()).toEqual([one, two])
  })
})

/** The policy allows only the page's own styles, identified by their digests. */
function expectStrict({ text, headers }: Page): void {
  const styles = [...text.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, style = '']) => style)
  const digests = styles.map((style) => `'sha256-${createHash('sha256').update(style).digest('base64')}'`)
  const policy = headers.get('content-security-policy') ?? ''
  expect(policy).toContain(`style-src ${digests.join(' ')};`)
  expect(policy).not.toMatch(/unsafe|https?:|data:|\*/)
  expect(text).not.toContain('style="')
}

function loadersIn(html: string): string[] {
  return [...html.matchAll(/\/client\/v1\/loader\/(\w+)/g)].map(([, id = '']) => id)
}

/** Returns the page's length without visitor-specific values. */
function lengthOf(html: string): number {
  return html
    .replace(/name="csrf" value="[^"]*"/, '')
    .replace(/<input type="hidden" name="project"[^>]*>/, '').length
}
