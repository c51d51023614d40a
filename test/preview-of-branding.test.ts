/**
 * Tests the branding preview in a real browser, as the dashboard shows it: a document rendered by the API, in
 * a sandboxed frame without any permissions.
 */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Owner } from '../packages/server/test/harness.ts'
import { png } from '../packages/server/test/images.ts'
import { createOwner, createScript } from '../packages/server/test/nouns.ts'
import { findBarriers, inEachLook, isTooWide, picture } from './browser.ts'
import { sharedStage } from './dashboard/stage.ts'

const BRANDING = {
  name: 'Moonlit Garden',
  accent: '#c2185b',
  logo: png(96, 64).toString('base64'),
  links: [{ title: 'Our shop', url: 'https://shop.example.com/' }],
}
const PAGES = ['ads', 'key', 'me'] as const

describe('the branding preview', () => {
  const stage = sharedStage()
  const { browser } = stage
  let owner: Owner
  let path: string
  beforeAll(async () => {
    const made = await createOwner(stage.server)
    owner = made.owner
    path = `/v1/projects/${made.project}/branding`
    await createScript(owner, made.project, { name: 'Night shift' })
  })

  const render = async (members: object) => (await owner.post(`${path}/preview`, members)).string('html')
  /** Opens the dashboard and adds a frame like those on its pages. */
  const openFrame = async (page: Page) => {
    await page.goto(`${stage.server.url}/dashboard/`)
    await page.evaluate(`new Promise((resolve) => {
      const frame = document.createElement('iframe')
      frame.title = 'Preview'
      frame.setAttribute('sandbox', 'allow-scripts')
      frame.src = '../preview/'
      frame.style.cssText = 'position: fixed; inset: 0; width: 100%; height: 100%; border: 0'
      addEventListener('message', ({ source, data }) => {
        if (source === frame.contentWindow && data.type === 'ready') resolve()
      })
      document.body.replaceChildren(frame)
    })`)
    const frame = page.frames().find((one) => one.url().endsWith('/preview/'))
    if (frame === undefined) throw new Error('the frame has no document')
    return frame
  }
  const send = (page: Page, message: object) =>
    page.evaluate(
      `document.querySelector('iframe').contentWindow.postMessage(${JSON.stringify(message)}, '*')`,
    )

  it('shows every page with its colors and logo, and follows edits without saving', async () => {
    const page = await browser.newPage()
    const frame = await openFrame(page)
    for (const name of PAGES) {
      await send(page, { html: await render({ ...BRANDING, page: name }), scheme: 'light' })
      await frame.locator('h1').waitFor()
      await frame.getByText(BRANDING.name).first().waitFor()
      await expect.poll(() => frame.evaluate<number>("document.querySelector('img').naturalWidth")).toBe(96)
      expect(await styleOf(frame, 'footer a', 'color')).toBe('rgb(194, 24, 91)')
    }
    await frame.getByText('Night shift').waitFor()
    await frame.getByRole('button', { name: 'Copy' }).waitFor()
    await send(page, { html: await render({ ...BRANDING, accent: '#0a7d4f', logo: '' }) })
    await expect.poll(() => styleOf(frame, '.main', 'backgroundColor')).toBe('rgb(10, 125, 79)')
    await expect.poll(() => frame.locator('img').count()).toBe(0)
    await send(page, { html: await render(BRANDING), scheme: 'dark' })
    await expect.poll(() => styleOf(frame, ':root', 'backgroundColor')).toBe('rgb(18, 21, 26)')
    await picture(page, 'preview-in-its-frame')
    expect((await owner.get(path)).body.branding).toMatchObject({ name: null, accent: null, logo: null })
    await page.close()
  })

  it('is inert: links do not navigate, forms are not sent, scripts do not run', async () => {
    const page = await browser.newPage()
    const asked: string[] = []
    // Ignores requests from the surrounding page, which loads its own data.
    page.on('request', (request) => {
      if (request.frame() !== page.mainFrame()) asked.push(request.url())
    })
    const frame = await openFrame(page)
    const html = await render({ ...BRANDING, page: 'ads' })
    const script = '<script>parent.postMessage("run", "*"); document.title = "run"</script>'
    const hostile = html.replace(
      '<main>',
      `<main>${script}<img src="${stage.server.url}/me/assets/none" onerror="document.title='run'">`,
    )
    await send(page, { html: hostile })
    await frame.getByRole('button', { name: 'Start' }).waitFor()
    asked.length = 0
    await frame.getByRole('link', { name: 'Our shop' }).click()
    await frame.getByRole('button', { name: 'Start' }).click()
    expect(await frame.evaluate<string>('document.title')).not.toBe('run')
    expect(await frame.evaluate<string>('origin')).toBe('null')
    await expect.poll(() => frame.url()).toBe(`${stage.server.url}/preview/`)
    expect(asked).toEqual([])
    await page.close()
  })

  it('can be framed only by this server', async () => {
    const { headers } = await fetch(`${stage.server.url}/preview/`)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("frame-ancestors 'self'")
    expect(policy).toContain('sandbox allow-scripts;')
    expect(policy).not.toContain('allow-same-origin')
  })

  it('is accessible and fits in every look', async () => {
    const page = await browser.newPage()
    for (const name of PAGES) {
      await page.setContent(await render({ ...BRANDING, page: name, language: 'de' }))
      await inEachLook(page, name, async (look) => {
        await picture(page, `preview-${name}-${look}`)
        expect([name, look, await findBarriers(page), await isTooWide(page)]).toEqual([name, look, [], false])
      })
    }
  })
})

type Evaluating = { evaluate<T>(script: string): Promise<T> }
function styleOf(frame: Evaluating, selector: string, property: string): Promise<string> {
  return frame.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).${property}`)
}
