/**
 * Tests the users page in a real browser: keys are created, found, edited one by one and in bulk, imported
 * and shared.
 */

import { readFileSync } from 'node:fs'
import type { Route } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { isChecked } from '../../packages/server/src/features/projects/key-formats.ts'
import {
  bindDevice,
  changeUser,
  createOwner,
  createScript,
  createUser,
} from '../../packages/server/test/nouns.ts'
import type { Seat } from '../../packages/server/test/people.ts'
import { copied } from '../copied.ts'
import { sharedStage } from './stage.ts'
import { button, choose, DAY_MS, dialog, hash, open, read, row, submit, withUsers } from './users-steps.ts'

const stage = sharedStage()

describe('a new key', () => {
  it('leads from an empty project to a message for the buyer, and the template is remembered', async () => {
    const owned = await createOwner(stage.server)
    const script = await createScript(owned.owner, owned.project)
    const page = await open(stage, owned)
    await page.getByRole('heading', { name: 'No users yet' }).waitFor()
    await button(page, 'New key').click()
    await dialog(page).getByLabel('Note', { exact: true }).fill('  🌱 مشتري  ')
    await dialog(page).getByRole('combobox', { name: 'Expires' }).selectOption('in')
    await dialog(page).getByLabel('Amount of time').fill('soon')
    await submit(page, 'Create key')
    await dialog(page).getByText('Choose a time in the future.').waitFor()
    await dialog(page).getByLabel('Amount of time').fill('30')
    await submit(page, 'Create key')
    await page.getByRole('heading', { name: 'Key created' }).waitFor()
    await dialog(page)
      .getByText(/^Expires in \d+ days/)
      .waitFor()
    const { users } = (await owned.owner.get(`/v1/projects/${owned.project}/users`)).body as {
      users: { key: string; note: string; key_expires: number }[]
    }
    const [user] = users
    expect(user?.note).toBe('🌱 مشتري')
    expect(Math.abs((user?.key_expires ?? 0) - Date.now() - 30 * DAY_MS)).toBeLessThan(10 * 60_000)
    await dialog(page).getByText('only works on this machine').waitFor()
    await button(page, 'Edit message').click()
    await dialog(page).getByLabel('Message template').fill('Welcome! {key} | {loader}')
    const message = await copied(page, button(page, 'Copy message'))
    expect(message.startsWith(`Welcome! ${user?.key} | `)).toBe(true)
    expect(message).toContain(`/client/v1/loader/${script}`)
    await submit(page, 'Done')
    await row(page, /مشتري/).getByText('Unused').waitFor()
    const kept = await page.evaluate<string>('JSON.stringify({ ...localStorage })')
    expect(kept).toContain('Welcome! {key}')
    expect(kept).not.toContain(user?.key)
  })

  it('keeps the input when it is rejected or the server is unreachable', async () => {
    const owned = await createOwner(stage.server)
    await createUser(owned.owner, owned.project, { chat_id: '4711' })
    const page = await open(stage, owned)
    await button(page, 'New key').click()
    await dialog(page).getByLabel('Discord ID').fill('4711')
    await submit(page, 'Create key')
    await dialog(page).getByText('Another user in this project has this Discord ID.').waitFor()
    await page.context().setOffline(true)
    await dialog(page).getByLabel('Discord ID').fill('4712')
    await submit(page, 'Create key')
    await dialog(page).getByText("Can't reach the server.").waitFor()
    await expect.poll(() => dialog(page).getByLabel('Discord ID').inputValue()).toBe('4712')
    await page.context().setOffline(false)
    await submit(page, 'Create key')
    await page.getByRole('heading', { name: 'Key created' }).waitFor()
  })

  it('can be one of many generated keys, to copy or to save', async () => {
    const owned = await createOwner(stage.server)
    const page = await open(stage, owned)
    await button(page, 'Generate').click()
    await dialog(page).getByLabel('Number of keys').fill('0')
    await submit(page, 'Generate')
    await dialog(page).getByText('Enter a whole number greater than 0.').waitFor()
    await dialog(page).getByLabel('Number of keys').fill('25')
    await dialog(page).getByLabel('Note', { exact: true }).fill('reseller')
    await submit(page, 'Generate')
    await page.getByRole('heading', { name: '25 keys generated' }).waitFor()
    expect((await copied(page, button(page, 'Copy all'))).split('\n')).toHaveLength(25)
    await submit(page, 'Done')
    await expect.poll(() => page.getByRole('row').filter({ hasText: 'reseller' }).count()).toBe(25)
  })
})

describe('keys in a custom format', () => {
  const FORMAT = 'HUB-XXXXX-XXXXX-XXXXX-XXXXX-X'

  it('can be created individually and in bulk, and an invalid format is reported at the field', async () => {
    const owned = await createOwner(stage.server)
    const page = await open(stage, owned)
    await button(page, 'New key').click()
    await expect.poll(() => dialog(page).getByLabel('Key format').isVisible()).toBe(false)
    await dialog(page).getByText('Use a different key format').click()
    await dialog(page).getByLabel('Key format').fill('HUB-XXXXX')
    await dialog(page).getByText('16 more X').first().waitFor()
    await submit(page, 'Create key')
    await dialog(page).getByText('must have at least 21 X').waitFor()
    await dialog(page).getByLabel('Key format').fill(FORMAT.toLowerCase())
    await submit(page, 'Create key')
    await page.getByRole('heading', { name: 'Key created' }).waitFor()
    await page.reload()
    await button(page, 'Generate').click()
    await dialog(page).getByLabel('Number of keys').fill('3')
    await dialog(page).getByText('Use a different key format').click()
    await dialog(page).getByLabel('Key format').fill(FORMAT)
    await submit(page, 'Generate')
    await page.getByRole('heading', { name: '3 keys generated' }).waitFor()
    const { users } = (await owned.owner.get(`/v1/projects/${owned.project}/users`)).body
    const keys = (users as { key: string }[]).map(({ key }) => key)
    expect(keys.map((key) => isChecked(FORMAT, key))).toEqual([true, true, true, true])
  })
})

describe('the list', () => {
  it('filters by search, status and chips, all in the URL', async () => {
    const owned = await withUsers(stage, 'first friend', 'second friend', 'stranger')
    await changeUser(stage.server, owned.keys[1] ?? '', { executions: 3, executor: 'Wave' })
    await owned.owner.post(`/v1/users/${owned.keys[2]}/blacklist`, { expires: null, reason: 'chargeback' })
    const page = await open(stage, owned)
    await button(page, 'Blocked 1').click()
    await row(page, 'stranger').waitFor()
    await expect.poll(() => page.getByText('first friend').count()).toBe(0)
    await expect.poll(() => hash(page)).toContain('status=blacklisted')
    await page
      .getByRole('button', { name: /^All \d/ })
      .first()
      .click()
    await page.getByRole('searchbox').fill('friend')
    await expect.poll(() => row(page, /friend/).count()).toBe(2)
    await button(page, '+ Executor').click()
    await page.getByRole('textbox', { name: 'Executor' }).fill('Wave')
    await button(page, 'Apply').click()
    await expect.poll(() => row(page, /friend/).count()).toBe(1)
    const address = page.url()
    await page.goto('about:blank')
    await page.goto(address)
    await row(page, 'second friend').waitFor()
    await page.getByRole('searchbox').fill('nobody')
    await page.getByRole('heading', { name: 'No matches' }).waitFor()
    await button(page, 'Clear filters').click()
    await row(page, 'first friend').waitFor()
  })

  it('shows the chosen columns, also after a reload', async () => {
    const owned = await withUsers(stage, 'somebody')
    const page = await open(stage, owned)
    await expect.poll(() => page.getByRole('columnheader', { name: 'Limits' }).count()).toBe(0)
    await button(page, 'Columns').click()
    await page.getByRole('menuitemcheckbox', { name: 'Limits' }).click()
    await page.reload()
    await page.getByRole('columnheader', { name: 'Limits' }).waitFor()
  })
})

describe('selected users', () => {
  it('are blocked after a preview of who is skipped, and undo reverts it', async () => {
    const owned = await withUsers(stage, 'one', 'two', 'three')
    await owned.owner.post(`/v1/users/${owned.keys[2]}/blacklist`, { expires: null })
    const page = await open(stage, owned)
    await choose(page, 'one', 'two', 'three')
    await button(page, 'Block').click()
    await dialog(page).getByText('2 users will be changed.').waitFor()
    await dialog(page).getByText('1 user will be skipped: already blocked.').waitFor()
    await dialog(page).getByLabel('Block reason').fill('chargeback')
    await submit(page, 'Block')
    await page.getByText('2 users blocked.').waitFor()
    expect(await read(owned, owned.keys[0])).toMatchObject({
      blacklisted: true,
      blacklist_reason: 'chargeback',
    })
    await row(page, 'one').getByText('Blocked').waitFor()
    await button(page, 'Undo').click()
    await page.getByText('Undone for 2 users.').waitFor()
    expect(await read(owned, owned.keys[0])).toMatchObject({ blacklisted: false })
    expect(await read(owned, owned.keys[2])).toMatchObject({ blacklisted: true })
    await row(page, 'one').getByText('Unused').waitFor()
  })

  it('are listed even if they were generated while the list was loading', async () => {
    const owned = await createOwner(stage.server)
    const page = await open(stage, owned)
    const generated = Promise.withResolvers<void>()
    const early = async (route: Route) => {
      const response = await route.fetch()
      await generated.promise
      await route.fulfill({ response })
    }
    await page.route(/\/users\?/, early, { times: 1 })
    await page.reload()
    await button(page, 'Generate').click()
    await dialog(page).getByLabel('Number of keys').fill('2')
    await dialog(page).getByLabel('Note', { exact: true }).fill('in time')
    await submit(page, 'Generate')
    await page.getByRole('heading', { name: '2 keys generated' }).waitFor()
    generated.resolve()
    await submit(page, 'Done')
    await row(page, 'in time').first().waitFor()
  })

  it('are extended from their expiry, and undo restores the old one to the millisecond', async () => {
    const owned = await withUsers(stage, 'forever')
    const key_expires = Date.now() + 5 * DAY_MS + 123
    const key = await createUser(owned.owner, owned.project, { note: 'limited', key_expires })
    const page = await open(stage, owned)
    await choose(page, 'forever', 'limited')
    await button(page, 'Extend').click()
    await dialog(page).getByText('1 user will be skipped: never expires.').waitFor()
    await dialog(page).getByLabel('Amount of time').fill('2')
    await dialog(page).getByLabel('Unit').selectOption('weeks')
    await submit(page, 'Extend')
    await page.getByText('1 key extended.').waitFor()
    expect(await read(owned, key)).toMatchObject({ key_expires: key_expires + 14 * DAY_MS })
    await button(page, 'Undo').click()
    await page.getByText('Undone for 1 user.').waitFor()
    expect(await read(owned, key)).toMatchObject({ key_expires })
  })

  it('are extended once, even if reading one of them fails and is retried', async () => {
    const owned = await withUsers(stage, 'expired')
    const [key = ''] = owned.keys
    await changeUser(stage.server, key, { key_expires: Date.now() - DAY_MS })
    const page = await open(stage, owned)
    await choose(page, 'expired')
    await button(page, 'Extend').click()
    await page.route(`**/v1/users/${key}`, (route) => route.abort(), { times: 1 })
    await submit(page, 'Extend')
    await dialog(page).getByText('0 done, 1 failed').waitFor()
    await submit(page, 'Retry the remaining 1')
    await page.getByText('1 key extended.').waitFor()
    const { key_expires } = await read(owned, key)
    expect(key_expires).toBeGreaterThan(Date.now() + 29 * DAY_MS)
    expect(key_expires).toBeLessThan(Date.now() + 31 * DAY_MS)
  })

  it('are extended once, even if a response is lost and the change is retried', async () => {
    const owned = await withUsers(stage, 'expired')
    await changeUser(stage.server, owned.keys[0] ?? '', { key_expires: Date.now() - DAY_MS })
    const running = { note: 'running', key_expires: Date.now() + DAY_MS / 2 }
    const keys = [owned.keys[0] ?? '', await createUser(owned.owner, owned.project, running)]
    const page = await open(stage, owned)
    await choose(page, 'expired', 'running')
    await button(page, 'Extend').click()
    await page.route(/\/(extend|bulk)$/, async (route) => {
      await route.fetch()
      await route.abort()
    })
    await submit(page, 'Extend')
    await dialog(page).getByText('0 done, 2 failed').waitFor()
    await page.unroute(/\/(extend|bulk)$/)
    await submit(page, 'Retry the remaining 2')
    await page.getByText('2 keys extended.').waitFor()
    const ends = await Promise.all(keys.map(async (key) => (await read(owned, key)).key_expires ?? 0))
    const days = ends.map((end) => Math.round((Number(end) - Date.now() - 1) / DAY_MS))
    expect(days).toEqual([30, 30])
  })

  it('get tags in addition to those that they got elsewhere, and undo removes only the new ones', async () => {
    const owned = await withUsers(stage, 'tagged')
    const [key = ''] = owned.keys
    const page = await open(stage, owned)
    await row(page, 'tagged').waitFor()
    await owned.owner.post(`/v1/users/${key}/edit`, { tags: ['vip'] })
    await choose(page, 'tagged')
    await button(page, 'Tag').click()
    await dialog(page).getByLabel('Tags').fill('new')
    await submit(page, 'Tag')
    await page.getByText('1 user tagged.').waitFor()
    expect((await read(owned, key)).tags).toEqual(['vip', 'new'])
    await button(page, 'Undo').click()
    await page.getByText('Undone for 1 user.').waitFor()
    expect((await read(owned, key)).tags).toEqual(['vip'])
  })

  it('are no longer selected after they are removed', async () => {
    const owned = await withUsers(stage, 'stays', 'also stays', 'goes')
    const page = await open(stage, owned)
    await choose(page, 'stays', 'goes')
    await button(page, 'Actions for goes').click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await submit(page, 'Remove')
    await page.getByText('1 user removed.').waitFor()
    await page.getByText('1 selected').waitFor()
    await button(page, 'Remove').click()
    await submit(page, 'Remove')
    await row(page, 'also stays').waitFor()
    await expect.poll(() => page.getByText(/\d selected/).count()).toBe(0)
  })

  it('are listed individually when they fail, and only those are retried', async () => {
    const owned = await withUsers(stage, 'fine', 'was reset')
    for (const key of owned.keys) await bindDevice(stage.server, owned.project, key)
    await changeUser(stage.server, owned.keys[1] ?? '', { last_reset: stage.server.clock.now - 1000 })
    await owned.owner.post(`/v1/projects/${owned.project}/edit`, { fingerprint_reset_cooldown: DAY_MS })
    const page = await open(stage, owned)
    await choose(page, 'fine', 'was reset')
    await button(page, 'Reset device').click()
    await dialog(page).getByText("This can't be undone.").waitFor()
    await submit(page, 'Reset device')
    await dialog(page).getByText('1 done, 1 failed').waitFor()
    await dialog(page).getByLabel('Failed changes').getByText('This device was reset recently.').waitFor()
    expect(await read(owned, owned.keys[0])).toMatchObject({ fingerprint_assigned: false })
    await changeUser(stage.server, owned.keys[1] ?? '', { last_reset: 0 })
    await submit(page, 'Retry the remaining 1')
    await page.getByText('Devices reset for 2 users.').waitFor()
    expect(await read(owned, owned.keys[1])).toMatchObject({ fingerprint_assigned: false })
  })

  it('can be removed permanently, and exported with formulas quoted', async () => {
    const owned = await withUsers(stage, 'stays', '=HYPERLINK("x")', 'goes')
    const page = await open(stage, owned)
    await choose(page, /HYPERLINK/)
    await button(page, 'Export').click()
    await dialog(page).getByRole('heading', { name: 'Export 1 user' }).waitFor()
    const saved = page.waitForEvent('download')
    await submit(page, 'Export')
    const csv = readFileSync(await (await saved).path(), 'utf8')
    expect(csv).toContain(owned.keys[1])
    expect(csv).toContain("'=HYPERLINK")
    await page.getByText('1 user exported.').waitFor()
    await button(page, 'Clear').click()
    await choose(page, 'goes')
    await button(page, 'Remove').click()
    await submit(page, 'Remove')
    await page.getByText('1 user removed.').waitFor()
    await expect.poll(() => row(page, 'goes').count()).toBe(0)
    await button(page, 'All 2').waitFor()
    const table = page.getByRole('table', { name: 'Users' })
    await expect.poll(() => table.getAttribute('aria-rowcount')).toBe('2')
    expect((await owned.owner.get(`/v1/users/${owned.keys[2]}`)).status).toBe(404)
    await row(page, 'stays').waitFor()
  })

  it('cannot be changed without permission, and the button names the missing one', async () => {
    const owned = await withUsers(stage, 'somebody')
    const seat: Seat = { role: 'custom', scopes: ['projects:read', 'users:read'] }
    const page = await open(stage, owned, { seat })
    await choose(page, 'somebody')
    await button(page, 'Block').hover()
    await page.getByRole('tooltip').filter({ hasText: 'users:write' }).first().waitFor()
    await button(page, 'Block').click({ force: true })
    await expect.poll(() => page.locator('dialog[open]').count()).toBe(0)
  })
})

describe('an export as CSV', () => {
  it('can be imported again, with tags, and with keys and notes that look like formulas', async () => {
    const owned = await createOwner(stage.server)
    const users = [
      { key: '-abcdefgh', note: '@ann', tags: ['vip', 'channel:beta'] },
      { key: '=bcdefghi', note: "'=1", tags: [] },
    ]
    await owned.owner.post(`/v1/projects/${owned.project}/users/import`, { users })
    const page = await open(stage, owned)
    await button(page, 'Export the list').click()
    const saved = page.waitForEvent('download')
    await submit(page, 'Export')
    const file = await (await saved).path()
    for (const { key } of users) await owned.owner.post(`/v1/users/${encodeURIComponent(key)}/remove`)
    await page.getByText('2 users exported.').waitFor()
    await button(page, 'Bulk actions').click()
    await page.getByRole('menuitem', { name: 'Import' }).click()
    await dialog(page).getByLabel('CSV or JSON file').setInputFiles(file)
    await submit(page, 'Preview import')
    await submit(page, 'Import 2 users')
    await dialog(page).getByText('2 users imported.').waitFor()
    const listed = (await owned.owner.get(`/v1/projects/${owned.project}/users`)).body.users as typeof users
    expect(listed.map(({ key, note, tags }) => ({ key, note, tags }))).toEqual(expect.arrayContaining(users))
  })

  it('is neither saved nor reported once its dialog has been closed', async () => {
    const owned = await withUsers(stage, 'somebody')
    const page = await open(stage, owned)
    const { promise: isFree, resolve: free } = Promise.withResolvers<void>()
    const saved: string[] = []
    page.on('download', (download) => saved.push(download.suggestedFilename()))
    await page.route(/limit=1000/, async (route) => {
      await isFree
      await route.continue()
    })
    await button(page, 'Export the list').click()
    const asked = page.waitForRequest(/limit=1000/)
    await submit(page, 'Export')
    const answered = (await asked).response()
    await dialog(page).getByRole('button', { name: 'Cancel' }).click()
    free()
    await answered
    await button(page, 'Export the list').click()
    await dialog(page).getByLabel('Format').selectOption('json')
    await submit(page, 'Export')
    await expect.poll(() => saved).toContain('Project.users.json')
    expect(saved).toHaveLength(1)
    await page.getByText('1 user exported.').waitFor()
  })
})

describe('all users', () => {
  it("are changed destructively only after their number has been shown and the project's name has been typed", async () => {
    const owned = await withUsers(stage, 'unused', 'also unused', 'used')
    await changeUser(stage.server, owned.keys[2] ?? '', { executions: 1 })
    const page = await open(stage, owned)
    await button(page, 'Bulk actions').click()
    await page.getByRole('menuitem', { name: 'Remove unused users…' }).click()
    await dialog(page).getByText('2 users will be removed.').waitFor()
    await dialog(page).getByLabel('Type Project to confirm').fill('Projekt')
    await submit(page, 'Remove unused users')
    await dialog(page).getByText("This doesn't match the project name.").waitFor()
    expect(await read(owned, owned.keys[0])).toMatchObject({ note: 'unused' })
    await dialog(page).getByLabel('Type Project to confirm').fill('Project')
    await submit(page, 'Remove unused users')
    await page.getByText('2 users removed.').waitFor()
    await expect.poll(() => page.getByText('also unused').count()).toBe(0)
    await row(page, 'used').waitFor()
  })

  it('can be extended, and exported in the import format', async () => {
    const owned = await createOwner(stage.server)
    const key_expires = Date.now() + DAY_MS
    const key = await createUser(owned.owner, owned.project, { note: 'limited', key_expires })
    const page = await open(stage, owned)
    await button(page, 'Bulk actions').click()
    await page.getByRole('menuitem', { name: 'Add time to all keys…' }).click()
    await dialog(page).getByText('1 key will be extended.').waitFor()
    await dialog(page).getByLabel('Amount of time').fill('12')
    await dialog(page).getByLabel('Unit').selectOption('hours')
    await submit(page, 'Add time')
    await page.getByText('1 key extended.').waitFor()
    expect(await read(owned, key)).toMatchObject({ key_expires: key_expires + DAY_MS / 2 })
    await button(page, 'Bulk actions').click()
    await page.getByRole('menuitem', { name: 'Export…' }).click()
    await dialog(page).getByText('1 user will be exported.').waitFor()
    const saved = page.waitForEvent('download')
    await submit(page, 'Export')
    const exported = JSON.parse(readFileSync(await (await saved).path(), 'utf8')) as object[]
    expect(exported).toMatchObject([{ key, note: 'limited' }])
  })
})
