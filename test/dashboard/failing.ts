/** Makes forms fail with invalid input and with server errors. */

import type { Locator, Page, Route } from 'playwright-core'
import { expect } from 'vitest'
import type { TestServer } from '../../packages/server/test/harness.ts'

/** Expects errors next to their fields, and unchanged input. */
export async function refuse(
  field: Locator,
  submit: Locator,
  cases: readonly (readonly [string, string | RegExp])[],
): Promise<void> {
  for (const [typed, words] of cases) {
    await field.fill(typed)
    await submit.click()
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true')
    const about = (await field.getAttribute('aria-describedby')) ?? ''
    const ids = about.split(' ').map((id) => `[id="${id}"]`)
    await field.page().locator(ids.join(', ')).filter({ hasText: words }).first().waitFor()
    await expect.poll(() => field.inputValue()).toBe(typed)
  }
}

const refused = (status: number, type: string, members: object = {}) => ({
  status,
  contentType: 'application/json',
  body: JSON.stringify({ success: false, error: { code: -1, type, message: 'no', ...members } }),
})

export type Failure = { readonly meet: (route: Route) => Promise<void>; readonly words: string }

export const LOST: Failure = { meet: (route) => route.abort(), words: "Can't reach the server." }
const BUSY: Failure = {
  meet: (route) => route.fulfill(refused(429, 'rate_limited', { retry_after: 1 })),
  words: 'Wait a moment, then try again.',
}
export const BROKEN: Failure = {
  meet: (route) => route.fulfill(refused(500, 'internal', { request_id: 'req_of_it' })),
  words: 'give your operator the request ID req_of_it',
}

type Form = {
  readonly page: Page
  /** The element with the fields and error messages. */
  readonly place: Locator
  readonly submit: () => Promise<void>
}

/** Submits once for each failure, and expects a message and unchanged input. */
export async function meetFailures(
  { page, place, submit }: Form,
  failures: readonly Failure[] = [LOST, BUSY, BROKEN],
): Promise<void> {
  const typed = await valuesIn(place)
  for (const { meet, words } of failures) {
    const isChange = (route: Route) => route.request().method() !== 'GET'
    await page.route('**/v1/**', (route) => (isChange(route) ? meet(route) : route.continue()))
    await submit()
    await place.getByRole('alert').filter({ hasText: words }).first().waitFor()
    expect(await valuesIn(place), words).toEqual(typed)
    await page.unroute('**/v1/**')
  }
}

/** Expects a message and unchanged input after another owner has revoked the permission. */
export async function meetMissingRight(
  { place, submit }: Form,
  right: string,
  takeAway: () => Promise<unknown>,
): Promise<void> {
  const typed = await valuesIn(place)
  await takeAway()
  await submit()
  await place.getByRole('alert').filter({ hasText: right }).first().waitFor()
  expect(await valuesIn(place)).toEqual(typed)
}

export async function setScopes({ deps }: TestServer, owner: string, scopes: readonly string[] | 'owner') {
  const seat =
    scopes === 'owner' ? { role: 'owner', scopes: '[]' } : { role: 'custom', scopes: JSON.stringify(scopes) }
  await deps.db.transaction((tx) =>
    tx.updateTable('members').set(seat).where('customer_id', '=', owner).execute(),
  )
}

/** Returns the values of fields and code editors, which are in shadow roots. */
function valuesIn(place: Locator): Promise<unknown[]> {
  return place.evaluate<unknown[], HTMLElement>(`(place) => {
    const fields = [...place.querySelectorAll('input, textarea, select')]
    const editors = [...place.querySelectorAll('*')].flatMap((each) => each.shadowRoot?.querySelector('.cm-content') ?? [])
    return [...fields.map((each) => /checkbox|radio/.test(each.type) ? each.checked : each.value), ...editors.map((each) => each.textContent)]
  }`)
}
