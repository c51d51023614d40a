/** Tests the user record page: the problem and its fix, the timeline, and a form that loses no input. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { chainEntries } from '../../packages/server/src/features/audit/chain.ts'
import { bindDevice, changeUser, createScript } from '../../packages/server/test/nouns.ts'
import { denial, loggedExecution } from '../../packages/server/test/store/rows.ts'
import { insertRows } from '../../packages/server/test/stored.ts'
import { sharedStage } from './stage.ts'
import { button, DAY_MS, dialog, hash, open, read, row, submit, withUsers } from './users-steps.ts'

const stage = sharedStage()

type Owned = Awaited<ReturnType<typeof withUsers>>

const openRecord = async (owned: Owned, key: string, query = ''): Promise<Page> => {
  const page = await open(stage, owned)
  await page.goto(`${stage.server.url}/dashboard/#/projects/${owned.project}/users/${key}${query}`)
  await page.getByText(/^Customer since/).waitFor()
  return page
}
const item = (page: Page, words: string | RegExp) => page.getByRole('listitem').filter({ hasText: words })

/**
 * Records three denials of the key on another device in the same network. They are milliseconds apart, because
 * denials before and after midnight are not combined.
 */
async function denyDevice(owned: Owned, user_key: string): Promise<void> {
  const script_id = await createScript(owned.owner, owned.project, { name: 'hub.lua' })
  const { now } = stage.server.clock
  const common = { project_id: owned.project, script_id, user_key, reason: 'fingerprint_mismatch' as const }
  const attempt = { ...loggedExecution, ...common, outcome: 'denied' as const, executor: 'Wave' }
  const times = [1, 2, 3].map((n) => now - n)
  await insertRows(
    stage.server,
    'execution_log',
    times.map((at) => ({ ...attempt, exec: `${user_key}${at}`, at })),
  )
  const spans = { first_at: now - 3, last_at: now - 1, count: 3 }
  await insertRows(stage.server, 'denials', { ...denial, ...common, ...spans, fingerprint: 'c41d…07' })
}

describe('the problem of a user', () => {
  it('is fixed with one click, which can be undone', async () => {
    const owned = await withUsers(stage, 'buyer')
    const [key = ''] = owned.keys
    await bindDevice(stage.server, owned.project, key)
    await denyDevice(owned, key)
    const page = await openRecord(owned, key)
    await page.getByText(/^Denied 3 times (today|in the last 24 hours): another device\.$/).waitFor()
    await page.getByText('Both devices are on the same network').waitFor()
    await item(page, /Denied: another device 3 times since/).waitFor()
    await button(page, 'Reset device').click()
    await page.getByText('Devices reset for 1 user.').waitFor()
    expect(await read(owned, key)).toMatchObject({ fingerprint_assigned: false })
    await button(page, 'Undo').click()
    await expect.poll(async () => (await read(owned, key)).fingerprint_assigned).toBe(true)
  })

  it('of an expired key is fixed by extending it from now', async () => {
    const owned = await withUsers(stage, 'late')
    const [key = ''] = owned.keys
    await changeUser(stage.server, key, { key_expires: stage.server.clock.now - 2 * DAY_MS })
    const page = await openRecord(owned, key)
    await page.getByText('Expired 2 days ago.').waitFor()
    await button(page, 'Extend by 30 days').click()
    await page.getByText(/^Extended\. Expires/).waitFor()
    expect((await read(owned, key)).key_expires).toBeGreaterThan(stage.server.clock.now + 29 * DAY_MS)
    await expect.poll(() => page.getByText('Expired 2 days ago.').count()).toBe(0)
    await button(page, 'Undo').click()
    await page.getByText('Expired 2 days ago.').waitFor()
  })

  it('links to the page where it can be fixed, if it has no direct fix', async () => {
    const owned = await withUsers(stage, 'spent')
    const [key = ''] = owned.keys
    await changeUser(stage.server, key, { max_executions: 3, executions: 3 })
    const page = await openRecord(owned, key)
    await page.getByText('Used all 3 runs.').waitFor()
    await button(page, 'Edit limits').click()
    await page.getByLabel('Total run limit').waitFor()
  })
})

describe('the timeline of a user', () => {
  it('can be filtered by kind, and an edit in it can be undone', async () => {
    const owned = await withUsers(stage, 'before')
    const [key = ''] = owned.keys
    await denyDevice(owned, key)
    await owned.owner.post(`/v1/users/${key}/edit`, { note: 'after' })
    while (await chainEntries(stage.server.deps));
    const page = await openRecord(owned, key)
    await item(page, 'Note changed from before to after').waitFor()
    await button(page, 'Denials').click()
    await expect.poll(() => item(page, 'Note changed').count()).toBe(0)
    await item(page, 'Denied: another device').waitFor()
    await expect.poll(() => hash(page)).toContain('kind=denied')
    await button(page, 'Changes').click()
    await button(page, 'Undo: Note changed').click()
    await page.getByText('Undone.').waitFor()
    expect(await read(owned, key)).toMatchObject({ note: 'before' })
    await page.getByRole('heading', { level: 1, name: 'before' }).waitFor()
  })
})

describe('a bulk change in the timeline of a user', () => {
  it('says how many users it affected, and can be undone for all of them', async () => {
    const owned = await withUsers(stage, 'one', 'two', 'three')
    const [key = '', second] = owned.keys
    const ends = stage.server.clock.now + 10 * DAY_MS
    for (const each of owned.keys) await changeUser(stage.server, each, { key_expires: ends })
    const bulk = { action: 'extend', duration: 2 * DAY_MS, keys: owned.keys.slice(0, 2) }
    await owned.owner.post(`/v1/projects/${owned.project}/users/bulk`, bulk)
    const page = await openRecord(owned, key)
    await item(page, 'Extended by 2 days in a bulk change to 2 users').waitFor()
    await button(page, 'Undo: Extended one and two by 2 days').click()
    await dialog(page).getByText('This change affected 2 users.').waitFor()
    await submit(page, 'Undo')
    await page.getByText('Undone.').waitFor()
    expect((await read(owned, second)).key_expires).toBe(ends)
    await expect.poll(() => item(page, 'in a bulk change').count()).toBe(0)
  })

  it('is not in the timeline of a user whom it did not affect', async () => {
    const owned = await withUsers(stage, 'one', 'two')
    const [key = '', second] = owned.keys
    const bulk = { action: 'tag', tags: ['vip'], keys: [second] }
    await owned.owner.post(`/v1/projects/${owned.project}/users/bulk`, bulk)
    const page = await openRecord(owned, key)
    await item(page, /User created|Key generated/).waitFor()
    await expect.poll(() => item(page, 'Tags added').count()).toBe(0)
  })
})

describe('a denied device', () => {
  const opened = async () => {
    const owned = await withUsers(stage, 'buyer')
    const [key = ''] = owned.keys
    await bindDevice(stage.server, owned.project, key)
    await denyDevice(owned, key)
    const page = await openRecord(owned, key, '?tab=devices')
    await item(page, 'c41d…07').getByText('3 times').waitFor()
    return { owned, key, page }
  }

  it('is allowed by raising the device limit, which can be undone', async () => {
    const { owned, key, page } = await opened()
    await button(page, 'Allow c41d…07').click()
    await dialog(page).getByLabel('Raise the device limit from 1 to 2').waitFor()
    await submit(page, 'Allow')
    await page.getByText('The key will bind to the next device that runs a script.').waitFor()
    expect((await read(owned, key)).max_devices).toBe(2)
    await button(page, 'Undo').click()
    await expect.poll(async () => (await read(owned, key)).max_devices).toBe(null)
  })

  it('can take the place of a bound one', async () => {
    const { owned, key, page } = await opened()
    await button(page, 'Allow c41d…07').click()
    await dialog(page).getByLabel('Replace Unnamed device').check()
    await submit(page, 'Allow')
    await page.getByText('The key will bind to the next device that runs a script.').waitFor()
    expect(await read(owned, key)).toMatchObject({ fingerprint_assigned: false, max_devices: null })
  })

  it('can be kept out by blocking its network', async () => {
    const { owned, page } = await opened()
    await button(page, 'Block network 203.0.0.0/16').click()
    await submit(page, 'Preview')
    await dialog(page).getByText('This blocks 203.0.0.0/16.').waitFor()
    await submit(page, 'Block')
    await expect.poll(() => dialog(page).count()).toBe(0)
    const { body } = await owned.owner.get(`/v1/projects/${owned.project}/bans`)
    expect(body).toMatchObject({ bans: [{ kind: 'network', value: '203.0.0.0/16' }] })
  })

  it('is missing from the tab if none was denied', async () => {
    const owned = await withUsers(stage, 'buyer')
    const page = await openRecord(owned, owned.keys[0] ?? '', '?tab=devices')
    await page.getByText('No device was denied in the last 7 days.').waitFor()
  })
})

describe('unsaved input about a user', () => {
  it('survives switching tabs, leaving the drawer, other pages and a reload', async () => {
    const owned = await withUsers(stage, 'typed')
    const [key = ''] = owned.keys
    const page = await open(stage, owned, { query: `?user=${key}&tab=edit` })
    const note = page.getByLabel('Note', { exact: true })
    await note.fill('unsaved')
    await dialog(page).getByText('1 unsaved change').waitFor()
    await page.getByRole('tab', { name: 'Activity' }).click()
    await page.getByRole('tab', { name: 'Edit' }).click()
    await expect.poll(() => note.inputValue()).toBe('unsaved')
    await dialog(page).getByRole('link', { name: 'What the customer sees' }).waitFor()
    await dialog(page).getByRole('link', { name: 'Open page' }).click()
    await page.getByRole('heading', { level: 1, name: 'typed' }).waitFor()
    await page.getByRole('tab', { name: 'Edit' }).click()
    await page.getByText('Restored what you typed.').waitFor()
    await page.reload()
    await expect.poll(() => note.inputValue()).toBe('unsaved')
    await button(page, 'Discard').click()
    await submit(page, 'Keep editing')
    await expect.poll(() => note.inputValue()).toBe('unsaved')
    await button(page, 'Discard').click()
    await submit(page, 'Discard')
    await expect.poll(() => note.inputValue()).toBe('typed')
    await page.getByRole('link', { name: 'Users' }).first().click()
    await row(page, 'typed').waitFor()
    const kept = await page.evaluate<string>('JSON.stringify(sessionStorage)')
    expect(kept).not.toContain(key)
    expect(kept).not.toContain('draft.')
  })

  it('is compared with changes that someone else made in the meantime', async () => {
    const owned = await withUsers(stage, 'old')
    const [key = ''] = owned.keys
    const page = await openRecord(owned, key, '?tab=edit')
    await page.getByLabel('Note', { exact: true }).fill('mine')
    await page.getByText('1 unsaved change').waitFor()
    await owned.owner.post(`/v1/users/${key}/edit`, { note: 'theirs' })
    await page.reload()
    await page.getByText('Note: theirs').waitFor()
    await button(page, 'Save').click()
    await expect.poll(async () => (await read(owned, key)).note).toBe('mine')
  })
})
