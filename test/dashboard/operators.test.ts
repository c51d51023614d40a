/** The operator pages in a real browser: accounts, dashboard users, service tiers and system health. */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { createOwner, createTier } from '../../packages/server/test/nouns.ts'
import { browserOf } from '../../packages/server/test/people/browsers.ts'
import { createPerson } from '../../packages/server/test/people.ts'
import { idOfOperator, signInAs } from '../sign-in.ts'
import { meetFailures, refuse } from './failing.ts'
import { MIXED, pressIn } from './forms.ts'
import { ownStage } from './stage.ts'
import { button, dialog, row, submit } from './users-steps.ts'

const stage = ownStage()
let page: Page
beforeAll(async () => {
  stage.server.clock.now = Date.now()
  page = await operator()
})

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
    for (const { name } of system.findings) await page.getByText(name, { exact: true }).first().waitFor()
    for (const { name } of system.jobs)
      await page
        .getByRole('table', { name: 'Jobs in this process' })
        .getByText(name, { exact: true })
        .waitFor()
    await page.getByText('Webhook events to send').waitFor()
    await page.getByRole('tab', { name: 'Activity' }).click()
    await page.locator('details.entry summary', { hasText: email }).first().waitFor()
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
