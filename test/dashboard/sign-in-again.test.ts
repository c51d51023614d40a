/**
 * Tests sessions that expire while a page is open: users sign in again in a dialog, and the page keeps its
 * state.
 */
import { createRequire } from 'node:module'
import path from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { SIGN_IN_IDLE_MS } from '../../packages/server/src/features/access/callers.ts'
import { hashPassword } from '../../packages/server/src/features/people/sign-in/passwords.ts'
import { insertMember } from '../../packages/server/src/features/people/store/members.ts'
import { updatePerson } from '../../packages/server/src/features/people/store/people.ts'
import type { PersonRow } from '../../packages/server/src/features/people/store/sign-ins.ts'
import { createOwner, createUser, type Owned } from '../../packages/server/test/nouns.ts'
import { browserOf } from '../../packages/server/test/people/browsers.ts'
import { createPerson } from '../../packages/server/test/people.ts'
import { rowsOf } from '../../packages/server/test/stored.ts'
import { addAuthenticator } from '../authenticator.ts'
import { signInAs } from '../sign-in.ts'
import { ownStage } from './stage.ts'
import { button, dialog } from './users-steps.ts'

const SERVER = createRequire(path.resolve(import.meta.dirname, '../../packages/server/package.json'))
const { Secret, TOTP } = SERVER('otpauth') as typeof import('otpauth')
const PASSWORD = 'four plain words together'
const stage = ownStage()

type Visit = { readonly page: Page; readonly person: PersonRow; readonly owned: Owned }

async function open(query = ''): Promise<Visit> {
  const owned = await createOwner(stage.server)
  await createUser(owned.owner, owned.project, { note: 'first' })
  const context = await stage.browser.newContext({ viewport: { width: 1280, height: 860 } })
  const person = await signInAs(context, stage.server, owned.owner.id)
  await givePassword(person)
  const page = await openPage(context, owned, query)
  return { page, person, owned }
}

async function openPage(context: BrowserContext, { project }: Owned, query = ''): Promise<Page> {
  const page = await context.newPage()
  await page.goto(`${stage.server.url}/dashboard/#/projects/${project}/users${query}`)
  await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor()
  return page
}

let password_hash: string
async function givePassword({ id }: PersonRow): Promise<void> {
  await stage.server.deps.db.transaction((tx) => updatePerson(tx, id, { password_hash }))
}

beforeAll(async () => {
  password_hash = String(await hashPassword(stage.server.deps, PASSWORD, '127.0.0.1'))
})

/** Lets all sessions expire by advancing the clock past their idle limit. */
function expire(): void {
  stage.server.clock.now += SIGN_IN_IDLE_MS
}

const again = (page: Page) => page.getByRole('dialog', { name: 'Sign in to Scriptward' })

async function signIn(page: Page, password = PASSWORD): Promise<void> {
  await again(page).getByLabel('Password', { exact: true }).fill(password)
  await button(page, 'Sign in').click()
}

async function typeNewKey(page: Page): Promise<void> {
  await button(page, 'New key').click()
  await dialog(page).getByLabel('Note', { exact: true }).fill('second')
}

/** Simulates a user who returns to the window. */
async function refocus(page: Page): Promise<void> {
  await page.evaluate(`['focus', 'visibilitychange'].forEach((name) => dispatchEvent(new Event(name)))`)
}

async function notesOf({ project }: Owned): Promise<(string | null)[]> {
  return (await rowsOf(stage.server, 'users', { project_id: project })).map(({ note }) => note).sort()
}

describe('after the session expired', () => {
  it('a form in an open dialog is sent once the user has signed in again', async () => {
    const { page, person, owned } = await open()
    await typeNewKey(page)
    expire()
    await button(page, 'Create key').click()
    await again(page).getByText('Your session expired.').waitFor()
    expect(await again(page).getByLabel('Email').inputValue()).toBe(person.email)
    expect(await notesOf(owned)).toEqual(['first'])
    await signIn(page)
    await again(page).waitFor({ state: 'detached' })
    await page.getByText('Key created', { exact: false }).first().waitFor()
    expect(await notesOf(owned)).toEqual(['first', 'second'])
  })

  it('one dialog opens for all requests of a background refresh, and a half-filled form keeps its input', async () => {
    const { page } = await open()
    await typeNewKey(page)
    expire()
    let refused = 0
    page.on('response', (answer) => {
      if (answer.status() === 401) refused += 1
    })
    // Data is refreshed only when it is older than a few seconds.
    const refresh = async () => {
      await refocus(page)
      return again(page).count()
    }
    await expect.poll(refresh, { timeout: 120_000 }).toBe(1)
    await expect.poll(() => refused).toBeGreaterThan(1)
    expect(await again(page).count()).toBe(1)
    await page.keyboard.press('Escape')
    await signIn(page)
    await again(page).waitFor({ state: 'detached' })
    expect(await dialog(page).getByLabel('Note', { exact: true }).inputValue()).toBe('second')
    await button(page, 'Create key').click()
    await page.getByText('Key created', { exact: false }).first().waitFor()
  })

  it('a wrong password is reported in the dialog, which stays', async () => {
    const { page, owned } = await open()
    await typeNewKey(page)
    expire()
    await button(page, 'Create key').click()
    await signIn(page, 'four other words together')
    await again(page).getByText('Wrong email or password.').waitFor()
    expect(await notesOf(owned)).toEqual(['first'])
    await signIn(page)
    await again(page).waitFor({ state: 'detached' })
    await expect.poll(() => notesOf(owned)).toEqual(['first', 'second'])
  })

  it('signing out in the dialog opens the sign-in page without data', async () => {
    const { page, owned } = await open()
    await typeNewKey(page)
    expire()
    await button(page, 'Create key').click()
    await again(page).getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { level: 1, name: 'Sign in to Scriptward' }).waitFor()
    expect(await notesOf(owned)).toEqual(['first'])
  })

  it('the dialog also opens when the browser has deleted its cookies', async () => {
    const { page, owned } = await open()
    await typeNewKey(page)
    await page.context().clearCookies()
    await button(page, 'Create key').click()
    await signIn(page)
    await again(page).waitFor({ state: 'detached' })
    await expect.poll(() => notesOf(owned)).toEqual(['first', 'second'])
  })

  it('users with 2FA enter a code', async () => {
    const { page, person, owned } = await open()
    const browser = await browserOf(stage.server, person)
    const secret = (await browser.post('/v1/auth/totp/begin')).string('secret')
    const totp = new TOTP({ secret: Secret.fromBase32(secret) })
    const code = () => totp.generate({ timestamp: stage.server.clock.now })
    await browser.post('/v1/auth/totp/finish', { code: code() })
    await typeNewKey(page)
    expire()
    await button(page, 'Create key').click()
    await signIn(page)
    await again(page).getByLabel('Code', { exact: true }).fill(code())
    await again(page).getByRole('button', { name: 'Verify' }).click()
    await again(page).waitFor({ state: 'detached' })
    await expect.poll(() => notesOf(owned)).toEqual(['first', 'second'])
  })

  it('users without a password sign in with their passkey', async () => {
    const context = await stage.browser.newContext()
    const person = await signInAs(context, stage.server)
    const origin = stage.server.url.replace('127.0.0.1', 'localhost')
    await context.addCookies(
      (await context.cookies()).map(({ name, value, httpOnly }) => ({ name, value, httpOnly, url: origin })),
    )
    const page = await context.newPage()
    await addAuthenticator(page)
    await page.goto(`${origin}/dashboard/#/profile`)
    await button(page, 'Add a passkey').click()
    await dialog(page).getByLabel('Passkey name').fill('Laptop')
    await dialog(page).getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Laptop', { exact: true }).waitFor()
    expire()
    await page.getByLabel('Your name').fill('Grace')
    await button(page, 'Save').first().click()
    await again(page).getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
    expect(await again(page).getByLabel('Password', { exact: true }).count()).toBe(0)
    await again(page).getByRole('button', { name: 'Sign in with a passkey' }).click()
    await again(page).waitFor({ state: 'detached' })
    const named = async () =>
      (await rowsOf(stage.server, 'people', { id: person.id })).map(({ name }) => name)
    await expect.poll(named).toEqual(['Grace'])
  })

  it('the page reloads if another user signs in', async () => {
    const { page, owned } = await open()
    const other = await createPerson(stage.server, owned.owner.id)
    await givePassword(other)
    await typeNewKey(page)
    expire()
    await button(page, 'Create key').click()
    await again(page).getByLabel('Email').fill(other.email)
    const loaded = page.waitForEvent('load')
    await signIn(page)
    await loaded
    await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor()
    expect(await notesOf(owned)).toEqual(['first'])
  })

  it('the page continues by itself once the user has signed in in another tab', async () => {
    const { page, owned } = await open()
    await typeNewKey(page)
    expire()
    await button(page, 'Create key').click()
    await again(page).waitFor()
    await refocus(page)
    const tab = await page.context().newPage()
    await tab.goto(`${stage.server.url}/dashboard/#/`)
    await tab.getByLabel('Email').fill(await again(page).getByLabel('Email').inputValue())
    await tab.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await button(tab, 'Sign in').click()
    await tab.getByRole('heading', { level: 1, name: 'Projects' }).waitFor()
    expect(await notesOf(owned)).toEqual(['first'])
    await refocus(page)
    await again(page).waitFor({ state: 'detached' })
    await expect.poll(() => notesOf(owned)).toEqual(['first', 'second'])
  })

  it('the account that was open is opened again', async () => {
    const { page, person, owned } = await open()
    const { server } = stage
    const second = await createOwner(server)
    await server.deps.db.transaction((tx) =>
      insertMember(tx, {
        id: `mem_${person.id.slice(4)}`,
        customer_id: second.owner.id,
        person_id: person.id,
        role: 'owner',
        scopes: '[]',
        projects: null,
        max_keys: null,
        created_at: server.clock.now,
      }),
    )
    await page.goto(`${server.url}/dashboard/#/`)
    await page.reload()
    const switched = page.waitForResponse('**/v1/auth/account')
    await page.getByRole('combobox', { name: 'Account', exact: true }).selectOption(second.owner.id)
    await switched
    await page.goto(`${server.url}/dashboard/#/projects/${second.project}/users`)
    await typeNewKey(page)
    expire()
    await button(page, 'Create key').click()
    await signIn(page)
    await again(page).waitFor({ state: 'detached' })
    await expect.poll(() => notesOf(second)).toEqual(['second'])
    expect(await notesOf(owned)).toEqual(['first'])
  })
})
