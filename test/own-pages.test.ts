/**
 * Tests the profile and account pages in a real browser on a real server: everything can be changed, and
 * secrets are shown once. Screenshots go to the folder in SCREENSHOTS, if set.
 */
import { readFile } from 'node:fs/promises'
import { TOTP } from 'otpauth'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { startSignIn } from '../packages/server/src/features/people/sign-in/start-sign-in.ts'
import type { Owner, TestServer } from '../packages/server/test/harness.ts'
import { createPerson, headersOf, isSignedIn, type Seat } from '../packages/server/test/people.ts'
import { addAuthenticator } from './authenticator.ts'
import { picture } from './browser.ts'
import { copied } from './copied.ts'
import { inspect } from './dashboard/inspect.ts'
import { sharedStage } from './dashboard/stage.ts'

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0'
const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1'
const CHROME =
  'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
const PASSWORD = 'correct battery horse staple'
const stage = sharedStage()
const { browser } = stage
let server: TestServer
let visits = 0
const origin = () => `http://localhost:${server.deps.config.port}`

beforeAll(() => {
  server = stage.server
})

type Visit = { readonly page: Page; readonly owner: Owner; readonly others: readonly Headers[] }
type Headers = Record<string, string>

/** Creates a user with this role and signs in as that user, in the test's browser and in two others. */
async function visit(
  room: string,
  seat: Seat = { role: 'owner' },
  look: BrowserContextOptions = {},
): Promise<Visit> {
  const now = Date.now()
  visits += 1
  const owner = await server.createCustomer({
    email: `studio-nord-${visits}@example.org`,
    tier: 2,
    plan_expires: now + 20 * 86_400_000,
  })
  const person = await createPerson(server, owner.id, seat)
  const enter = (agent: string, address: string, minutesAgo: number) => {
    server.clock.now = now - minutesAgo * 60_000
    return server.deps.db.transaction((tx) =>
      startSignIn(server.deps, tx, person, { address, browser: agent }),
    )
  }
  const others = [
    headersOf(await enter(FIREFOX, '198.51.100.20', 300)),
    headersOf(await enter(SAFARI, '2001:db8:7:9::1', 52)),
  ]
  const { cookie = '', 'x-scriptward-csrf': csrf = '' } = headersOf(await enter(CHROME, '203.0.113.7', 0))
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...look })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: origin() })
  await context.addCookies([
    { name: 'scriptward', value: cookie.slice(cookie.indexOf('=') + 1), url: origin(), httpOnly: true },
    { name: 'scriptward-csrf', value: csrf, url: origin() },
  ])
  const page = await context.newPage()
  await addAuthenticator(page)
  await page.goto(`${origin()}/dashboard/#/${room}`)
  return { page, owner, others }
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const panel = (page: Page, title: string) =>
  page.locator('section', { has: page.getByRole('heading', { name: title }) })
const dialog = (page: Page) => page.getByRole('dialog').last()

async function setPassword(page: Page, name: string, password = PASSWORD): Promise<void> {
  await button(page, name).click()
  await page.getByLabel('New password').fill(password)
  await dialog(page).getByRole('button', { name }).click()
}

async function addApp(page: Page): Promise<string> {
  await button(page, 'Add an authenticator app').click()
  await page.getByRole('img', { name: /QR code/ }).waitFor()
  const secret = ((await dialog(page).locator('.secret code').textContent()) ?? '').replaceAll(' ', '')
  await page
    .getByLabel('Code from the app')
    .fill(new TOTP({ secret }).generate({ timestamp: server.clock.now }))
  await button(page, 'Turn on').click()
  await page.getByRole('heading', { name: 'Your backup codes' }).waitFor()
  await page.locator('h2:focus').filter({ hasText: 'Your backup codes' }).waitFor()
  return secret
}

async function addPasskey(page: Page, name: string): Promise<void> {
  await button(page, 'Add a passkey').click()
  await page.getByLabel('Passkey name').fill(name)
  await button(page, 'Continue').click()
  await page.getByRole('listitem').filter({ hasText: name }).waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

describe('the profile', () => {
  it('saves a new name and email address', async () => {
    const { page } = await visit('profile')
    await button(page, 'Change email').click()
    await page.getByRole('textbox', { name: 'Email' }).fill(`ada.${server.deps.now()}@example.org`)
    await dialog(page).getByRole('button', { name: 'Change email' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await panel(page, 'About you').getByText('@example.org').waitFor()
    await page.getByLabel('Your name').fill('Ada Byron')
    await button(page, 'Save').click()
    await panel(page, 'About you').getByText('Saved').waitFor()
    await page.reload()
    await panel(page, 'About you').getByText('@example.org').waitFor()
    await expect.poll(() => page.getByLabel('Your name').inputValue()).toBe('Ada Byron')
    await page.context().close()
  })

  it('shows why a password is rejected, keeps the input, and ends other sessions', async () => {
    const { page, others } = await visit('profile')
    await setPassword(page, 'Set a password', 'too short')
    await dialog(page).getByRole('alert').waitFor()
    await expect.poll(() => page.getByLabel('New password').inputValue()).toBe('too short')
    await page.getByLabel('New password').fill(PASSWORD)
    await dialog(page).getByRole('button', { name: 'Set a password' }).click()
    await page.getByText('Password changed.').waitFor()
    for (const headers of others) expect(await isSignedIn(server, headers)).toBe(false)
    await page.context().close()
  })

  it('enables 2FA with backup codes to copy and save, and disables it after confirming the identity', async () => {
    const { page } = await visit('profile')
    await setPassword(page, 'Set a password')
    await addApp(page)
    const codes = await page.locator('.codes code').allInnerTexts()
    expect(codes).toHaveLength(10)
    expect(await copied(page, button(page, 'Copy all'))).toBe(codes.join('\n'))
    const saved = page.waitForEvent('download')
    await button(page, 'Download').click()
    expect(await readFile(await (await saved).path(), 'utf8')).toContain(codes.join('\n'))
    await button(page, "I've saved them").click()
    await expect.poll(() => page.locator('.codes').count()).toBe(0)
    await button(page, 'Generate new codes').click()
    await dialog(page).getByRole('button', { name: 'Generate new codes' }).click()
    await page.locator('h2:focus').filter({ hasText: 'Your backup codes' }).waitFor()
    await expect.poll(() => page.locator('.codes code').allTextContents()).not.toContain(codes[0])
    server.clock.now += 11 * 60_000
    await button(page, 'Turn off').click()
    await dialog(page).getByRole('button', { name: 'Turn off' }).click()
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await button(page, 'Confirm').click()
    await button(page, 'Add an authenticator app').waitFor()
    await page.context().close()
  })

  it('adds, renames and removes passkeys', async () => {
    const { page } = await visit('profile')
    await setPassword(page, 'Set a password')
    await addPasskey(page, 'Laptop')
    await inspect(page, 'the profile with a passkey')
    await button(page, 'Add a passkey').click()
    await page.getByLabel('Passkey name').fill('Again')
    await button(page, 'Continue').click()
    await dialog(page).getByText('This device already has a passkey for your login.').waitFor()
    await button(page, 'Cancel').click()
    await button(page, 'Discard').click()
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Add a passkey')
    await button(page, 'Rename “Laptop”').click()
    await page.getByLabel('Passkey name').fill('Work laptop')
    await dialog(page).getByRole('button', { name: 'Rename' }).click()
    await button(page, 'Remove “Work laptop”').click()
    await dialog(page).getByRole('button', { name: 'Remove' }).click()
    await page.getByText('No passkeys yet.').waitFor()
    await page.context().close()
  })

  it('ends one other session, and then all others', async () => {
    const { page, others } = await visit('profile')
    await page.getByRole('listitem').filter({ hasText: 'this browser' }).waitFor()
    await button(page, 'Sign out “Firefox on Windows”').click()
    await button(page, 'Sign out “Firefox on Windows”').waitFor({ state: 'detached' })
    expect(await Promise.all(others.map((headers) => isSignedIn(server, headers)))).toEqual([false, true])
    await button(page, 'Sign out everywhere else').click()
    await page.getByText('You were signed out everywhere else.').waitFor()
    expect(await Promise.all(others.map((headers) => isSignedIn(server, headers)))).toEqual([false, false])
    await page.context().close()
  })
})

describe('the account', () => {
  it('shows how much of its tier is used, and marks that tier', async () => {
    const { page, owner } = await visit('account/tier')
    const { name, max_projects } = (await owner.get('/v1/tiers/2')).body.tier as Record<string, unknown>
    const used = page.getByRole('progressbar', { name: 'Projects' })
    await expect.poll(() => used.getAttribute('max')).toBe(String(max_projects))
    await page.getByText(`0 of ${max_projects}`, { exact: true }).waitFor()
    await page.getByRole('row', { name: new RegExp(`^${name} Your tier`) }).waitFor()
    await page.context().close()
  })

  it('shows a new API key once, and the old one stays valid for the chosen time', async () => {
    const { page, owner } = await visit('account/api')
    await button(page, 'Replace API key').click()
    await page.getByLabel('24 hours').check()
    await button(page, 'Replace').click()
    await page.locator('h3:focus').filter({ hasText: 'Your new API key' }).waitFor()
    const key = (await panel(page, 'API key').first().locator('.secret code').textContent()) ?? ''
    expect((await server.client(key).get('/v1/account')).status).toBe(200)
    expect((await owner.get('/v1/account')).status).toBe(200)
    await button(page, 'Done').click()
    await expect.poll(() => page.getByText(key).count()).toBe(0)
    await page.context().close()
  })

  it('disables and enables the URLs that contain the key', async () => {
    const { page, owner } = await visit('account/api')
    await button(page, 'Turn off legacy URLs').click()
    await dialog(page).getByRole('button', { name: 'Turn off legacy URLs' }).click()
    await button(page, 'Turn on legacy URLs').waitFor()
    expect((await owner.get(`/customers/${owner.apiKey}`)).status).not.toBe(200)
    await button(page, 'Turn on legacy URLs').click()
    await button(page, 'Turn off legacy URLs').waitFor()
    expect((await owner.get(`/customers/${owner.apiKey}`)).status).toBe(200)
    await page.context().close()
  })

  it('can be left by a member, and not by its only owner', async () => {
    const { page: alone } = await visit('account/danger')
    await expect.poll(() => button(alone, 'Leave').getAttribute('aria-disabled')).toBe('true')
    await button(alone, 'Leave').focus()
    await alone
      .getByRole('tooltip')
      .filter({ hasText: /Make another member an owner first/ })
      .waitFor()
    await alone.context().close()
    const { page } = await visit('account/danger', { role: 'reader' })
    await button(page, 'Leave').click()
    await dialog(page).getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('heading', { name: "You're not a member of any account" }).waitFor()
    await page.context().close()
  })

  it('names the permission that is missing for the key and its URLs, also in a narrow window', async () => {
    const narrow = { viewport: { width: 360, height: 800 } }
    const { page } = await visit('account/api', { role: 'reader' }, narrow)
    for (const name of ['Replace API key', 'Turn off legacy URLs']) {
      await button(page, name).focus()
      await expect.poll(() => button(page, name).getAttribute('aria-disabled')).toBe('true')
      const tip = page.getByRole('tooltip').filter({ hasText: 'account:write', visible: true }).first()
      await tip.waitFor()
      const { x = -1, width = 0 } = (await tip.boundingBox()) ?? {}
      expect(x).toBeGreaterThanOrEqual(0)
      expect(x + width).toBeLessThanOrEqual(360)
      await picture(page, 'account-reader-tip')
    }
    await page.context().close()
  })
})
