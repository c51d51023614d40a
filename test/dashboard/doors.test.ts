/** Tests the public pages in a real browser on a real server, by following each kind of link. */
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sendMails } from '../../packages/server/src/features/people/send-mails.ts'
import { hashPassword } from '../../packages/server/src/features/people/sign-in/passwords.ts'
import { listMemberships } from '../../packages/server/src/features/people/store/members.ts'
import { updatePerson } from '../../packages/server/src/features/people/store/people.ts'
import { openMailer } from '../../packages/server/src/platform/mail/mailer.ts'
import type { Owner, TestServer } from '../../packages/server/test/harness.ts'
import { type MailServer, startMailServer } from '../../packages/server/test/mail-server.ts'
import { browserOf } from '../../packages/server/test/people/browsers.ts'
import { createPerson } from '../../packages/server/test/people.ts'
import { signInAs } from '../sign-in.ts'
import { ownStage } from './stage.ts'

const PASSWORD = 'seven green bottles'
const DAY_MS = 86_400_000
const UNKNOWN = 'A'.repeat(43)

const stage = ownStage({ config: { signUp: 'open', adsCaptcha: 'pow' } })
const { browser } = stage
let server: TestServer
let mails: MailServer
let count = 0
const nextNumber = () => {
  count += 1
  return count
}

beforeAll(async () => {
  server = stage.server
  mails = await startMailServer()
})
/**
 * All requests come from the same IP address, so each test starts after the previous test's rate limits have
 * reset.
 */
beforeEach(() => {
  server.clock.now += DAY_MS
})
afterAll(async () => {
  await mails?.close()
})

describe('an invitation', () => {
  it('creates an account for a new user, with errors next to their fields', async () => {
    const { link } = await invite(await server.createCustomer({ email: 'garden@example.com' }))
    await withPage(async (page) => {
      await visit(page, link)
      await page.getByRole('heading', { name: 'Join garden@example.com' }).waitFor()
      await page.getByLabel('Your name').fill('New Helper')
      await password(page).fill('short')
      await press(page, 'Join')
      await page.getByText(/must have 12 to 128 characters/i).waitFor()
      await expect.poll(() => page.getByLabel('Your name').inputValue()).toBe('New Helper')
      await password(page).fill(PASSWORD)
      await press(page, 'Join')
      await isIn(page)
    })
  })

  it('can be accepted with the password of an existing user', async () => {
    const person = await createKnown()
    const { link } = await invite(await server.createCustomer(), person.email)
    await withPage(async (page) => {
      await visit(page, link)
      await password(page).fill('not my password')
      await press(page, 'Join')
      await page.getByText('Wrong email or password').waitFor()
      await password(page).fill(PASSWORD)
      await press(page, 'Join')
      await isIn(page)
    })
  })

  it('can be accepted by the signed-in user, and not by another', async () => {
    await withPage(async (page, context) => {
      const { email } = await signInAs(context, server)
      const [owner, other] = [await server.createCustomer(), await server.createCustomer()]
      await visit(page, (await invite(other)).link)
      await page.getByText(`You're signed in as ${email}`).waitFor()
      await page.goto('about:blank')
      await visit(page, (await invite(owner, email)).link)
      await press(page, 'Join')
      await isIn(page)
    })
  })
})

describe('a forgotten password', () => {
  it('can be reset with an emailed link', async () => {
    const person = await createKnown()
    await withPage(async (page) => {
      await page.goto(`${server.url}/dashboard/`)
      await page.getByRole('link', { name: 'Forgot your password?' }).click()
      await page.getByLabel('Email').fill(person.email)
      await press(page, 'Send link')
      await page.getByText(`an account for ${person.email}`).waitFor()
      await page.goto('about:blank')
      await visit(page, await mailedLink())
      await page.getByLabel('New password', { exact: true }).fill('eight green bottles')
      await press(page, 'Save and sign in')
      await isIn(page, "You're not a member of any account")
    })
  })
})

describe('a removed owner', () => {
  it('becomes an owner again with an emailed link', async () => {
    const owner = await server.createCustomer({ email: 'orchard@example.com' })
    const [removed, other] = [await createPerson(server, owner.id), await createPerson(server, owner.id)]
    const [seat] = await listMemberships(server.deps.db.read, removed.id)
    const by = await browserOf(server, other)
    expect((await by.post(`/v1/members/${seat?.id}/remove`)).status).toBe(200)
    await withPage(async (page) => {
      await visit(page, await mailedLink())
      await page.getByText('Your owner role in orchard@example.com').waitFor()
      await press(page, 'Restore my owner role')
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    })
    const [back] = await listMemberships(server.deps.db.read, removed.id)
    expect(back).toMatchObject({ customer_id: owner.id, role: 'owner' })
  })
})

describe('signing up', () => {
  it('solves the captcha, emails a link, and ends in the new account', async () => {
    await withPage(async (page) => {
      await page.goto(`${server.url}/dashboard/`)
      await page.getByRole('link', { name: 'Sign up' }).click()
      await page.getByLabel('Email').fill('fresh@example.com')
      await page.getByLabel('Your name').fill('Fresh Author')
      await password(page).fill(PASSWORD)
      await press(page, 'Sign up')
      await page.getByText('We sent a one-time link').waitFor()
      await page.goto('about:blank')
      await visit(page, await mailedLink())
      await press(page, 'Confirm')
      await isIn(page)
    })
  })
})

describe('a dead link', () => {
  it.each([
    ['set-up', 'scriptward admin setup-link'],
    ['invitation', 'Ask whoever invited you'],
    ['reset', 'Request a new one'],
    ['objection', 'An operator can create a new one'],
  ])('shows how to continue: %s', async (door, hint) => {
    await withPage(async (page) => {
      await page.goto(`${server.url}/dashboard/#/${door}/${UNKNOWN}`)
      await page.getByRole('heading', { name: 'This link has expired' }).waitFor()
      await page.getByText(hint).waitFor()
    })
  })

  it('is recognized as incomplete', async () => {
    await withPage(async (page) => {
      await page.goto(`${server.url}/dashboard/#/set-up/`)
      await page.getByText('This link is incomplete').waitFor()
    })
  })
})

async function withPage(
  act: (page: Page, context: BrowserContext) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> {
  const context = await browser.newContext(options)
  try {
    await act(await context.newPage(), context)
  } finally {
    await context.close()
  }
}

const password = (page: Page) => page.getByLabel('Password', { exact: true })
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const visit = (page: Page, link: string) => page.goto(`${server.url}/dashboard/${new URL(link).hash}`)

/** Expects a signed-in user and a URL without traces of the link. */
async function isIn(page: Page, heading = 'Projects'): Promise<void> {
  await page.getByRole('heading', { name: heading }).waitFor()
  expect(new URL(page.url()).hash).toBe('#/')
}

async function invite(owner: Owner, email = `invited-${nextNumber()}@example.com`) {
  const answer = await owner.post('/v1/members/invite', { email, role: 'support' })
  return { link: answer.string('link'), email }
}

async function createKnown() {
  const { deps } = server
  const person = await createPerson(server)
  const password_hash = String(await hashPassword(deps, PASSWORD, '127.0.0.1'))
  await deps.db.transaction((tx) => updatePerson(tx, person.id, { password_hash }))
  return person
}

/** Returns the link from the last email. */
async function mailedLink(): Promise<string> {
  const worker = sendMails(server.deps, openMailer(mails.url, 'ward@example.com'))
  while (await worker.run(AbortSignal.timeout(30_000)));
  const text = mails.received.splice(0).at(-1)?.text.replaceAll('=\n', '') ?? ''
  return /http\S+#\/[a-z-]+\/[\w-]{43}/.exec(text)?.[0] ?? ''
}
