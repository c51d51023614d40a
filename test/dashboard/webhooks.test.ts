/**
 * Tests the webhooks page in a real browser: endpoints, tests, deliveries to a real receiver, and rejected
 * input.
 */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { EVENT_KINDS } from '../../packages/dashboard/src/features/webhooks/events.ts'
import { events } from '../../packages/server/src/features/webhooks/events/event-catalog.ts'
import { createOwner, createUser } from '../../packages/server/test/nouns.ts'
import type { Seat } from '../../packages/server/test/people.ts'
import { changeRows } from '../../packages/server/test/stored.ts'
import { deliver, status } from '../../packages/server/test/webhooks/receiver.ts'
import { picture } from '../browser.ts'
import { webhooksRoom } from './webhooks-room.ts'

const { at, visit, receive } = webhooksRoom()

const list = (page: Page) => page.getByRole('table', { name: 'Deliveries' })

describe('the webhooks page', () => {
  it('leads from an empty page to a successful test with a real receiver', async () => {
    const receiver = await receive()
    const page = await visit(await createOwner(at()))
    await page.getByText('No deliveries yet').waitFor()
    await page.getByRole('button', { name: 'Add endpoint for Information' }).click()
    await page.getByLabel('URL', { exact: true }).fill(`  ${receiver.url}\n`)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Not tried yet', { exact: true }).waitFor()
    await expect.poll(() => page.getByText('Healthy', { exact: true }).count()).toBe(0)
    await page.getByRole('button', { name: 'Send test to Information' }).click()
    const drawer = page.getByRole('dialog', { name: 'webhook.test' })
    await drawer.getByText('No attempts yet.').waitFor()
    await deliver(at())
    await drawer.getByText('HTTP 200').waitFor()
    await drawer.getByText('fine').waitFor()
    expect(receiver.received).toHaveLength(1)
    await expect
      .poll(() => drawer.getByLabel('Request body').locator('code').textContent())
      .toBe(JSON.stringify(receiver.received[0]?.body, null, 2))
    await drawer.getByRole('button', { name: 'Resend' }).click()
    await drawer.getByText(/^Resent\./).waitFor()
    await deliver(at())
    await expect.poll(() => drawer.getByText('HTTP 200').count()).toBe(2)
    expect(receiver.received[1]?.headers['webhook-id']).toBe(receiver.received[0]?.headers['webhook-id'])
    await drawer.getByRole('button', { name: 'Close' }).click()
    await list(page).getByText('Delivered').waitFor()
    await page.getByText('Healthy', { exact: true }).waitFor()
  })

  it('shows failures and responses, and finds them by filters in the URL', async () => {
    const receiver = await receive(status(500, {}, 'broken pipe'))
    const owned = await createOwner(at(), {}, { information_webhook: receiver.url })
    await createUser(owned.owner, owned.project)
    await deliver(at())
    const page = await visit(owned)
    await page.getByText('Failing', { exact: true }).waitFor()
    await page.getByText('1 failure').waitFor()
    await page.getByRole('button', { name: '+ Status' }).click()
    await page.getByRole('combobox', { name: 'Status' }).selectOption('delivered')
    await page.getByText('No matches').waitFor()
    await expect.poll(() => page.url()).toContain('state=delivered')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await list(page).getByRole('button', { name: 'user.created' }).click()
    await page.getByText('broken pipe').waitFor()
    await expect.poll(() => page.url()).toMatch(/delivery=/)
    await page.reload()
    await page.getByText('broken pipe').waitFor()
  })

  it('shows failures that happen while it is open', async () => {
    const receiver = await receive(status(500))
    const owned = await createOwner(at(), {}, { information_webhook: receiver.url })
    const page = await visit(owned)
    await page.getByText('Not tried yet').waitFor()
    await createUser(owned.owner, owned.project)
    await deliver(at())
    await page.getByText('1 failure').waitFor()
    await list(page).getByRole('button', { name: 'user.created' }).waitFor()
  })

  it('shows URL errors next to the field, and keeps the input', async () => {
    const owned = await createOwner(at())
    const page = await visit(owned)
    await page.getByRole('button', { name: 'Add endpoint for Runs' }).click()
    const field = page.getByLabel('URL', { exact: true })
    const bad = [
      ['', 'Enter the endpoint URL.'],
      ['   ', 'Enter the endpoint URL.'],
      ['garden 🌷 مرحبا', 'Enter a full URL'],
      ['ftp://example.com/hook', 'Must start with https://'],
      ['https://10.0.0.1/hook', 'Must point to a public host'],
      ['https://me:pass@example.com/', 'Must not contain a user name or password'],
      [`https://example.com/${'x'.repeat(3000)}`, '2048'],
    ] as const
    for (const [typed, words] of bad) {
      await field.fill(typed)
      await page.getByRole('button', { name: 'Save' }).click()
      await page.locator('dialog[open]').getByRole('alert').getByText(words).waitFor()
      await expect.poll(() => field.inputValue()).toBe(typed)
    }
    const { body } = await owned.owner.get(`/v1/projects/${owned.project}/webhooks`)
    expect(body.webhooks).toEqual([])
  })

  it('keeps the input when the connection is lost, and reports conflicts with another tab', async () => {
    const receiver = await receive()
    const owned = await createOwner(at(), {}, { information_webhook: receiver.url })
    const page = await visit(owned)
    await page.getByRole('button', { name: 'Edit endpoint for Information' }).click()
    const field = page.getByLabel('URL', { exact: true })
    await field.fill(`${receiver.url}/next`)
    await page.route('**/v1/**', (route) => route.abort())
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText("Can't reach the server.").first().waitFor()
    await expect.poll(() => field.inputValue()).toBe(`${receiver.url}/next`)
    await page.unroute('**/v1/**')
    await owned.owner.post(`/v1/projects/${owned.project}/edit`, {
      information_webhook: `${receiver.url}/other`,
    })
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))")
    await page.getByText('Someone else changed this endpoint').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(`${receiver.url}/next`, { exact: true }).waitFor()
  })

  it('saves only the changed fields of a custom endpoint, and keeps those that changed in another tab', async () => {
    const owned = await createOwner(at())
    const path = `/v1/projects/${owned.project}/webhooks`
    const made = await owned.owner.post(`${path}/new`, { name: 'Shop', address: 'https://example.com/old' })
    const { id } = made.body.webhook as { id: string }
    const page = await visit(owned)
    await page.getByRole('button', { name: 'Actions for Shop' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Store')
    const elsewhere = { address: 'https://example.com/new', events: ['user.created'] }
    await owned.owner.post(`${path}/${id}/edit`, elsewhere)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Actions for Store' }).waitFor()
    const { body } = await owned.owner.get(path)
    expect(body.webhooks).toMatchObject([{ name: 'Store', ...elsewhere }])
  })

  it('removes an endpoint after a confirmation that shows pending deliveries', async () => {
    const receiver = await receive()
    const owned = await createOwner(at(), {}, { blacklist_webhook: receiver.url })
    const key = await createUser(owned.owner, owned.project)
    await owned.owner.post(`/v1/users/${key}/blacklist`, { expires: null, reason: 'shared' })
    const page = await visit(owned)
    await page.getByText('1 event queued').waitFor()
    await page.getByRole('button', { name: 'Remove endpoint for Blocks' }).click()
    const dialog = page.locator('dialog[open]')
    await dialog.getByText('1 queued event will be dropped').waitFor()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => page.getByText('No endpoint yet').count()).toBe(3)
    await list(page).getByText('Dropped').waitFor()
  })

  it('shows secrets and full URLs only with webhook write permission, and bodies only with permission to read users', async () => {
    const receiver = await receive()
    const owned = await createOwner(at(), {}, { information_webhook: receiver.url })
    await createUser(owned.owner, owned.project)
    const mine = await visit(owned)
    await mine.getByRole('button', { name: 'Show signing secret' }).click()
    await mine.getByText(/^whsec_/).waitFor()
    const reader = { role: 'custom', scopes: ['projects:read', 'webhooks:read'] } as const
    const page = await visit(owned, { seat: reader as unknown as Seat })
    await page
      .getByText(`${new URL(receiver.url).origin}/•••`)
      .first()
      .waitFor()
    await expect.poll(() => page.getByText(receiver.url).count()).toBe(0)
    await expect.poll(() => page.getByRole('button', { name: 'Show signing secret' }).count()).toBe(0)
    const test = page.getByRole('button', { name: 'Send test to Information' })
    await expect.poll(() => test.getAttribute('aria-disabled')).toBe('true')
    await list(page).getByRole('button', { name: 'user.created' }).click()
    await page.getByText('Hidden because it contains license keys').waitFor()
  })

  it('names a permission that was revoked in the meantime', async () => {
    const owned = await createOwner(at())
    const page = await visit(owned)
    await page.getByRole('button', { name: 'Add endpoint for Runs' }).click()
    await page.getByLabel('URL', { exact: true }).fill('https://example.com/hook')
    await changeRows(
      at(),
      'members',
      { customer_id: owned.owner.id },
      { role: 'custom', scopes: JSON.stringify(['projects:read', 'webhooks:read']) },
    )
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('dialog[open]').getByText('projects:write').first().waitFor()
    await expect
      .poll(() => page.getByLabel('URL', { exact: true }).inputValue())
      .toBe('https://example.com/hook')
  })

  it('explains every event, and shows how to verify a signature', async () => {
    const sent = Object.entries(events).map(([type, { kind }]) => [type, kind] as const)
    const known: Readonly<Record<string, string | null>> = EVENT_KINDS
    expect(Object.keys(known).sort()).toEqual(sent.map(([type]) => type).sort())
    for (const [type, kind] of sent) expect([kind, null]).toContain(known[type])
    const page = await visit(await createOwner(at()))
    const { keys } = (await at().client().get('/.well-known/webhook-keys.json')).body as {
      keys: { whpk: string }[]
    }
    await page
      .getByLabel('Node.js')
      .getByText(keys[0]?.whpk ?? '')
      .waitFor()
    await page.getByRole('tab', { name: 'Python' }).click()
    await page.getByText('Ed25519PublicKey.from_public_bytes').waitFor()
  })

  it('folds the events on a phone, and opens them with a tap', async () => {
    const look = { viewport: { width: 360, height: 800 }, hasTouch: true }
    const page = await visit(await createOwner(at()), { look })
    const list = page.getByRole('region', { name: 'Event types' })
    const summary = list.locator('summary').filter({ hasText: 'Information' })
    await summary.getByText(/^\d+ events$/).waitFor()
    expect((await summary.boundingBox())?.height).toBeGreaterThanOrEqual(44)
    await list.getByText('user.created').waitFor({ state: 'hidden' })
    await summary.tap()
    await list.getByText('user.created').waitFor()
    await picture(page, 'webhooks-events-phone')
  })
})
