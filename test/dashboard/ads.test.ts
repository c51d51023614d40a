/** Tests the ads pages in a real browser: a system from its creation to its first visitors, and errors. */
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../../packages/server/src/config/config.ts'
import { createSystem, earn, newVisitor, type Scene, sceneOn } from '../../packages/server/test/ads/scene.ts'
import { sqlite } from '../../packages/server/test/databases.ts'
import { createOwner, type Owned } from '../../packages/server/test/nouns.ts'
import { changeRows } from '../../packages/server/test/stored.ts'
import { signInAs } from '../sign-in.ts'
import { openWindows } from '../windows.ts'
import { refuse } from './failing.ts'
import { inspect } from './inspect.ts'

const LONG = 'x'.repeat(101)
const MIXED = '🌷 مفاتيح free'

const at = sceneOn(sqlite)
const browser = openWindows()

/** Sets the server's clock to the browser's time, because the chart shows the latest days. */
function scene(): Scene {
  at().server.clock.now = Date.now()
  return at()
}

async function visit({ owner, project }: Owned, path = '', tabs = 1): Promise<Page[]> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' })
  await signInAs(context, at().server, owner.id)
  const pages: Page[] = []
  for (let tab = 0; tab < tabs; tab += 1) {
    const page = await context.newPage()
    await page.goto(`${at().server.url}/dashboard/#/projects/${project}/ads${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    pages.push(page)
  }
  return pages
}

const steps = async (page: Page): Promise<string[]> =>
  page.getByRole('list', { name: 'Steps' }).locator('.name strong').allTextContents()

type Made = {
  readonly style: 'a' | 'b' | 'c'
  readonly name: string
  readonly fill: (form: Locator) => Promise<void>
}

/**
 * Adds a step as an author does: pastes its URLs on the provider's site, and the provider's link into the
 * form.
 */
async function addStep(page: Page, { style, name, fill }: Made): Promise<void> {
  const { providers } = at()
  await page.getByRole('button', { name: 'Add step' }).click()
  const dialog = page.getByRole('dialog', { name: 'New step' })
  await dialog.getByRole('radio', { name: `Fake ${style.toUpperCase()}` }).check()
  const pasted = (await dialog.locator('.secret code').textContent()) ?? ''
  const link = `link-${style}-${pasted.slice(-30).replace(/\W/g, '')}`
  if (style === 'b') providers.postbacks.set(link, pasted)
  else providers.destinations.set(link, pasted)
  await dialog.getByLabel('Name', { exact: true }).fill(`  ${name}\t`)
  await dialog
    .getByLabel('Link', { exact: true })
    .fill(` ${providers.url}/${style}/${style === 'b' ? 's?' : ''}${link}\n`)
  await fill(dialog)
  await dialog.getByRole('button', { name: 'Add step' }).click()
  await dialog.waitFor({ state: 'detached' })
}

const SECRET = 'publisher-token-of-style-a'
const previewOf = (page: Page) => page.frameLocator('iframe[title="Preview"]')

async function makeSystem(page: Page, owner: Owned['owner']): Promise<void> {
  await page.getByText('No ad systems yet').waitFor()
  await page.getByRole('button', { name: 'New ad system' }).click()
  const dialog = page.getByRole('dialog', { name: 'New ad system' })
  const create = dialog.getByRole('button', { name: 'Create' })
  await inspect(page, 'ads, new')
  const lasts = dialog.getByLabel('Key duration', { exact: true })
  await refuse(lasts, create, [
    ['', 'greater than 0'],
    ['0', 'greater than 0'],
    ['a day 🌷', 'greater than 0'],
  ])
  await lasts.fill(' 1,5 ')
  await refuse(dialog.getByLabel('Maximum duration', { exact: true }), create, [
    ['-3', 'greater than 0'],
    ['1', 'at least as long as the key duration'],
  ])
  await dialog.getByLabel('Maximum duration', { exact: true }).fill('10')
  await refuse(dialog.getByLabel('Maximum keys per visitor'), create, [
    ['', 'from 1 to 100'],
    ['101', 'from 1 to 100'],
    ['1.5', 'from 1 to 100'],
  ])
  await dialog.getByLabel('Maximum keys per visitor').fill('2')
  await refuse(dialog.getByLabel('Name'), create, [
    ['', '1 to 100 characters'],
    [' \t ', '1 to 100 characters'],
    [LONG, '1 to 100 characters'],
  ])
  await dialog.getByLabel('Name').fill(`  ${MIXED} `)
  await create.click()
  await page.getByRole('heading', { name: MIXED, level: 1 }).waitFor()
  const id = page.url().split('/').at(-1) ?? ''
  expect((await owner.get(`/v1/adsystems/${id}`)).body.system).toMatchObject({
    ...{ name: MIXED, key_duration: 129_600_000, max_duration: 864_000_000, max_keys: 2 },
  })
}

async function refuseWrongSteps(page: Page): Promise<void> {
  const { providers } = scene()
  await page.getByText('No steps yet').waitFor()
  await page.getByRole('button', { name: 'Add step' }).click()
  const step = page.getByRole('dialog', { name: 'New step' })
  const add = step.getByRole('button', { name: 'Add step' })
  await add.click()
  await step.getByText('Choose an ad network').waitFor()
  await step.getByRole('radio', { name: 'Fake A' }).check()
  await add.click()
  for (const words of ['This field is required', 'Paste the link from the ad network', '1 to 100 characters'])
    await step.getByText(words).first().waitFor()
  await step.getByLabel('Name', { exact: true }).fill(MIXED)
  await refuse(step.getByLabel('Value per 1,000 visits'), add, [
    ['-1', 'Enter an amount'],
    ['4.505', 'Enter an amount'],
    ['lots 🌷', 'Enter an amount'],
  ])
  await step.getByLabel('Value per 1,000 visits').fill(' 4,50 ')
  await refuse(step.getByLabel('Publisher token'), add, [
    ['', 'This field is required'],
    ['  ', 'This field is required'],
  ])
  await step.getByLabel('Link', { exact: true }).fill(`${providers.url}/a/x`)
  await refuse(step.getByLabel('Publisher token'), add, [['short', /./]])
  await step.getByLabel('Publisher token').fill('publisher-token-of-style-a')
  await refuse(step.getByLabel('Link', { exact: true }), add, [
    ['', 'Paste the link from the ad network'],
    ['garden مرحبا 🌷', /./],
    ['https://elsewhere.example.com/x', /./],
    ['ftp://127.0.0.1/x', /./],
  ])
  await step.getByLabel('Link', { exact: true }).fill(`${providers.url}/c/x`)
  await step.getByRole('radio', { name: 'Fake C' }).check()
  await refuse(step.getByLabel('Link id'), add, [
    ['', 'This field is required'],
    ['no spaces, please', /./],
  ])
  await step.getByRole('radio', { name: 'Fake A' }).check()
  await expect.poll(() => step.getByLabel('Publisher token').inputValue()).toBe('publisher-token-of-style-a')
  await inspect(page, 'ads, new step')
  await step.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Discard' }).click()
  await step.waitFor({ state: 'detached' })
}

async function addThreeSteps(page: Page): Promise<void> {
  const { providers } = at()
  await addStep(page, {
    style: 'a',
    name: 'Article',
    fill: (form) => form.getByLabel('Publisher token').fill(SECRET),
  })
  await addStep(page, {
    style: 'b',
    name: 'Tasks',
    fill: async (form) => {
      await form.getByLabel('API token').fill('interface-token-of-style-b')
      await form.getByLabel('Accept unsigned postbacks').check()
    },
  })
  const linkId = async (form: Locator) => {
    const link = await form.getByLabel('Link', { exact: true }).inputValue()
    await form.getByLabel('Link id').fill(link.trim().split('/').at(-1) ?? '')
  }
  await addStep(page, { style: 'c', name: MIXED, fill: linkId })
  await page.getByText('Tasks accepts unsigned postbacks').waitFor()
  const test = page.getByRole('region', { name: 'Test' })
  await test.getByText('All checks passed').waitFor()
  await test.getByText('Visitors are sent to Fake B.').waitFor()
  await test.getByText('Postbacks are unsigned').waitFor()
  providers.moods.provider_a = 'fails'
  await test.getByRole('button', { name: 'Run again' }).click()
  await test.getByText("Fake A isn't responding").waitFor()
  await inspect(page, 'ads, failed test')
  providers.moods.provider_a = 'works'
}

async function editArticle(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Edit Article' }).click()
  const edit = page.getByRole('dialog', { name: 'Edit step Article' })
  const masked = await edit.getByLabel('Publisher token').inputValue()
  expect(masked).toMatch(/^.{1,4}….{1,4}$/)
  expect(await page.content()).not.toContain(SECRET)
  await edit.getByLabel('If the network is down').selectOption({ label: MIXED })
  await edit.getByLabel('Name', { exact: true }).fill('Read an article')
  await edit.getByLabel('Value per 1,000 visits').fill('450.5')
  await edit.getByRole('button', { name: 'Save' }).click()
  await page.getByText(`fallback: ${MIXED}`).waitFor()
  await page.getByText('450.50 per 1,000 visits').waitFor()
}

async function reorder(page: Page): Promise<void> {
  expect(await steps(page)).toEqual(['Read an article', 'Tasks', MIXED])
  await page.getByRole('button', { name: 'Move Tasks down' }).click()
  await expect.poll(() => steps(page)).toEqual(['Read an article', MIXED, 'Tasks'])
  const rows = page.getByRole('list', { name: 'Steps' }).getByRole('listitem')
  // The steps move before the other data on the page is loaded again. Until then, they can't be dragged.
  const grip = (at: number) => rows.nth(at).locator('[draggable=true]')
  await grip(2).dragTo(rows.nth(0))
  await expect.poll(() => steps(page)).toEqual(['Tasks', 'Read an article', MIXED])
  await page.getByText('Tasks is now step 1').waitFor()
  await grip(0).dragTo(rows.nth(2))
  await expect.poll(() => steps(page)).toEqual(['Read an article', MIXED, 'Tasks'])
  await page.reload()
  await expect.poll(() => steps(page)).toEqual(['Read an article', MIXED, 'Tasks'])
  await expectHandleBesideText(page)
}

async function expectHandleBesideText(page: Page): Promise<void> {
  const row = page.getByRole('list', { name: 'Steps' }).getByRole('listitem').first()
  const wide = page.viewportSize() ?? expect.fail()
  await page.setViewportSize({ width: 360, height: 800 })
  const overlap = async () => {
    const handle = await row.locator('[draggable]').boundingBox()
    const words = await row.locator('.facts').first().boundingBox()
    return handle && words && handle.x + handle.width - words.x
  }
  await expect.poll(overlap).toBeLessThanOrEqual(0)
  await page.setViewportSize(wide)
}

async function chooseAddress(page: Page) {
  const other = await createSystem(at(), [])
  await other.owner.post(`/v1/adsystems/${other.id}/url`, { url: 'taken-garden' })
  const address = page.getByLabel('Custom URL')
  const save = page.getByRole('region', { name: 'Your page' }).getByRole('button', { name: 'Save' })
  await refuse(address, save, [
    ['ab', '3 to 32 letters'],
    ['garden 🌷', '3 to 32 letters'],
    ['حديقة', '3 to 32 letters'],
    ['verify', /./],
    ['TAKEN-garden', 'Another ad system already uses this URL'],
  ])
  await address.fill('  My-Garden ')
  await save.click()
  await page.getByText('/ads/My-Garden', { exact: false }).waitFor()
  return other
}

async function watchVisitors(page: Page, other: Awaited<ReturnType<typeof chooseAddress>>): Promise<void> {
  const { server } = scene()
  await previewOf(page).getByText('The Garden').first().waitFor()
  for (const part of [MIXED, 'Read an article', 'Fake B'])
    await previewOf(page).getByText(part).first().waitFor()

  const system = { ...other, url: `${server.url}/ads/My-Garden`, checkpoints: Array(3).fill(other) }
  for (const _ of [1, 2]) await earn(at(), system, newVisitor())
  const hurried = newVisitor()
  const out = await hurried.leave(await hurried.submit(await hurried.open(system.url), '/start'))
  await hurried.open(await hurried.watch(out))
  // The visits have moved the server's clock. If midnight were between it and the browser's, the chart would
  // have another day.
  await page.clock.setFixedTime(server.clock.now)
  await page.reload()
  const funnel = page.getByRole('region', { name: 'Funnel' })
  await funnel.getByRole('button', { name: 'Show as table' }).click()
  const cells = async (row: string) =>
    (await funnel.getByRole('row', { name: row }).getByRole('cell').allTextContents()).slice(0, 3)
  await expect.poll(() => cells('Read an article')).toEqual(['3', '2', '66.7%'])
  expect(await cells('Tasks')).toEqual(['2', '2', '100%'])
  const byDay = page.getByRole('region', { name: 'Visitors by day' })
  await byDay.getByText('Claimed a key: 2').waitFor()
  await byDay.getByLabel('Step').selectOption({ label: 'Read an article' })
  await byDay.getByText('Rejected: 1').waitFor()
  await byDay.getByRole('button', { name: '7 days' }).click()
  await byDay.getByRole('button', { name: 'Show as table' }).click()
  const networks = page.getByRole('region', { name: 'Ad networks' })
  const ofA = networks.getByRole('row', { name: 'Fake A' }).getByRole('cell')
  await expect.poll(() => ofA.allTextContents()).toEqual(['3', '2', '1', '33.3%', '0.90'])
  const days = byDay.getByRole('row')
  await expect.poll(() => days.count()).toBe(8)
  await expect.poll(() => days.last().getByRole('cell').allTextContents()).toEqual(['3', '2', '1'])
  await expect.poll(() => page.url()).toMatch(/period=7d/)
  await byDay.getByLabel('Step').selectOption({ label: 'All steps on Fake A' })
  await expect.poll(() => days.last().getByRole('cell').allTextContents()).toEqual(['2', '1'])
}

async function removeAll(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Remove Step a' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('No steps yet').waitFor()
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  const sure = page.getByRole('dialog', { name: 'Remove Mine?' })
  await sure.getByText('Keys already earned are kept').waitFor()
  await sure.getByRole('button', { name: 'Remove' }).click()
  await page.getByText('No ad systems yet').waitFor()
}

describe('the ads pages', () => {
  it('lead from an empty page to visitors who earn keys, and show the funnel', async () => {
    const owned = await createOwner(scene().server, {}, { name: 'Garden' })
    const { owner, project } = owned
    await owner.post(`/v1/projects/${project}/branding/edit`, { name: 'The Garden', accent: '#a02080' })
    const [page = expect.fail()] = await visit(owned)
    await makeSystem(page, owner)
    await refuseWrongSteps(page)
    await addThreeSteps(page)
    await editArticle(page)
    await reorder(page)
    await watchVisitors(page, await chooseAddress(page))
    await inspect(page, 'ads, system tables')
    await page.reload()
    await page.getByRole('region', { name: 'Visitors by day' }).getByText('Bypass attempts: 1').waitFor()
    await previewOf(page).getByText('The Garden').first().waitFor()
    await inspect(page, 'ads, system')
    await page.getByRole('link', { name: 'All ad systems' }).click()
    await page.getByText('2 keys earned').waitFor()
    await inspect(page, 'ads, list')
  })

  it('create the link at networks that have an API for it, and show why a link was rejected', async () => {
    const owned = await createOwner(scene().server)
    const { id } = await createSystem(at(), [], { name: 'Free keys' }, owned)
    const [page = expect.fail()] = await visit(owned, `/${id}`)
    await page.getByRole('button', { name: 'Add step' }).click()
    const step = page.getByRole('dialog', { name: 'New step' })
    await step.getByRole('radio', { name: 'Fake B' }).check()
    const create = step.getByRole('button', { name: 'Create link on Fake B' })
    await create.click()
    await step.getByText('This field is required').waitFor()
    await step.getByLabel('API token').fill('some-other-token-of-b')
    await step.getByLabel('Accept unsigned postbacks').check()
    await create.click()
    await step.getByText('The ad provider rejected the request').waitFor()
    await step.getByLabel('API token').fill('interface-token-of-style-b')
    await step.getByLabel('Ads', { exact: true }).selectOption({ label: 'Highest revenue' })
    await create.click()
    await step.getByText('Now paste the postback URL there').waitFor()
    await expect.poll(() => step.getByLabel('Link', { exact: true }).inputValue()).toContain('/b/s?')
    expect(at().providers.links.at(-1)).toMatchObject({ title: 'Free keys', tier_id: 3, number_of_tasks: 3 })
    await inspect(page, 'ads, created link')
    await step.getByLabel('Name', { exact: true }).fill('Tasks')
    await step.getByRole('button', { name: 'Add step' }).click()
    await page.getByRole('region', { name: 'Test' }).getByText('All checks passed').waitFor()
  })

  it('show each setting of a step as it is stored, and keep the masked secrets', async () => {
    scene()
    const owned = await createOwner(at().server)
    const provider_data = { link_id: 'mine', override: false, delete_token: true, check_ip: 'off' }
    const steps = ['a', { style: 'c', changes: { provider_data } }] as const
    const { id, checkpoints } = await createSystem(at(), steps, {}, owned)
    const [page = expect.fail()] = await visit(owned, `/${id}`)
    const form = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Edit Step c' }).click()
    await form.getByText('Advanced settings').click()
    expect(await form.getByLabel('Link ID').inputValue()).toBe('mine')
    expect(await form.getByLabel('Separate destination per visitor').isChecked()).toBe(false)
    expect(await form.getByLabel('Delete used tokens').isChecked()).toBe(true)
    expect(await form.getByLabel('Compare IP addresses').inputValue()).toBe('off')
    await page.keyboard.press('Escape')
    await form.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Edit Step a' }).click()
    expect(await form.getByLabel('Publisher token').inputValue()).toContain('…')
    await form.getByLabel('Name', { exact: true }).fill('Renamed')
    await form.getByRole('button', { name: 'Save' }).click()
    await form.waitFor({ state: 'detached' })
    const stored = await owned.owner.get(`/v1/adcheckpoints/${checkpoints[0]?.id}`)
    expect(stored.body.checkpoint).toMatchObject({ name: 'Renamed', provider_data: { param: 'hash' } })
  })

  it('show conflicts with another tab and missing permissions, and keep keys when a system is removed', async () => {
    const { server } = scene()
    const owned = await createOwner(server)
    const { owner } = owned
    const { id, checkpoints } = await createSystem(at(), ['a', 'c'], { name: 'Free keys' }, owned)
    const elsewhere = await createOwner(server)
    const [page = expect.fail(), tab = expect.fail()] = await visit(owned, `/${id}`, 2)

    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByLabel('Name').fill('Mine')
    await tab.getByRole('button', { name: 'Edit', exact: true }).click()
    await tab.getByLabel('Name').fill('Theirs')
    await tab.getByRole('button', { name: 'Save' }).last().click()
    await tab.getByRole('heading', { name: 'Theirs', level: 1 }).waitFor()
    // A tab that is reopened within five seconds shows cached data.
    await expect
      .poll(async () => {
        await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))")
        return page.getByText('Someone else edited this').isVisible()
      })
      .toBe(true)
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Mine')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Mine', level: 1 }).waitFor()

    await owner.post(`/v1/adcheckpoints/${checkpoints[1]?.id}/remove`)
    await tab.getByRole('button', { name: 'Move Step a down' }).click()
    await tab.getByRole('alert').first().waitFor()
    await expect.poll(() => steps(tab)).toEqual(['Step a'])

    await page.getByRole('button', { name: 'Edit Step a' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Kept')
    await changeRows(
      server,
      'members',
      { customer_id: owner.id },
      { role: 'custom', scopes: JSON.stringify(['projects:read', 'ads:read']) },
    )
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').getByText('ads:write').first().waitFor()
    await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('Kept')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.reload()
    const remove = page.getByRole('button', { name: 'Remove', exact: true })
    await expect.poll(() => remove.getAttribute('aria-disabled')).toBe('true')
    await expect.poll(() => page.locator('[draggable]').count()).toBe(0)
    await page.goto(`${server.url}/dashboard/#/projects/${elsewhere.project}/ads/${id}`)
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()

    const [again = expect.fail()] = await visit(owned, `/${id}`)
    await removeAll(again)
    expect((await owner.get('/v1/adsystems')).body).toMatchObject({ systems: [], total: 0 })
  })
})

describe('without any settings by the operator', () => {
  const preset = sceneOn(sqlite, { adProviders: readConfig({}).adProviders })

  it('networks are offered by name, each with the one URL to paste', async () => {
    const { server } = preset()
    server.clock.now = Date.now()
    const owned = await createOwner(server)
    const changes = { url: 'https://link-to.net/12345/free-keys' }
    const { id } = await createSystem(preset(), [{ style: 'a', changes }], { name: 'Free keys' }, owned)
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' })
    await signInAs(context, server, owned.owner.id)
    const page = await context.newPage()
    await page.goto(`${server.url}/dashboard/#/projects/${owned.project}/ads/${id}`)
    await page.getByRole('list', { name: 'Steps' }).getByText('Linkvertise', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Add step' }).click()
    const step = page.getByRole('dialog', { name: 'New step' })
    await step.getByRole('radio', { name: 'Work.ink' }).check()
    await step.getByText('?token={TOKEN}').waitFor()
    await step.getByRole('radio', { name: 'Linkvertise' }).check()
    await step.getByText('On Linkvertise, create a link with this URL').waitFor()
    await step.getByRole('radio', { name: 'LootLabs' }).check()
    await step.getByLabel('API token').fill('abcdefghijklmnopqrst')
    await step.getByRole('button', { name: 'Create link on LootLabs' }).click()
    await step.getByRole('alert').getByText('Enter the postback secret, or turn on').waitFor()
    await inspect(page, 'ads, networks by name')
    await context.close()
  })
})
