/**
 * Tests the project settings in a real browser: settings and branding persist, and errors appear next to
 * their fields.
 */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { isChecked } from '../../packages/server/src/features/projects/key-formats.ts'
import { png } from '../../packages/server/test/images.ts'
import { createOwner, createScript, type Owned } from '../../packages/server/test/nouns.ts'
import { picture } from '../browser.ts'
import { signInAs } from '../sign-in.ts'
import { meetFailures, meetMissingRight, refuse, setScopes } from './failing.ts'
import { MIXED, panel } from './forms.ts'
import { sharedStage } from './stage.ts'
import { button } from './users-steps.ts'

const FORMAT = 'HUB-XXXXX-XXXXX-XXXXX-XXXXX-X'
const HOUR = 3_600_000

const stage = sharedStage()

async function visit({ owner, project }: Owned, look = {}): Promise<Page> {
  const context = await stage.browser.newContext({ viewport: { width: 1280, height: 900 }, ...look })
  await signInAs(context, stage.server, owner.id)
  const page = await context.newPage()
  await page.goto(`${stage.server.url}/dashboard/#/projects/${project}/settings`)
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
  return page
}

const read = async ({ owner, project }: Owned) =>
  (await owner.get(`/v1/projects/${project}`)).body.project as Record<string, unknown>
const readBranding = async ({ owner, project }: Owned) =>
  (await owner.get(`/v1/projects/${project}/branding`)).body.branding
const link = (page: Page) => page.getByLabel('Support link')
const cooldown = (page: Page) => page.getByLabel('Hours between resets')
const brand = (page: Page) => panel(page, 'Branding')
const logo = (name: string, mimeType: string, buffer: Buffer) => ({ name, mimeType, buffer })

describe('the settings of a project', () => {
  it('are listed by section in wide windows, and a section is reached with one click', async () => {
    const page = await visit(await createOwner(stage.server))
    const sections = page.getByRole('navigation', { name: 'Sections' })
    await sections.getByRole('button', { name: 'Branding' }).click()
    await expect
      .poll(() =>
        brand(page)
          .boundingBox()
          .then((box) => box && box.y < 200),
      )
      .toBe(true)
    await page.setViewportSize({ width: 1000, height: 900 })
    await sections.waitFor({ state: 'hidden' })
  })
})

describe('the key format of a project', () => {
  it('shows an example or an error while typing, is saved, and can be removed', async () => {
    const owned = await createOwner(stage.server)
    const page = await visit(owned)
    const field = page.getByLabel('Key format')
    const users = panel(page, 'Users')
    for (const [typed, words] of [
      ['hub-xxxxx', '16 more X'],
      ['ABCDEFGHIJKLM-XXXXX', 'up to 12 letters'],
      ['HUB-XXXXY', 'groups of X'],
      [`HUB-${'X'.repeat(33)}`, 'at most 32 times'],
      ['X'.repeat(32), 'Add a prefix'],
    ] as const) {
      await field.fill(typed)
      await users.getByText(words).waitFor()
    }
    await button(page, 'Save').click()
    await users.getByText('must have a prefix or be divided into groups').waitFor()
    await field.fill(' hub-xxxxx-xxxxx-xxxxx-xxxxx-x ')
    const example = (await users.locator('code').textContent()) ?? ''
    expect([example, isChecked(FORMAT, example)]).toEqual([example, true])
    await button(page, 'Save').click()
    await page.getByText('Settings saved').waitFor()
    expect(await read(owned)).toMatchObject({ key_format: FORMAT })
    await field.fill('')
    await expect.poll(() => users.locator('code').count()).toBe(0)
    await button(page, 'Save').click()
    await expect.poll(async () => (await read(owned)).key_format).toBeNull()
  })
})

describe('the settings of a project', () => {
  it('persist after a reload, and keep changes from another tab', async () => {
    const owned = await createOwner(stage.server)
    const page = await visit(owned)
    await link(page).fill('  https://shop.example.com/help ')
    await cooldown(page).fill('1,5')
    await page.getByLabel('Days before a key expires').fill('0.5')
    await page.getByLabel('Allow customers to reset their device').uncheck()
    await page.getByLabel('Remove expired users').check()
    await owned.owner.post(`/v1/projects/${owned.project}/edit`, { require_chat: true })
    await page.getByText('You have unsaved changes.').waitFor()
    await button(page, 'Save').click()
    await page.getByText('Settings saved').waitFor()
    expect(await read(owned)).toMatchObject({
      support_url: 'https://shop.example.com/help',
      fingerprint_reset_cooldown: 1.5 * HOUR,
      expiring_lead: 12 * HOUR,
      allow_fingerprint_resets: false,
      delete_expired_users: true,
      require_chat: true,
    })
    await page.reload()
    await expect.poll(() => cooldown(page).inputValue()).toBe('1.5')
    await expect.poll(() => page.getByLabel('Require a linked Discord account').isChecked()).toBe(true)
    await expect.poll(() => page.getByLabel('Allow customers to reset their device').isChecked()).toBe(false)
    await expect.poll(() => button(page, 'Save').count()).toBe(0)
  })

  it('show errors next to the field, and keep the other input', async () => {
    const owned = await createOwner(stage.server)
    const page = await visit(owned)
    await page.getByLabel('Remove expired users').check()
    const save = button(page, 'Save')
    const hours = ['', 'soon', '-1', '1e9'].map((typed) => [typed, 'Enter a number of hours'] as const)
    await refuse(cooldown(page), save, hours)
    await cooldown(page).fill('24')
    await refuse(panel(page, 'General').getByLabel('Name'), save, [
      ['  ', 'Enter a name for the project.'],
      ['n'.repeat(101), /100 characters/],
    ])
    await panel(page, 'General').getByLabel('Name').fill('Project')
    await refuse(link(page), save, [
      ['garden', /http/],
      ['javascript:alert(1)', /http/],
      [`https://example.com/${'x'.repeat(200)}`, 'at most 200 characters'],
    ])
    await expect.poll(() => page.getByLabel('Remove expired users').isChecked()).toBe(true)
    expect(await read(owned)).toMatchObject({ delete_expired_users: false, support_url: null })
  })

  it('keep the input if saving fails', async () => {
    const owned = await createOwner(stage.server)
    const page = await visit(owned)
    await link(page).fill('https://example.com/help')
    await page.getByLabel('Remove expired users').check()
    const form = {
      page,
      place: page.locator('main form').first(),
      submit: () => button(page, 'Save').click(),
    }
    await meetFailures(form)
    await meetMissingRight(form, 'projects:write', () =>
      setScopes(stage.server, owned.owner.id, ['projects:read']),
    )
  })
})

describe('the branding of a project', () => {
  it('is previewed while typing, saved, and persists', async () => {
    const owned = await createOwner(stage.server)
    const script = await createScript(owned.owner, owned.project, { name: 'Night shift' })
    await createScript(owned.owner, owned.project, { name: 'Hidden one' })
    const page = await visit(owned)
    await brand(page).getByLabel('Name', { exact: true }).fill(` ${MIXED} `)
    await page.getByLabel('Accent color').fill('#c2185b')
    await page.locator('input[type=file]').setInputFiles(logo('logo.png', 'image/png', png(96, 64)))
    await page.getByRole('img', { name: 'Your logo' }).waitFor()
    await button(page, 'Add link').click()
    await page.getByLabel('Title').fill('Our shop')
    await page.getByLabel('URL (https)').fill(' https://shop.example.com/ ')
    await page.getByLabel('Only selected scripts').check()
    await page.getByLabel('Night shift').check()
    const preview = page.frameLocator('iframe[title="Preview"]')
    await preview.getByText(MIXED).first().waitFor()
    await preview.getByRole('link', { name: 'Our shop' }).waitFor()
    expect(await readBranding(owned)).toMatchObject({ name: null, links: [] })
    await picture(page, 'settings-branding')
    await button(page, 'Save branding').click()
    await page.getByText('Branding saved').waitFor()
    expect(await readBranding(owned)).toMatchObject({
      name: MIXED,
      accent: '#c2185b',
      links: [{ title: 'Our shop', url: 'https://shop.example.com/' }],
      all_scripts: false,
      scripts: [script],
    })
    await page.reload()
    await expect.poll(() => page.getByLabel('Accent color').inputValue()).toBe('#c2185b')
    await page.getByRole('img', { name: 'Your logo' }).waitFor()
    await button(page, 'Remove logo').click()
    await button(page, 'Save branding').click()
    await expect.poll(async () => (await readBranding(owned)) as object).toMatchObject({ logo: null })
  })

  it('shows errors next to the field, and keeps the input', async () => {
    const owned = await createOwner(stage.server)
    const page = await visit(owned)
    const save = button(page, 'Save branding')
    await refuse(page.getByLabel('Accent color'), save, [
      ['red', 'Enter a color such as #1f5fd0'],
      ['#12', 'Enter a color such as #1f5fd0'],
    ])
    await page.getByLabel('Accent color').fill('')
    await refuse(brand(page).getByLabel('Name', { exact: true }), save, [['n'.repeat(101), /100 characters/]])
    await brand(page).getByLabel('Name', { exact: true }).fill('Garden')
    const file = page.locator('input[type=file]')
    await file.setInputFiles(logo('big.png', 'image/png', Buffer.alloc(65_537)))
    await page.getByRole('alert').filter({ hasText: 'Choose a logo of up to 64 KiB.' }).waitFor()
    await file.setInputFiles(logo('text.png', 'image/png', Buffer.from('no picture')))
    await button(page, 'Remove logo').waitFor()
    await save.click()
    await page.getByRole('alert').filter({ hasText: 'PNG' }).first().waitFor()
    await button(page, 'Remove logo').click()
    await button(page, 'Add link').click()
    await page.getByLabel('Title').fill('Shop')
    await refuse(page.getByLabel('URL (https)'), save, [['http://shop.example.com', /https/]])
    await expect.poll(() => brand(page).getByLabel('Name', { exact: true }).inputValue()).toBe('Garden')
    expect(await readBranding(owned)).toMatchObject({ name: null, logo: null, links: [] })
  })

  it('keeps the input if saving fails', async () => {
    const owned = await createOwner(stage.server)
    const page = await visit(owned)
    await brand(page).getByLabel('Name', { exact: true }).fill(MIXED)
    await page.frameLocator('iframe[title="Preview"]').getByText(MIXED).first().waitFor()
    const form = { page, place: brand(page), submit: () => button(page, 'Save branding').click() }
    await meetFailures(form)
    await meetMissingRight(form, 'projects:write', () =>
      setScopes(stage.server, owned.owner.id, ['projects:read']),
    )
  })
})
