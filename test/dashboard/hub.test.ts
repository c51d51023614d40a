/**
 * Tests a project's hub in a real browser: the loader line to publish, each script's games, and the games
 * that customers requested.
 */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { Owner } from '../../packages/server/test/harness.ts'
import { makeHub } from './looks-of-hub.ts'
import { scriptsRoom } from './scripts-room.ts'
import { sharedStage } from './stage.ts'
import { button, dialog, submit } from './users-steps.ts'

const stage = sharedStage()
const { open } = scriptsRoom()

const readHub = async (owner: Owner, project: string) =>
  (await owner.get(`/v1/projects/${project}/hub`)).body as {
    readonly line: string
    readonly default: string | null
    readonly targets: readonly {
      readonly name: string
      readonly places: string[]
      readonly games: string[]
    }[]
  }
const inRow = (page: Page, table: string, words: string) =>
  page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: words })

describe('the hub of a project', () => {
  it('shows the line, and where each script runs can be edited, with conflicts in place', async () => {
    const { owner, project, farm } = await makeHub(stage)
    const { page, complaints } = await open(owner, `${project}/hub`)
    const { line } = await readHub(owner, project)
    await page.getByText(line).waitFor()
    await page.getByText('only works on this machine').waitFor()
    await button(page, 'Edit “Draft”').click()
    await dialog(page).getByLabel('Places').fill('1, 2\n920587237')
    await dialog(page).getByLabel('Games').fill('99999999999999999999')
    await submit(page, 'Save')
    await dialog(page).getByText(`Contains 920587237, which "Farm" (${farm}) already has.`).waitFor()
    expect(await dialog(page).getByLabel('Places').inputValue()).toBe('1, 2\n920587237')
    await dialog(page).getByLabel('Places').fill('1, https://www.roblox.com/games/2/Adopt-Me?x=1 2')
    await submit(page, 'Save')
    await inRow(page, 'Scripts by game', 'Draft').getByText('1, 2').waitFor()
    const draft = (await readHub(owner, project)).targets.find(({ name }) => name === 'Draft')
    expect(draft).toMatchObject({ places: ['1', '2'], games: ['99999999999999999999'] })
    expect(complaints).toEqual([])
  })

  it('has a default script, which can be changed and removed, and keeps its games', async () => {
    const { owner, project, farm } = await makeHub(stage)
    const { page } = await open(owner, `${project}/hub`)
    const choice = page.getByLabel('Default script')
    await expect.poll(() => choice.locator('option:checked').textContent()).toBe('Tools')
    await choice.selectOption('Farm')
    await inRow(page, 'Scripts by game', 'Farm').getByText('Default', { exact: true }).waitFor()
    const hub = await readHub(owner, project)
    expect(hub.default).toBe(farm)
    expect(hub.targets.find(({ name }) => name === 'Farm')?.games).toEqual(['any', '383310974'])
    await choice.selectOption('None')
    await expect.poll(async () => (await readHub(owner, project)).default).toBe(null)
  })

  it('keeps its default script if the chosen one cannot become it', async () => {
    const { owner, project, farm } = await makeHub(stage)
    const places = Array.from({ length: 199 }, (_, i) => i + 1)
    await owner.post(`/v1/scripts/${farm}/edit`, { places })
    const { page } = await open(owner, `${project}/hub`)
    const choice = page.getByLabel('Default script')
    await expect.poll(() => choice.locator('option:checked').textContent()).toBe('Tools')
    const before = await readHub(owner, project)
    await choice.selectOption('Farm')
    await page.getByText(/at most 200 IDs/).waitFor()
    await expect.poll(() => choice.locator('option:checked').textContent()).toBe('Tools')
    expect(await readHub(owner, project)).toEqual(before)
  })

  it('lists unsupported games, which can be given to a script', async () => {
    const { owner, project } = await makeHub(stage)
    const { page } = await open(owner, `${project}/hub`)
    await inRow(page, 'Unsupported games', '142823291').getByText('4,211').waitFor()
    await button(page, 'Add to script… “place 142823291”').click()
    await dialog(page).getByLabel('Script', { exact: true }).selectOption('Draft')
    await submit(page, 'Save')
    await inRow(page, 'Unsupported games', '142823291').waitFor({ state: 'detached' })
    await inRow(page, 'Scripts by game', 'Draft').getByText('66654135').waitFor()
    await button(page, 'Add to script… “place 2753915549”').click()
    await dialog(page).getByLabel('Script', { exact: true }).selectOption('Draft')
    await submit(page, 'Save')
    await inRow(page, 'Scripts by game', 'Draft').getByText('2753915549').waitFor()
    const draft = (await readHub(owner, project)).targets.find(({ name }) => name === 'Draft')
    expect(draft).toMatchObject({ places: ['2753915549'], games: ['66654135'] })
  })

  it('can be read but not changed without the permission', async () => {
    const { owner, project } = await makeHub(stage)
    const { page } = await open(owner, `${project}/hub`, { seat: { role: 'reader' } })
    await expect.poll(() => button(page, 'Edit “Draft”').getAttribute('aria-disabled')).toBe('true')
    await expect.poll(() => page.getByLabel('Default script').isDisabled()).toBe(true)
    await page
      .getByText(/Edit scripts|scripts:write/)
      .first()
      .waitFor({ state: 'attached' })
  })
})
