/** Tests the operator pages in a real browser: accounts, dashboard users, service tiers and system health. */
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorsText } from '../../packages/dashboard/src/messages/en/operators.ts'
import { type MailServer, startMailServer } from '../../packages/server/test/mail-server.ts'
import { createOwner, createTier } from '../../packages/server/test/nouns.ts'
import { browserOf } from '../../packages/server/test/people/browsers.ts'
import { createPerson } from '../../packages/server/test/people.ts'
import { idOfOperator, signInAs } from '../sign-in.ts'
import { meetFailures, refuse } from './failing.ts'
import { MIXED, pressIn } from './forms.ts'
import { ownStage } from './stage.ts'
import { button, dialog, row, submit } from './users-steps.ts'

/** The system page tests the mail server. */
const mailConfig = { url: '', from: 'Scriptward <ward@example.com>' }
const stage = ownStage({ config: { mail: mailConfig } })
let mails: MailServer
let page: Page
beforeAll(async () => {
  mails = await startMailServer()
  mailConfig.url = mails.url
  stage.server.clock.now = Date.now()
  page = await operator()
})

afterAll(() => mails.close())

async function operator(look = {}): Promise<Page> {
  const context = await stage.browser.newContext({ viewport: { width: 1280, height: 860 }, ...look })
  await signInAs(context, stage.server, await idOfOperator(stage.server))
  return context.newPage()
}

async function go(room: string, on = page): Promise<void> {
  await on.goto('about:blank')
  await on.goto(`${stage.server.url}/dashboard/#/operators/${room}`)
  await on.getByRole('heading', { level: 1 }).waitFor()
}

/** Finds a figure on the system page. */
const card = (title: string) =>
  page.locator('.figures > div').filter({ has: page.getByText(title, { exact: true }) })
const drawer = () => page.locator('dialog.drawer')
const emailOf = async (id: string) =>
  ((await stage.server.admin.get(`/v1/admin/customers/${id}`)).body.customer as { email: string }).email

async function openCustomer(id: string): Promise<string> {
  const email = await emailOf(id)
  await go(`customers?customer=${id}`)
  await drawer().getByRole('heading', { name: email }).waitFor()
  return email
}

describe('accounts', () => {
  it('are created with a working key that is shown only once', async () => {
    await go('customers?new=customer')
    const create = dialog(page).getByRole('button', { name: 'Create account' })
    const email = dialog(page).getByLabel('Email')
    const other = await stage.server.createCustomer()
    await refuse(email, create, [
      ['', 'Enter an email address.'],
      ['garden', /email/],
      [await emailOf(other.id), /already in use/],
    ])
    await email.fill(' new@example.com ')
    await dialog(page).getByLabel('On a date').check()
    await create.click()
    await dialog(page).getByText('Choose a date.').waitFor()
    await dialog(page).getByLabel('Last day').fill('2099-12-31')
    await meetFailures({ page, place: dialog(page), submit: () => create.click() })
    await create.click()
    await page.getByRole('heading', { name: 'new@example.com created' }).waitFor()
    const key = (await dialog(page).locator('.secret code').first().textContent()) ?? ''
    expect((await stage.server.client(key).get('/v1/account')).status).toBe(200)
    for (let press = 0; press < 3; press += 1) await page.keyboard.press('Escape')
    await expect.poll(() => dialog(page).getByText(key).isVisible()).toBe(true)
    await submit(page, 'Done')
    await page.getByRole('searchbox').fill('new@')
    await expect.poll(() => row(page, 'new@example.com').count()).toBe(1)
    await row(page, 'new@example.com').getByText('Active').waitFor()
    expect(await page.content()).not.toContain(key)
  })

  it('are limited by their service tier immediately', async () => {
    const { owner } = await createOwner(stage.server)
    const tier = await createTier(stage.server, { max_projects: 1 })
    await openCustomer(owner.id)
    const bonus = drawer().getByLabel('Bonus obfuscations left')
    const whole = ['', '-1', 'many', '1.5'].map(
      (typed) => [typed, 'Enter a whole number of 0 or more.'] as const,
    )
    await refuse(bonus, drawer().getByRole('button', { name: 'Save' }), whole)
    await bonus.fill('7')
    await drawer()
      .getByLabel('Tier')
      .selectOption({ label: `tier ${tier}` })
    await pressIn(drawer(), 'Save')
    await page.getByText('Changes saved').waitFor()
    const { customer } = (await stage.server.admin.get(`/v1/admin/customers/${owner.id}`)).body
    expect(customer).toMatchObject({ tier, bonus_obfuscations_left: 7 })
    expect((await owner.post('/v1/projects/new', { name: 'Second' })).error.type).toBe('max_projects_reached')
  })

  it('can be paused with a reason and reactivated', async () => {
    const { owner } = await createOwner(stage.server)
    await openCustomer(owner.id)
    await pressIn(drawer(), 'Block account')
    const reason = dialog(page).getByLabel('Reason')
    const blacklist = dialog(page).getByRole('button', { name: 'Block account', exact: true })
    await refuse(reason, blacklist, [['x'.repeat(256), 'at most 255 characters']])
    await reason.fill(MIXED)
    await meetFailures({ page, place: dialog(page), submit: () => blacklist.click() })
    await blacklist.click()
    await drawer().getByText(`Blocked: ${MIXED}`).waitFor()
    expect((await owner.get('/v1/projects')).status).toBe(403)
    await pressIn(drawer(), 'Unblock account')
    await drawer().getByText('Active', { exact: true }).waitFor()
    expect((await owner.get('/v1/projects')).status).toBe(200)
  })

  it('expire at the end of their last day', async () => {
    const { owner } = await createOwner(stage.server)
    await openCustomer(owner.id)
    await drawer().getByLabel('On a date').check()
    await drawer().getByLabel('Last day').fill('2020-01-31')
    await pressIn(drawer(), 'Save')
    await drawer().getByText('Expired').waitFor()
    expect((await owner.post('/v1/projects/new', { name: 'More' })).error.type).toBe('account_expired')
  })

  it('can get a new key, and are removed after their email address has been typed', async () => {
    const { owner } = await createOwner(stage.server)
    const email = await openCustomer(owner.id)
    await pressIn(drawer(), 'Replace API key')
    await submit(page, 'Replace API key')
    await page.getByRole('heading', { name: `API key for ${email}` }).waitFor()
    const key = (await dialog(page).locator('.secret code').first().textContent()) ?? ''
    expect((await owner.get('/v1/account')).status).toBe(401)
    expect((await stage.server.client(key).get('/v1/account')).status).toBe(200)
    await submit(page, 'Done')
    await pressIn(drawer(), 'Remove account')
    const remove = dialog(page).getByRole('button', { name: 'Remove account' })
    await refuse(dialog(page).getByLabel(`Type ${email} to confirm`), remove, [
      ['', "This doesn't match the account's email"],
      ['other@example.com', "This doesn't match the account's email"],
    ])
    await dialog(page).getByLabel(`Type ${email} to confirm`).fill(email)
    await remove.click()
    await page.getByText(`${email} removed`).waitFor()
    expect((await stage.server.admin.get(`/v1/admin/customers/${owner.id}`)).status).toBe(404)
  })
})

describe('dashboard users', () => {
  it('can be locked and unlocked, and get a password reset link', async () => {
    const { owner } = await createOwner(stage.server)
    const context = await stage.browser.newContext()
    const { email } = await signInAs(context, stage.server, owner.id)
    const theirs = await context.newPage()
    const visit = () => theirs.goto(`${stage.server.url}/dashboard/#/profile`)
    await visit()
    await theirs.getByRole('heading', { level: 1, name: 'Profile' }).waitFor()
    await go('customers?tab=people')
    await page.getByRole('searchbox').fill(email)
    const act = async (name: string) => {
      await page.getByRole('button', { name: new RegExp(email) }).click()
      await page.getByRole('menuitem', { name }).click()
    }
    await act('Disable')
    await submit(page, 'Disable')
    await page.getByText('Disabled', { exact: true }).waitFor()
    await theirs.reload()
    await theirs.getByLabel('Password', { exact: true }).waitFor()
    await act('Enable')
    await page.getByText(`${email} can sign in again`).waitFor()
    await act('Create password reset link')
    await submit(page, 'Create link')
    const link = (await dialog(page).locator('.secret code').first().textContent()) ?? ''
    await theirs.goto('about:blank')
    await theirs.goto(`${stage.server.url}/dashboard/${link.slice(link.indexOf('#'))}`)
    await theirs.getByLabel('New password', { exact: true }).waitFor()
    await submit(page, 'Done')
    await context.close()
  })

  it('get a link to restore a removed owner, or a reason if none was removed', async () => {
    const { owner } = await createOwner(stage.server)
    const { email } = await createPerson(stage.server, owner.id)
    const remover = await browserOf(stage.server, await createPerson(stage.server, owner.id))
    await go('customers?tab=people')
    await page.getByRole('searchbox').fill(email)
    const ask = async () => {
      await page.getByRole('button', { name: new RegExp(email) }).click()
      await page.getByRole('menuitem', { name: 'Create owner restore link' }).click()
      await submit(page, 'Create link')
    }
    await ask()
    await dialog(page).getByRole('alert').waitFor()
    await page.keyboard.press('Escape')
    const { members } = (await remover.get('/v1/members')).body as {
      members: { id: string; person: { email: string } }[]
    }
    const id = members.find(({ person }) => person.email === email)?.id
    expect((await remover.post(`/v1/members/${id}/remove`, {})).status).toBe(200)
    await ask()
    const link = (await dialog(page).locator('.secret code').first().textContent()) ?? ''
    expect(link).toMatch(/#\/objection\/[\w-]{43}$/)
    await submit(page, 'Done')
  })
})

describe('service tiers', () => {
  it('are created and edited with errors next to fields, and cannot be removed while in use', async () => {
    await go('tiers')
    await button(page, 'New tier').click()
    const save = dialog(page).getByRole('button', { name: 'Save' })
    await refuse(dialog(page).getByLabel('Name'), save, [
      ['', 'Enter a name.'],
      ['n'.repeat(101), /100 characters/],
    ])
    await dialog(page).getByLabel('Name').fill(MIXED)
    await refuse(dialog(page).getByLabel('Price'), save, [['free', 'Enter an amount of 0 or more.']])
    await dialog(page).getByLabel('Price').fill('4,5')
    await refuse(dialog(page).getByLabel('Projects', { exact: true }), save, [['-3', 'Enter a whole number']])
    await dialog(page).getByLabel('Projects', { exact: true }).fill('3')
    await meetFailures({ page, place: dialog(page), submit: () => save.click() })
    await save.click()
    await page.getByText(`${MIXED} saved`).waitFor()
    const { tiers } = (await stage.server.admin.get('/v1/admin/tiers')).body as {
      tiers: { id: number; name: string }[]
    }
    const made = tiers.find(({ name }) => name === MIXED)
    expect(made).toMatchObject({ price: 4.5, max_projects: 3, max_users: -1 })
    const customer = await stage.server.createCustomer({ tier: made?.id ?? -1 })
    const remove = async () => {
      await page.getByRole('button', { name: new RegExp(`^Actions.*${MIXED.slice(0, 2)}`, 'u') }).click()
      await page.getByRole('menuitem', { name: 'Remove' }).click()
      await submit(page, 'Remove')
    }
    await remove()
    await dialog(page).getByText('Accounts are using this tier. Move them to another tier first.').waitFor()
    await stage.server.admin.post(`/v1/admin/customers/${customer.id}/edit`, { tier: 0 })
    await submit(page, 'Remove')
    await page.getByText(`${MIXED} removed`).waitFor()
  })
})

describe('the system page', () => {
  it('shows health, queues, job runs and operator activity', async () => {
    const { owner } = await createOwner(stage.server)
    const email = await emailOf(owner.id)
    await stage.server.admin.post(`/v1/admin/customers/${owner.id}/blacklist`, { reason: 'no payment' })
    await go('system')
    const system = (await stage.server.admin.get('/v1/admin/system')).body as {
      findings: { name: string }[]
      jobs: { name: string }[]
    }
    const { findingNames } = operatorsText
    for (const { name } of system.findings)
      await page
        .getByText(findingNames[name] ?? `no name for ${name}`, { exact: true })
        .first()
        .waitFor()
    await page.getByText('Jobs in this process').click()
    for (const { name } of system.jobs)
      await page
        .getByRole('table', { name: 'Jobs in this process' })
        .getByText(name, { exact: true })
        .waitFor()
    await page.getByText('Webhook events to send').waitFor()
    await page.getByRole('tab', { name: 'Activity' }).click()
    await page.locator('details.entry summary', { hasText: email }).first().waitFor()
  })

  it('shows disk, memory, database and requests, and whether the configured services work', async () => {
    await go('system')
    await card('Disk')
      .getByText(/ free$/)
      .waitFor()
    await card('Memory')
      .getByText(/ available$/)
      .waitFor()
    await card('Database').getByText('SQLite').waitFor()
    await card('Requests per minute')
      .getByText(/^last hour: \d/)
      .waitFor()
    await card('95% of requests within')
      .getByText(/^[\d.]+ m?s$/)
      .waitFor()
    await card('Email').getByText('Works').waitFor()
    await page.getByText(/^Not configured: only needed for several processes/).waitFor()
    await expect.poll(() => card('Valkey').count()).toBe(0)
  })

  it('shows problems first, with the fix, and since when', async () => {
    chmodSync(stage.server.location.dataDir, 0o755)
    await go('system')
    const problems = page.getByRole('region', { name: 'Needs attention' })
    await problems.getByText('Data folder', { exact: true }).waitFor()
    await problems.getByText(/run chmod 700 on it\.$/).waitFor()
    await problems
      .getByText(/^Since /)
      .first()
      .waitFor()
    chmodSync(stage.server.location.dataDir, 0o700)
    await go('system')
    await card('Disk').waitFor()
    await expect.poll(() => problems.getByText('Data folder', { exact: true }).count()).toBe(0)
  })

  it("sends a test email, and shows the mail server's own words", async () => {
    await go('system')
    await card('Email').getByRole('button', { name: 'Send a test email' }).click()
    const to = dialog(page).getByLabel('Recipient')
    expect(await to.inputValue()).toMatch(/@/)
    const send = dialog(page).getByRole('button', { name: 'Send', exact: true })
    await refuse(to, send, [
      ['', 'Enter an email address.'],
      ['garden', /email/],
    ])
    await to.fill('grace@example.com')
    await meetFailures({ page, place: dialog(page), submit: () => send.click() })
    mails.refuse = true
    await send.click()
    await dialog(page)
      .getByText(/Cause: 554 refused: /)
      .waitFor()
    expect(await to.inputValue()).toBe('grace@example.com')
    mails.refuse = false
    await send.click()
    await dialog(page).getByRole('heading', { name: 'Test email sent' }).waitFor()
    await dialog(page).getByText('250 taken').waitFor()
    expect(mails.received).toMatchObject([{ to: 'grace@example.com' }])
    await submit(page, 'Done')
    await expect.poll(() => dialog(page).count()).toBe(0)
  })

  it('is hidden from everyone but operators', async () => {
    const { owner } = await createOwner(stage.server)
    const context = await stage.browser.newContext()
    await signInAs(context, stage.server, owner.id)
    const theirs = await context.newPage()
    for (const room of ['customers', 'tiers', 'system']) {
      await go(room, theirs)
      await theirs.getByText('admin').first().waitFor()
      await expect.poll(() => theirs.getByRole('table').count()).toBe(0)
    }
    await expect.poll(() => theirs.getByRole('link', { name: 'Accounts' }).count()).toBe(0)
    await context.close()
  })
})

describe('the backups', () => {
  const folder = () => stage.server.deps.config.backup.dir
  const rowOf = (name: string) => page.getByRole('row').filter({ hasText: name })
  const choose = async (name: string, action: string) => {
    await rowOf(name)
      .getByRole('button', { name: /^Actions/ })
      .click()
    await page.getByRole('menuitem', { name: action }).click()
  }
  const make = async () => {
    stage.server.clock.now = Date.now()
    await go('system?tab=backups')
    const before = new Set(existsSync(folder()) ? readdirSync(folder()) : [])
    await button(page, 'Back up now').click()
    await page
      .getByText(/^Backup created/)
      .first()
      .waitFor()
    const [name = ''] = readdirSync(folder()).filter((one) => !before.has(one))
    await rowOf(name).waitFor()
    return name
  }

  it('are downloaded as files after a warning that they are not encrypted', async () => {
    const name = await make()
    await choose(name, 'Download')
    await dialog(page)
      .getByText(/can read every source/)
      .waitFor()
    const saved = page.waitForEvent('download')
    await submit(page, 'Download')
    const download = await saved
    expect(download.suggestedFilename()).toBe(name)
    expect(readFileSync(await download.path()).equals(readFileSync(path.join(folder(), name)))).toBe(true)
    await page.getByText('Download started').first().waitFor()
  })

  it('that are encrypted are downloaded immediately, and restored with the private key', async () => {
    const name = 'scriptward-2026-06-15T12-00-00-000Z.tar.zst.age'
    writeFileSync(path.join(folder(), name), 'encrypted')
    await go('system?tab=backups')
    const saved = page.waitForEvent('download')
    await choose(name, 'Download')
    expect(readFileSync(await (await saved).path(), 'utf8')).toBe('encrypted')
    await choose(name, 'Restore…')
    const commands = dialog(page).getByRole('region', { name: 'Commands to restore this backup' })
    const place = path.join(folder(), name)
    await commands.getByText(`scriptward restore ${place} --private-key backup-keys.txt`).waitFor()
    await commands.getByText('export SCRIPTWARD_DATA_DIR="$PWD/restored"').waitFor()
    await submit(page, 'Done')
  })

  it('are deleted after a confirmation', async () => {
    const name = await make()
    await choose(name, 'Delete')
    await page.keyboard.press('Escape')
    expect(existsSync(path.join(folder(), name))).toBe(true)
    await choose(name, 'Delete')
    const remove = dialog(page).getByRole('button', { name: 'Delete backup' })
    await meetFailures({ page, place: dialog(page), submit: () => remove.click() })
    await remove.click()
    await page.getByText('Backup deleted').first().waitFor()
    await expect.poll(() => rowOf(name).count()).toBe(0)
    expect(existsSync(path.join(folder(), name))).toBe(false)
  })

  it('are downloaded and deleted only by someone who confirms who they are', async () => {
    const name = await make()
    stage.server.clock.now += 11 * 60_000
    await choose(name, 'Delete')
    await submit(page, 'Delete backup')
    await page.getByRole('heading', { name: "Confirm it's you" }).waitFor()
    expect(existsSync(path.join(folder(), name))).toBe(true)
  })
})
