/**
 * Tests that every dashboard form keeps its input: when a user returns to the form, the input is restored
 * until it is saved or discarded.
 */
import { describe, expect, it } from 'vitest'
import {
  drafts,
  holdAnswer,
  isKeptIn,
  isRestored,
  leave,
  open,
  page,
  shownIn,
  type,
  useFilledAccount,
} from './every-form-steps.ts'
import { formOf, type KeptForm } from './kept-form.ts'
import { ACCOUNT_FORMS } from './kept-forms-of-accounts.ts'
import { PROJECT_FORMS } from './kept-forms-of-projects.ts'
import { LOSSY_FORMS } from './kept-forms-of-secrets.ts'
import { dialog, submit } from './users-steps.ts'

/** Forms that users leave before the response arrives, with the button that saves each form. */
const SAVED = [
  ['project-settings', { name: 'Save', exact: true }],
  ['view', { name: 'Save', exact: true }],
  ['ad-page', { name: 'Save', exact: true }],
  ['discord-members', { name: /^Add/ }],
  ['webhook-replay', { name: 'Replay events', exact: true }],
] as const

useFilledAccount()

describe('what was typed', () => isKeptIn(ACCOUNT_FORMS))

describe('what was typed in a project', () => isKeptIn(PROJECT_FORMS))

describe("input that can't be kept", () => {
  it.each(Object.entries(LOSSY_FORMS))('of %s is never stored, and leaving asks', async (name, form) => {
    const field = await open(name, form)
    await field.fill(form.typed)
    await page.keyboard.press('Escape')
    await dialog(page).getByText('Leave without saving?').waitFor()
    await submit(page, 'Keep editing')
    await expect.poll(() => shownIn(field)).toBe(form.typed)
    expect(await page.evaluate<string>('JSON.stringify(sessionStorage)')).not.toContain(form.typed)
    await formOf(page, name).getByRole('button', { name: 'Cancel', exact: true }).click()
    await submit(page, 'Discard')
    await formOf(page, name).waitFor({ state: 'detached' })
  })
})

describe('a draft', () => {
  const step = PROJECT_FORMS['ad-step'] as KeptForm
  /** Opens the form but does not choose a network, because that would change the draft. */
  const openLootLabs = () =>
    open('ad-step', { ...step, open: () => page.getByRole('button', { name: 'Add step' }).first().click() })
  const plan = PROJECT_FORMS.plan as KeptForm
  const imported = PROJECT_FORMS.import as KeptForm

  it('survives a request that fails because the session expired', async () => {
    await (await open('plan', plan)).fill(plan.typed)
    const cookies = await page.context().cookies()
    await page.context().clearCookies()
    const refused = page.waitForResponse((response) => response.status() === 401)
    await submit(page, 'Create plan')
    await refused
    await page.context().addCookies(cookies)
    await page.reload()
    await isRestored(await open('plan', plan), 'plan', plan)
  })

  it('of a step contains its link and settings, but not the tokens of its network', async () => {
    const form = formOf(page, 'ad-step')
    await (await open('ad-step', step)).fill(step.typed)
    await form.getByRole('radio', { name: 'LootLabs' }).check()
    await form.getByLabel('API token').fill('secret-token')
    await form.getByLabel('Accept unsigned postbacks').check()
    await form.getByText('Advanced').click()
    await form.getByLabel('Require postback').uncheck()
    await form.getByLabel('Compare IP addresses').selectOption('exact')
    await page.keyboard.press('Escape')
    await submit(page, 'Leave')
    await form.waitFor({ state: 'detached' })
    expect(await page.evaluate<string>('JSON.stringify(sessionStorage)')).not.toContain('secret-token')
    await isRestored(await openLootLabs(), 'ad-step', step)
    await form.getByText('Advanced').click()
    expect(await shownIn(form.getByLabel('API token'))).toBe('')
    expect(await form.getByLabel('Accept unsigned postbacks').isChecked()).toBe(true)
    expect(await form.getByLabel('Require postback').isChecked()).toBe(false)
    expect(await shownIn(form.getByLabel('Compare IP addresses'))).toBe('exact')
  })

  it.each(SAVED)('of %s is gone once it is saved, even if it is closed by then', async (name, submits) => {
    const form = PROJECT_FORMS[name] as KeptForm
    await type(await open(name, form), form.typed)
    expect(await drafts()).not.toEqual([])
    const answer = await holdAnswer()
    await formOf(page, name).getByRole('button', submits).click()
    const request = await answer.isAsked
    await leave(name)
    answer.give()
    expect((await request.response())?.status()).toBe(200)
    await expect.poll(() => drafts()).toEqual([])
  })

  it('over 1 MB is not kept, and leaving asks', async () => {
    const field = await open('import', imported)
    await field.fill('x'.repeat(1_100_000))
    await page.keyboard.press('Escape')
    await dialog(page).getByText('Leave without saving?').waitFor()
    await submit(page, 'Leave')
    await formOf(page, 'import').waitFor({ state: 'detached' })
    expect(await drafts()).toEqual([])
  })
})
