/**
 * Tests dashboard sign-in and permissions in a real browser with a real server process: from the setup link
 * to a team member with fewer permissions, and the audit log of all these steps. Secrets must never be stored
 * where a page, an extension or the history could reveal them.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { programOf } from '../../packages/server/test/programs.ts'
import { addAuthenticator } from '../authenticator.ts'
import { openWindows } from '../windows.ts'

const SERVER = createRequire(path.resolve(import.meta.dirname, '../../packages/server/package.json'))
const { Secret, TOTP } = SERVER('otpauth') as typeof import('otpauth')
/** Timeout for pages that hang. It is long enough for slow machines. */
const WHOLE = 600_000
/** Period of authenticator codes. */
const STEP_MS = 30_000

let folder: string
let service: ChildProcess
let origin: string
const browser = openWindows()

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'scriptward-access-'))
  service = spawn(process.execPath, [programOf('service'), 'serve'], { env: environment() })
  const port = await portOf(service)
  // Passkeys need a host name, not an IP address.
  origin = `http://localhost:${port}`
}, WHOLE)
afterAll(async () => {
  service?.kill('SIGTERM')
  if (service?.exitCode === null) await once(service, 'exit')
  rmSync(folder, { recursive: true, force: true })
})

const dataDir = () => path.join(folder, 'data')

function environment() {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  return { PATH, NODE_COMPILE_CACHE, SCRIPTWARD_PORT: '0', SCRIPTWARD_DATA_DIR: dataDir() }
}

async function portOf({ stdout, stderr }: ChildProcess): Promise<string> {
  let [said, complained] = ['', '']
  stderr?.on('data', (chunk) => (complained += String(chunk)))
  for await (const chunk of stdout as NodeJS.ReadableStream) {
    said += String(chunk)
    const port = /listens on \S+:(\d+)/.exec(said)?.[1]
    if (port !== undefined) return port
  }
  throw new Error(`the service did not start: ${complained}`)
}

async function verifyAudit(): Promise<{ code: unknown; said: string }> {
  const child = spawn(process.execPath, [programOf('service'), 'doctor', '--verify-audit'], {
    env: environment(),
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)))
  const [code] = await once(child, 'close')
  return { code, said }
}

/** Returns everything that a page can read from the browser, which must not include secrets. */
async function placesOf(page: Page): Promise<string> {
  return page.evaluate<string>(
    'JSON.stringify([location.href, { ...localStorage }, { ...sessionStorage }, document.cookie, history.state])',
  )
}

const SECRETS = /\b(?:sw|swt)_[A-Za-z0-9]{20,}|(?:set-up|invitation|reset)\/[\w-]{20,}/

async function expectNoSecrets(page: Page, ...others: string[]): Promise<void> {
  const places = await placesOf(page)
  expect(places).not.toMatch(SECRETS)
  for (const secret of others) expect(places).not.toContain(secret)
}

/** Returns the secret that a dialog shows once. */
async function secretIn(page: Page): Promise<string> {
  return (await page.locator('dialog[open]').locator('.secret code').first().textContent()) ?? ''
}

async function newPage(): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1100, height: 900 } })
  return context.newPage()
}

const PASSWORD = 'four plain words together'
const HELPER_PASSWORD = 'another four plain words'

describe('in a new account', { timeout: WHOLE }, () => {
  let page: Page
  let helper: Page
  const room = (name: string) => page.goto(`${origin}/dashboard/#/${name}`)
  const button = (on: Page | Locator, name: string | RegExp) => on.getByRole('button', { name, exact: true })
  // Each test continues where the previous test ended, so pages stay open.
  beforeAll(async () => {
    page = await newPage()
    helper = await newPage()
  })

  it('an owner sets up the account with the link, and the secret leaves the URL', async () => {
    const welcome = readFileSync(path.join(dataDir(), 'first-admin.txt'), 'utf8')
    const link = /#\/set-up\/[\w-]+/.exec(welcome)?.[0] ?? ''
    await page.goto(`${origin}/dashboard/${link}`)
    await page.getByLabel('Email').fill('ada@example.com')
    await page.getByLabel('Your name').fill('Ada')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await button(page, 'Create account').click()
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
    await expectNoSecrets(page, PASSWORD, link)
  })

  it('the owner enables 2FA, and the next login asks for a code', async () => {
    await room('profile')
    await button(page, 'Add an authenticator app').click()
    const secret = (await secretIn(page)).replaceAll(' ', '')
    const totp = new TOTP({ secret: Secret.fromBase32(secret) })
    await page.getByLabel('Code from the app').fill(totp.generate())
    await button(page, 'Turn on').click()
    await button(page, "I've saved them").click()
    await page.getByText('10 backup codes left.').waitFor()
    await expectNoSecrets(page, PASSWORD, secret)
    // Signing out reloads the page.
    const loaded = page.waitForEvent('load')
    await button(page, 'Sign out').click()
    await loaded
    await page.getByLabel('Email').fill('ada@example.com')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await button(page, 'Sign in').click()
    // Codes are single-use, so this uses the code of the next time step, which is already accepted.
    const code = totp.generate({ timestamp: Date.now() + STEP_MS })
    await page.getByLabel('Code', { exact: true }).fill(code)
    await button(page, 'Verify').click()
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
    await expectNoSecrets(page, PASSWORD, secret, code)
    await room('profile')
    await page.getByText('10 backup codes left.').waitFor()
  })

  it('the owner adds a passkey, and signs in with it without password and code', async () => {
    await addAuthenticator(page)
    await button(page, 'Add a passkey').click()
    await page.getByLabel('Passkey name').fill('Laptop')
    await button(page, 'Continue').click()
    await page.getByText('Laptop', { exact: true }).waitFor()
    // Signing out reloads the page.
    const loaded = page.waitForEvent('load')
    await button(page, 'Sign out').click()
    await loaded
    await button(page, 'Sign in with a passkey').click()
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
    await expectNoSecrets(page, PASSWORD)
  })

  it('the owner creates a project and a token, whose secret is shown once', async () => {
    await page.getByLabel('Name', { exact: true }).fill('Garden')
    await button(page, 'Create project').click()
    await page.waitForURL(/#\/projects\/prj_/)
    await room('tokens')
    await button(page, 'New token').click()
    await page.getByLabel('Name', { exact: true }).fill('CI')
    await page.getByLabel('View projects').check()
    await button(page, 'Create token').click()
    const secret = await secretIn(page)
    expect(secret).toMatch(/^swt_/)
    await button(page, 'Done').click()
    await expectNoSecrets(page, secret)
  })

  it('a team member joins by invitation, cannot remove a project, and reads why', async () => {
    await room('members')
    await button(page, 'Invite a team member').click()
    await page.getByLabel('Email').fill('sam@example.com')
    await page.getByLabel(/^Support/).check({ force: true })
    await button(page, 'Create invitation').click()
    const link = await secretIn(page)
    await button(page, 'Done').click()
    await helper.goto(`${origin}/dashboard/${link.slice(link.indexOf('#'))}`)
    await helper.getByLabel('Your name').fill('Sam')
    await helper.getByLabel('Password', { exact: true }).fill(HELPER_PASSWORD)
    await button(helper, 'Join').click()
    await helper.getByRole('link', { name: 'Garden' }).click()
    await helper.getByRole('link', { name: 'Settings' }).click()
    const remove = button(helper, 'Remove project')
    await remove.focus()
    await helper
      .getByRole('tooltip')
      .filter({ hasText: /projects:write/ })
      .filter({ visible: true })
      .waitFor()
    await expect.poll(() => remove.getAttribute('aria-disabled')).toBe('true')
    await remove.press('Enter')
    await expect.poll(() => helper.locator('dialog[open]').count()).toBe(0)
    await expectNoSecrets(helper, HELPER_PASSWORD, link)
  })

  it('the owner removes the project by typing its name, and finds everything in the audit log', async () => {
    await room('')
    await page.getByRole('link', { name: 'Garden' }).click()
    await page.getByRole('link', { name: 'Settings' }).click()
    await button(page, 'Remove project').click()
    const dialog = page.locator('dialog[open]')
    await dialog.getByLabel('Type Garden to confirm').fill('garden')
    await button(dialog, 'Remove project').click()
    await dialog.getByText("This doesn't match the project name.").waitFor()
    await dialog.getByLabel('Type Garden to confirm').fill('Garden')
    await button(dialog, 'Remove project').click()
    await button(page, 'Create project').waitFor()
    await room('audit')
    for (const words of [
      'Ada used a setup link to create a login',
      'Ada turned on 2FA',
      'Ada added passkey Laptop',
      'Ada signed in with a passkey',
      'Ada created project Garden',
      'Ada created token CI',
      'Ada invited sam@example.com as support',
      'Sam accepted an invitation',
      'Ada removed project Garden',
    ])
      await page.locator('details.entry summary', { hasText: words }).first().waitFor()
    await expectNoSecrets(page, PASSWORD)
  })

  it('an audit log entry that was changed in the database is detected', async () => {
    // The server's jobs also write. Without a timeout, a locked database causes an error.
    const database = new DatabaseSync(path.join(dataDir(), 'scriptward.db'), { timeout: WHOLE })
    const unchained = database.prepare('SELECT count(*) AS count FROM audit_entries WHERE n IS NULL')
    await expect.poll(() => unchained.get()?.count).toBe(0)
    expect(await verifyAudit()).toMatchObject({ code: 0 })
    const forged = database
      .prepare(`UPDATE audit_entries SET actor_name = 'eve@example.com' WHERE action = 'v1.projects.remove'`)
      .run()
    database.close()
    expect(forged.changes).toBe(1)
    const found = await verifyAudit()
    expect(found).toMatchObject({
      code: 1,
      said: expect.stringMatching(/number \d+, or the one before it was modified/),
    })
  })
})
