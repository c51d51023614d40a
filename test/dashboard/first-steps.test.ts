/**
 * Tests signing in to the dashboard in a real browser, by setup link and by password, and the data that the
 * browser stores.
 */
import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeSetUpLink } from '../../packages/server/src/features/people/sign-in/set-up.ts'
import type { TestServer } from '../../packages/server/test/harness.ts'
import { picture } from '../browser.ts'
import { signInAs } from '../sign-in.ts'
import { sharedStage } from './stage.ts'

const PASSWORD = 'seven green bottles'

const stage = sharedStage()
const { browser } = stage
let server: TestServer

beforeAll(() => {
  server = stage.server
})

async function open(
  fragment = '',
  before?: (context: BrowserContext) => Promise<unknown>,
): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1100, height: 800 } })
  await before?.(context)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.url })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on(
    'console',
    (message) => void (/Content Security Policy/.test(message.text()) && complaints.push(message.text())),
  )
  await page.goto(`${server.url}/dashboard/${fragment}`)
  return { page, complaints }
}

/** Opens the dashboard as the owner of this account. */
function openAs(customerId: string, fragment = '') {
  return open(fragment, (context) => signInAs(context, server, customerId))
}

async function setUpLink(account: string): Promise<URL> {
  const link = await makeSetUpLink(server.deps, account)
  if (typeof link !== 'string') throw new Error(link.reason)
  return new URL(link)
}

describe('the dashboard', () => {
  it('signs in with the setup link, and the secret leaves the URL', async () => {
    const owner = await server.createCustomer({ email: 'shop@example.com' })
    const link = await setUpLink(owner.id)
    const { page, complaints } = await open(link.hash)
    await page.getByText('owner of shop@example.com').waitFor()
    await page.getByLabel('Email').fill('first@example.com')
    await page.getByLabel('Your name').fill('First Owner')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
    expect(new URL(page.url()).hash).toBe('#/')
    await page.getByRole('complementary').getByText('First Owner').waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Email').fill('first@example.com')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
    await page.goto('about:blank')
    await page.goto(`${server.url}/dashboard/${link.hash}`)
    await page.getByRole('heading', { name: 'This link has expired' }).waitFor()
    expect(complaints).toEqual([])
  })

  it('stores no secret where scripts could read it', async () => {
    const owner = await server.createCustomer()
    const { page } = await openAs(owner.id)
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
    const kept = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    )
    expect(kept).toMatch(/^\[\{\},\{\},"scriptward-csrf=[\w-]+"\]$/)
  })

  it('rejects a wrong password, and keeps the email address', async () => {
    const { page } = await open()
    await page.getByLabel('Email').fill('stranger@example.com')
    await page.getByLabel('Password', { exact: true }).fill('wrong password here')
    await picture(page, 'sign-in')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('Wrong email or password.').waitFor()
    await expect.poll(() => page.getByLabel('Email').inputValue()).toBe('stranger@example.com')
  })
})
