/**
 * Tests the preview of the key window in a real browser: it shows the window that customers download, drawn
 * in Luau.
 */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { createOwner } from '../../packages/server/test/nouns.ts'
import { makeWindow } from './looks-of-hub.ts'
import { scriptsRoom } from './scripts-room.ts'
import { sharedStage } from './stage.ts'
import { button } from './users-steps.ts'

const stage = sharedStage()
const { open } = scriptsRoom()

const shown = (page: Page, words: string | RegExp) => page.getByRole('img', { name: words })
const lines = (page: Page) =>
  page.getByRole('region', { name: 'Lines to publish' }).locator('code').textContent()
const title = (page: Page) => page.getByLabel('Title', { exact: true })
const accent = (page: Page) => page.getByLabel('Accent color', { exact: true })
/** Returns the background of the element with this text. */
const colorOf = (page: Page, words: string) =>
  page.evaluate<string>(`(() => {
    const word = [...document.querySelectorAll('[role=img] bdi')].find((one) => one.textContent === '${words}')
    return getComputedStyle(word.parentElement.parentElement).backgroundColor
  })()`)

describe('the preview of the key window', () => {
  it('has the branding of the project without options, and follows each option, as do the lines', async () => {
    const { owner, project } = await makeWindow(stage)
    const { page, complaints } = await open(owner, `${project}/hub?tab=window`)
    await shown(page, /Garden Hub · Enter your key to continue .* Discord · Website$/).waitFor()
    const library = `${stage.server.url}/client/v1/library?project=${project}`
    const first = `local ward = loadstring(game:HttpGet("${library}"))()`
    expect(await lines(page)).toBe(`${first}\nward.window()`)
    await title(page).fill('My "best" hub\\')
    await accent(page).fill('#aa0044')
    await page.getByLabel('Buy link').fill('https://shop.example.com')
    await page.getByLabel('Get key button').selectOption('Always')
    await shown(page, /My "best" hub\\ .* Get key · Buy key/).waitFor()
    expect(await colorOf(page, 'Check key')).toBe('rgb(170, 0, 68)')
    const options = `title = "My \\"best\\" hub\\\\", accent = "#aa0044", buy = "https://shop.example.com", get_key = true`
    expect(await lines(page)).toBe(`${first}\nward.window{ ${options} }`)
    await button(page, 'Denied').click()
    await shown(page, /Too many attempts\.\s+Try again in 4:32\./).waitFor()
    await button(page, 'Valid').click()
    await shown(page, /Your key is valid · 12 d left/).waitFor()
    await page.getByLabel('Language').selectOption('Deutsch')
    await shown(page, /Dein Key ist gültig/).waitFor()
    await button(page, 'Asks for a key').click()
    await shown(page, /Key prüfen · Key holen · Key kaufen/).waitFor()
    expect(complaints).toEqual([])
  })

  it('stays the last valid one, with an error, while an option is wrong', async () => {
    const { owner, project } = await makeWindow(stage)
    const { page } = await open(owner, `${project}/hub?tab=window`)
    await title(page).fill('Harbor')
    await accent(page).fill('green')
    await page.getByText('Enter a color such as #2f9e6e, or leave empty.').waitFor()
    await page.getByLabel('Logo', { exact: true }).fill('logo.png')
    await page.getByText('Enter an asset such as').waitFor()
    await page.getByLabel('Buy link').fill('javascript:alert(1)')
    await page.getByText('Enter a URL that begins with').waitFor()
    await shown(page, /Harbor/).waitFor()
    expect(await lines(page)).toContain('ward.window{ title = "Harbor" }')
  })

  it('fits the page with any screen, and a title of 200 characters is cut in the picture only', async () => {
    const { owner, project } = await makeWindow(stage)
    const { page } = await open(owner, `${project}/hub?tab=window`, { viewport: { width: 360, height: 800 } })
    const long = 'حديقة القمر '.repeat(17).slice(0, 200).trim()
    await title(page).fill(long)
    await shown(page, long).waitFor()
    expect(await lines(page)).toContain(`title = "${long}"`)
    for (const screen of ['Landscape', 'Computer', 'Portrait']) {
      await button(page, screen).click()
      await expect.poll(() => page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      const box = await shown(page, long).boundingBox()
      expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 999) <= 360).toBe(true)
    }
  })

  it('needs key checks, which can be turned on in place', async () => {
    const { owner, project } = await createOwner(stage.server)
    const { page } = await open(owner, `${project}/hub?tab=window`)
    await button(page, 'Turn on key checks').click()
    await shown(page, /Enter your key to continue/).waitFor()
    expect((await owner.get(`/v1/projects/${project}`)).body.project).toMatchObject({ allow_checks: true })
  })

  it('cannot be turned on without the permission', async () => {
    const { owner, project } = await createOwner(stage.server)
    const { page } = await open(owner, `${project}/hub?tab=window`, { seat: { role: 'reader' } })
    await expect.poll(() => button(page, 'Turn on key checks').getAttribute('aria-disabled')).toBe('true')
  })
})
