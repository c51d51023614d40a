/**
 * Tests the errors that runs report, in a real browser: the list, one error with the author's lines, and its
 * states.
 */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { groupAll, listErrors, protectedLines, reportErrors } from '../../packages/server/test/errors.ts'
import { createUser } from '../../packages/server/test/nouns.ts'
import { BROKEN, LOST } from './failing.ts'
import { scriptsRoom } from './scripts-room.ts'
import { button, dialog, submit } from './users-steps.ts'

const { at, open, scriptOf } = scriptsRoom()

const SOURCE = `local shop = {}
function shop.buy(item)
  return item.price.gold
end
pcall(shop.buy, {})
`
const HTML = '<img src=x onerror=document.title="run"> is bad'

async function scene() {
  const scripted = await scriptOf({ script: SOURCE })
  const { owner, project, id } = scripted
  const user_key = await createUser(owner, project, { note: 'Ada', chat_id: '12345678' })
  const [line = 0] = await protectedLines(at(), id, { line: 3 })
  const run = { project_id: project, script_id: id, user_key }
  const text = `Greeter:${line}: attempt to index field 'price' (a nil value)`
  await reportErrors(
    at(),
    run,
    { text, at: [line], n: 3 },
    { text: HTML, kind: 'caught', tags: { item: HTML } },
  )
  await groupAll(at())
  const stateOf = async (words: string) =>
    (await listErrors(owner, id)).find(({ message }) => String(message).includes(words))?.state
  return { ...scripted, user_key, stateOf, tab: `${scripted.address}?tab=reported` }
}

const rowOf = (page: Page, words: string) => page.getByRole('row').filter({ hasText: words })
const openRow = (page: Page, words: string) => rowOf(page, words).getByRole('button').first().click()

describe('an error that runs reported', () => {
  it("is listed with its place, and shown with the author's lines and the customers", async () => {
    const { owner, tab } = await scene()
    const { page, complaints } = await open(owner, tab)
    await rowOf(page, 'attempt to index').getByText('Line 3').waitFor()
    await openRow(page, 'attempt to index')
    const failing = dialog(page).locator('pre span').filter({ hasText: 'return item.price.gold' }).first()
    await expect.poll(() => failing.textContent()).toContain('(Failed here)')
    await button(page, 'Show affected customers').click()
    await dialog(page).getByText('Ada').waitFor()
    await button(page, 'Copy Discord mentions').waitFor()
    expect(complaints).toEqual([])
  })

  it('can be announced to the customers it affects, and only to them', async () => {
    const { owner, project, tab } = await scene()
    const { page, complaints } = await open(owner, tab)
    await openRow(page, 'attempt to index')
    await button(page, 'Message affected customers').click()
    await dialog(page).getByText('Shown to the customer affected by this error.').waitFor()
    await dialog(page).getByLabel('Message').fill('The shop works again')
    await submit(page, 'Announce')
    await page.getByText('Announcement sent.').waitFor()
    const { body } = await owner.get(`/v1/projects/${project}/announcements`)
    expect(body.announcements).toMatchObject([{ text: 'The shop works again', users: 1, scripts: null }])
    await page.goto(`${at().url}/dashboard/#/projects/${project}/variables`)
    const list = page.getByRole('list', { name: 'Announcements' })
    await list.getByText('1 key', { exact: true }).waitFor()
    expect(complaints).toEqual([])
  })

  it('shows texts and tags of a run as text', async () => {
    const { owner, tab } = await scene()
    const { page, complaints } = await open(owner, tab)
    await openRow(page, HTML)
    await dialog(page).getByText(`item: ${HTML}`).waitFor()
    expect(await page.locator('img[src=x]').count()).toBe(0)
    expect(await page.title()).not.toBe('run')
    expect(complaints).toEqual([])
  })

  it('is resolved, reopened and ignored, and stays as it was when that fails', async () => {
    const { owner, tab, stateOf } = await scene()
    const { page } = await open(owner, tab)
    await openRow(page, 'attempt to index')
    for (const { meet, words } of [LOST, BROKEN]) {
      await page.route('**/edit', meet)
      await button(page, 'Resolve').click()
      await dialog(page).getByRole('alert').filter({ hasText: words }).waitFor()
      await page.unrouteAll()
    }
    expect(await stateOf('attempt')).toBe('open')
    await button(page, 'Resolve').click()
    await dialog(page).getByText('Reopens if any version after 1 reports this error.').waitFor()
    expect(await stateOf('attempt')).toBe('resolved')
    await button(page, 'Reopen').click()
    await button(page, 'Resolve').waitFor()
    await button(page, 'Ignore').click()
    await dialog(page).getByText('Ignored').waitFor()
    expect(await stateOf('attempt')).toBe('ignored')
  })

  it('is found by its state, and by its URL', async () => {
    const { owner, id, tab } = await scene()
    const [error] = (await listErrors(owner, id)).filter(({ message }) => String(message).includes('attempt'))
    await owner.post(`/v1/scripts/${id}/errors/${error?.id}/edit`, { state: 'resolved' })
    const { page } = await open(owner, `${tab}&state=resolved&error=${error?.id}`)
    await dialog(page)
      .getByRole('heading', { name: /attempt to index/ })
      .waitFor()
    await button(page, 'Close').click()
    await rowOf(page, 'attempt to index').waitFor()
    expect(await rowOf(page, 'is bad').count()).toBe(0)
  })

  it('shows neither source lines nor customers to those who may not read them', async () => {
    const { owner, tab, user_key } = await scene()
    const { page } = await open(owner, tab, {
      seat: { role: 'custom', scopes: ['projects:read', 'scripts:read'] },
    })
    await openRow(page, 'attempt to index')
    await dialog(page).getByText('you need permission to read source code').waitFor()
    expect(await dialog(page).textContent()).not.toContain(user_key.slice(0, 8))
    expect(await button(page, 'Resolve').getAttribute('aria-disabled')).toBe('true')
    expect(await button(page, 'Show affected customers').getAttribute('aria-disabled')).toBe('true')
  })
})
