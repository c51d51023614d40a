/**
 * Tests custom webhook endpoints in a real browser: they are added, filtered, broken and fixed, and then
 * receive the events that they missed.
 */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { createOwner, createUser } from '../../packages/server/test/nouns.ts'
import type { Seat } from '../../packages/server/test/people.ts'
import { addressesOf } from '../../packages/server/test/webhooks/addresses.ts'
import { deliver, ok, status } from '../../packages/server/test/webhooks/receiver.ts'
import { webhooksRoom } from './webhooks-room.ts'

const { at, visit, receive } = webhooksRoom()

const more = (page: Page) =>
  page
    .getByRole('region', { name: 'Endpoints', exact: true })
    .getByRole('listitem')
    .filter({ hasText: 'Custom endpoint' })
const list = (page: Page) => page.getByRole('table', { name: 'Deliveries' })

async function choose(page: Page, address: string, item: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${address}` }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

describe('a custom endpoint', () => {
  it('is added with its events, fails, is fixed, and gets missed events with the same IDs', async () => {
    const receiver = await receive(status(500, {}, 'out of paper'))
    const owned = await createOwner(at())
    const page = await visit(owned)
    await page.getByRole('button', { name: 'Add custom endpoint' }).click()
    const form = page.locator('dialog[open]')
    await form.getByLabel('Name').fill('Shop')
    await form.getByLabel('URL', { exact: true }).fill(receiver.url)
    await form.getByLabel('Only selected events').check()
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText('Select at least one event.').waitFor()
    const wide = page.viewportSize()
    await page.setViewportSize({ width: 360, height: 800 })
    await form
      .getByText(/^\d+ events, 0 selected$/)
      .nth(1)
      .click()
    await form.getByLabel('user.created').check()
    await form.getByText(/^\d+ events, 1 selected$/).waitFor()
    if (wide) await page.setViewportSize(wide)
    await form.getByLabel('user.removed').check()
    await form.getByRole('button', { name: 'Save' }).click()
    await more(page).getByText('user.created, user.removed').waitFor()

    const key = await createUser(owned.owner, owned.project)
    await owned.owner.post(`/users/${key}/edit`, { note: 'not for the shop' })
    await deliver(at())
    await page.reload()
    await more(page).getByText('Failing', { exact: true }).waitFor()
    await list(page)
      .getByText(/^Retrying/)
      .waitFor()
    await list(page).getByText('Shop').waitFor()
    await list(page).getByRole('button', { name: 'user.created' }).click()
    await page.locator('dialog[open]').getByText('out of paper').waitFor()
    await page.locator('dialog[open]').getByRole('button', { name: 'Close' }).click()
    await expect.poll(() => list(page).getByText('user.edited').count()).toBe(0)

    receiver.answer(ok)
    at().clock.now += 60_000
    await choose(page, 'Shop', 'Replay events…')
    await page.locator('dialog[open]').getByLabel('Since').selectOption('at')
    await page.locator('dialog[open]').getByLabel('Date and time').fill('2026-06-01T00:00')
    await page.locator('dialog[open]').getByRole('button', { name: 'Replay events' }).click()
    await page.getByText('Replaying 1 event.').first().waitFor()
    await deliver(at())
    const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
    expect(new Set(ids).size).toBe(1)
    expect(ids.length).toBeGreaterThan(1)
    await more(page).getByText('Healthy').waitFor()
  })

  it('can have its secret rotated, like the built-in ones', async () => {
    const receiver = await receive()
    const owned = await createOwner(at(), {}, { information_webhook: receiver.url })
    const [before] = await addressesOf(owned).all()
    const page = await visit(owned)
    await page.getByRole('button', { name: 'Rotate secret for Information' }).click()
    await page.locator('dialog[open]').getByRole('button', { name: 'Rotate secret' }).click()
    await page.getByText('Secret rotated.').first().waitFor()
    await page.getByRole('button', { name: 'Show signing secret' }).click()
    const [after] = await addressesOf(owned).all()
    await page.getByText(String(after?.secret)).waitFor()
    expect(after?.secret).not.toBe(before?.secret)
  })

  it('can be disabled and enabled, get a new secret, and be removed after a confirmation', async () => {
    const receiver = await receive()
    const owned = await createOwner(at())
    const { secret } = await addressesOf(owned).added({ name: 'Shop', address: receiver.url })
    const page = await visit(owned)
    await choose(page, 'Shop', 'Turn off')
    await more(page).getByText('Off', { exact: true }).waitFor()
    await choose(page, 'Shop', 'Turn on')
    await more(page).getByText('Not tried yet').waitFor()
    await choose(page, 'Shop', 'Rotate secret')
    await page.locator('dialog[open]').getByRole('button', { name: 'Rotate secret' }).click()
    await page.getByText('Secret rotated.').first().waitFor()
    await more(page).getByRole('button', { name: 'Show signing secret' }).click()
    const shown = await more(page)
      .getByText(/^whsec_/)
      .textContent()
    expect(shown).not.toBe(secret)
    await choose(page, 'Shop', 'Remove')
    await page.locator('dialog[open]').getByRole('button', { name: 'Remove' }).click()
    await expect.poll(() => more(page).count()).toBe(0)
    expect(await addressesOf(owned).all()).toEqual([])
  })

  it('keeps settings that its form does not show', async () => {
    const receiver = await receive()
    const owned = await createOwner(at())
    const hooks = addressesOf(owned)
    const { id } = await hooks.added({ name: 'Shop', address: receiver.url, events: ['user.created'] })
    const page = await visit(owned)
    await choose(page, 'Shop', 'Edit')
    await page.locator('dialog[open]').getByLabel('Name').fill('Till')
    await page.locator('dialog[open]').getByRole('button', { name: 'Save' }).click()
    await more(page).getByText('Till', { exact: true }).waitFor()
    expect(await hooks.find(id)).toMatchObject({
      name: 'Till',
      events: ['user.created'],
      address: receiver.url,
    })
  })

  it('has its deliveries in the list, which can be filtered by it', async () => {
    const [first, second] = [await receive(), await receive()]
    const owned = await createOwner(at(), {}, { information_webhook: first.url })
    const { id } = await addressesOf(owned).added({ name: 'Shop', address: second.url })
    await createUser(owned.owner, owned.project)
    await deliver(at())
    const page = await visit(owned)
    await list(page).getByText('Shop').waitFor()
    await list(page).getByText('Information').waitFor()
    await page.getByRole('button', { name: '+ Endpoint' }).click()
    await page.getByRole('combobox', { name: 'Endpoint' }).selectOption('Shop')
    await list(page).getByText('Information').waitFor({ state: 'detached' })
    await expect.poll(() => page.url()).toContain(`webhook=${id}`)
  })

  it('cannot be added without permission to read users, and the button explains why', async () => {
    const owned = await createOwner(at())
    const seat = { role: 'custom', scopes: ['projects:read', 'webhooks:write'] } as unknown as Seat
    const page = await visit(owned, { seat })
    const add = page.getByRole('button', { name: 'Add custom endpoint' })
    await expect.poll(() => add.getAttribute('aria-disabled')).toBe('true')
  })
})
