/** Tests the users page in a real browser: a user's drawer, imports, and Discord members. */

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { effort } from '../../packages/client/test/effort.ts'
import { chainEntries } from '../../packages/server/src/features/audit/chain.ts'
import { joinSession } from '../../packages/server/test/live-sessions.ts'
import { bindDevice, changeUser, createOwner, createScript } from '../../packages/server/test/nouns.ts'
import { picture } from '../browser.ts'
import { sharedStage } from './stage.ts'
import { button, DAY_MS, dialog, hash, open, read, row, submit, withUsers } from './users-steps.ts'

/** Imports have the maximum size in nightly runs, and a tenth of it otherwise. */
const ROWS = effort({ day: 10_000, night: 100_000 })
const WRONG = ROWS / 100

const stage = sharedStage()
const count = (number: number) => number.toLocaleString('en')

describe('the drawer of a user', () => {
  it('sends only changed fields, and shows errors next to the field', async () => {
    const owned = await withUsers(stage, 'before')
    const [key = ''] = owned.keys
    const page = await open(stage, owned, { query: `?user=${key}&tab=edit` })
    const drawer = page.locator('dialog.drawer')
    await drawer.getByLabel('Note', { exact: true }).fill('after')
    await drawer.getByLabel('Concurrent runs').fill('many')
    await button(page, 'Save').click()
    await drawer.getByText('Enter a whole number, or leave empty.').waitFor()
    await drawer.getByLabel('Concurrent runs').fill('2')
    await button(page, 'Save').click()
    await drawer.getByText('Saved.').waitFor()
    expect(await read(owned, key)).toMatchObject({ note: 'after', max_instances: 2, max_executions: null })
    await drawer.getByLabel('Concurrent runs').fill('')
    await button(page, 'Save').click()
    await expect.poll(async () => (await read(owned, key)).max_instances).toBeNull()
    await drawer.getByText('1 unsaved change').waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await row(page, 'after').waitFor()
    await expect.poll(() => hash(page)).not.toContain('user=')
  })

  it('keeps a private note in addition to the public one, and labels both', async () => {
    const owned = await withUsers(stage, 'for scripts')
    const [key = ''] = owned.keys
    const page = await open(stage, owned, { query: `?user=${key}&tab=edit` })
    const drawer = page.locator('dialog.drawer')
    await drawer.getByText('Visible to your team and to scripts as ward.note').waitFor()
    await drawer.getByText('Visible only to your team').waitFor()
    await drawer.getByLabel('Private note').fill('refunded once\nasks for more')
    await button(page, 'Save').click()
    await drawer.getByText('Saved.').waitFor()
    const notes = { note: 'for scripts', private_note: 'refunded once\nasks for more' }
    expect(await read(owned, key)).toMatchObject(notes)
    await page.reload()
    await expect.poll(() => drawer.getByLabel('Private note').inputValue()).toBe(notes.private_note)
  })

  it('shows changes from a second tab, and keeps the input', async () => {
    const owned = await withUsers(stage, 'mine')
    const [key = ''] = owned.keys
    const page = await open(stage, owned, { query: `?user=${key}&tab=edit` })
    const drawer = page.locator('dialog.drawer')
    await drawer.getByLabel('Note', { exact: true }).fill('typed here')
    await owned.owner.post(`/v1/users/${key}/edit`, { note: 'typed there', max_instances: 7 })
    await drawer.getByText('Note: typed there').waitFor()
    await expect.poll(() => drawer.getByLabel('Note', { exact: true }).inputValue()).toBe('typed here')
    await expect.poll(() => drawer.getByLabel('Concurrent runs').inputValue()).toBe('7')
    await button(page, 'Save').click()
    await drawer.getByText('Saved.').waitFor()
    expect(await read(owned, key)).toMatchObject({ note: 'typed here', max_instances: 7 })
  })

  it('resets the device even during the cooldown, and messages and ends live sessions', async () => {
    const owned = await withUsers(stage, 'player')
    const [key = ''] = owned.keys
    await bindDevice(stage.server, owned.project, key)
    await changeUser(stage.server, key, { last_reset: stage.server.clock.now - 1000 })
    await owned.owner.post(`/v1/projects/${owned.project}/edit`, { fingerprint_reset_cooldown: DAY_MS })
    const script_id = await createScript(owned.owner, owned.project)
    const session = joinSession(
      stage.server,
      {
        ...{ customer_id: owned.owner.id, project_id: owned.project, script_id, user_key: key },
      },
      () => ({ ok: true, data: null }) as never,
    )
    const page = await open(stage, owned, { query: `?user=${key}` })
    await page.getByRole('tab', { name: /^Live sessions/ }).click()
    await button(page, 'Send a message').click()
    await dialog(page).getByLabel('Name').fill('notice')
    await dialog(page).getByRole('button', { name: 'JSON' }).click()
    await dialog(page).getByLabel('Data').fill('{"text":')
    await submit(page, 'Send')
    await dialog(page).getByText('Not valid JSON at line 1, column 9.').waitFor()
    await dialog(page).getByLabel('Data').fill('{"text":"hi"}')
    await submit(page, 'Send')
    await dialog(page).getByText('Processed by 1 of 1.').waitFor()
    expect(session.received).toHaveLength(1)
    await page.keyboard.press('Escape')
    await button(page, 'Disconnect').click()
    await expect.poll(() => session.isKicked()).toBe(true)
    await page.getByRole('tab', { name: 'Device' }).click()
    await page.getByText('machine_id').waitFor()
    await button(page, 'Reset device').click()
    await dialog(page)
      .getByLabel(/^Ignore cooldown/)
      .check()
    await submit(page, 'Reset device')
    await page.getByText('No device is bound yet.').waitFor()
    expect(await read(owned, key)).toMatchObject({ fingerprint_assigned: false })
  })

  it('lists removing the user last, after everything that can be undone', async () => {
    const owned = await withUsers(stage, 'known')
    const page = await open(stage, owned, { query: `?user=${owned.keys[0]}` })
    await page.getByRole('button', { name: 'More actions for known' }).click()
    const actions = page.getByRole('menuitem')
    await expect.poll(() => actions.last().textContent()).toBe('Remove')
    expect(await actions.allTextContents()).toContain('Block device, network or account…')
  })

  it('shows a timeline of the user, and reports when they were removed', async () => {
    const owned = await withUsers(stage, 'known')
    const [key = ''] = owned.keys
    await owned.owner.post(`/v1/users/${key}/blacklist`, { expires: null, reason: 'chargeback' })
    while (await chainEntries(stage.server.deps));
    const page = await open(stage, owned, { query: `?user=${key}` })
    const drawer = page.locator('dialog.drawer')
    await drawer.getByText('This key is blocked.').waitFor()
    await drawer
      .getByRole('listitem')
      .filter({ hasText: /^\d\d:\d\dBlocked/ })
      .waitFor()
    await drawer.getByRole('listitem').filter({ hasText: 'User created' }).waitFor()
    await page.goto(`${stage.server.url}/dashboard/#/projects/${owned.project}/users?user=no-such-key`)
    await page.getByRole('heading', { name: 'User not found' }).waitFor()
  })
})

describe('an import', () => {
  it('maps columns, previews the result for each row, and exports the skipped ones', async () => {
    const owned = await withUsers(stage, 'was there')
    const page = await open(stage, owned)
    await button(page, 'Bulk actions').click()
    await page.getByRole('menuitem', { name: 'Import' }).click()
    const text =
      'license,discord_id,comment,auth_expire,banned\n' +
      'imported-key-1,77,fine,1900000000,no\nx,78,short,,no\nimported-key-2,79,also fine,never,yes\n'
    await dialog(page).getByLabel('Or paste it here').fill(text)
    await submit(page, 'Continue')
    await expect.poll(() => dialog(page).getByLabel('Field for discord_id').inputValue()).toBe('chat_id')
    await submit(page, 'Preview import')
    await dialog(page).getByText('2 users will be imported.').waitFor()
    await dialog(page).getByText('key: must be 4 to 512 printable ASCII characters').waitFor()
    const previewed = dialog(page).getByRole('region', { name: 'Will be imported' })
    await previewed.getByRole('row', { name: /fine.* Ready 0$/ }).waitFor()
    await previewed.getByRole('row', { name: /also fine.* Blocked 0$/ }).waitFor()
    expect((await owned.owner.get('/v1/users/imported-key-1')).status).toBe(404)
    await submit(page, 'Import 2 users')
    await dialog(page).getByText('2 users imported.').waitFor()
    const saved = page.waitForEvent('download')
    await submit(page, 'Download skipped rows')
    const csv = readFileSync(await (await saved).path(), 'utf8')
    expect(csv.split('\r\n')[1]).toMatch(/^2,.*x,78,short/)
    await submit(page, 'Done')
    await row(page, 'also fine').getByText('Blocked').waitFor()
    expect(await read(owned, 'imported-key-1')).toMatchObject({
      chat_id: '77',
      note: 'fine',
      key_expires: 1_900_000_000_000,
    })
  })

  it('detects exports of other services, and shows how they are converted', async () => {
    const owned = await withUsers(stage, 'was there')
    const plan = await owned.owner.post(`/v1/projects/${owned.project}/plans/new`, { name: 'Pro' })
    const page = await open(stage, owned)
    await button(page, 'Bulk actions').click()
    await page.getByRole('menuitem', { name: 'Import' }).click()
    await dialog(page).getByLabel('Plan for keys without an expiry date').selectOption('Pro · Never expires')
    const records = [
      { user_key: 'moved-key-1', auth_expire: 1_900_000_000, total_executions: 7, note: 'moved', hooks: 2 },
      { user_key: 'moved-key-2', auth_expire: -1 },
    ]
    await dialog(page).getByLabel('Or paste it here').fill(JSON.stringify(records))
    await submit(page, 'Continue')
    await dialog(page).getByText('2 users will be imported.').waitFor()
    await dialog(page)
      .getByText(/Luarmor export detected/)
      .click()
    await dialog(page).getByText('auth_expire → key_expires').waitFor()
    await dialog(page)
      .getByRole('row', { name: /moved.* Ready 7$/ })
      .waitFor()
    await dialog(page).getByText('Not imported: hooks').waitFor()
    await picture(page, 'users-import-luarmor')
    const wide = page.viewportSize()
    await page.setViewportSize({ width: 360, height: 800 })
    await dialog(page).getByText('7 runs').waitFor()
    await picture(page, 'users-import-luarmor-phone')
    if (wide) await page.setViewportSize(wide)
    await submit(page, 'Import 2 users')
    await dialog(page).getByText('2 users imported.').waitFor()
    expect(await read(owned, 'moved-key-2')).toMatchObject({ plan_id: plan.string('plan_id') })
    expect(await read(owned, 'moved-key-1')).toMatchObject({ executions: 7, key_expires: 1_900_000_000_000 })
  })

  it(`of ${count(ROWS)} rows with ${count(WRONG)} invalid ones never freezes the page`, async () => {
    const owned = await createOwner(stage.server)
    const page = await open(stage, owned)
    const lines = Array.from({ length: ROWS }, (_, n) =>
      n % 100 === 0 ? `abc,wrong ${n}` : `key-of-import-${n},number ${n}`,
    )
    const buffer = Buffer.from(`key,note\n${lines.join('\n')}\n`)
    await button(page, 'Import').click()
    await page.evaluate(`(() => {
      window.longest_ = 0
      let last = performance.now()
      setInterval(() => { const now = performance.now(); window.longest_ = Math.max(window.longest_, now - last); last = now }, 20)
    })()`)
    await dialog(page)
      .getByLabel('CSV or JSON file')
      .setInputFiles({ name: 'users.csv', mimeType: 'text/csv', buffer })
    await dialog(page)
      .getByText(`${count(ROWS)} rows found.`)
      .waitFor()
    await submit(page, 'Preview import')
    await dialog(page)
      .getByText(`${count(ROWS - WRONG)} users will be imported.`)
      .waitFor()
    await dialog(page)
      .getByText(`${count(WRONG)} rows will be skipped.`)
      .waitFor()
    await submit(page, `Import ${count(ROWS - WRONG)} users`)
    await dialog(page)
      .getByText(`${count(ROWS - WRONG)} users imported.`)
      .waitFor({ timeout: 200_000 })
    expect(await page.evaluate<number>('window.longest_')).toBeLessThan(15_000)
    await submit(page, 'Done')
    await page.getByText(new RegExp(`of ${count(ROWS - WRONG)}$`)).waitFor()
  })

  it('explains why a file has no usable rows', async () => {
    const page = await open(stage, await createOwner(stage.server))
    await button(page, 'Import').click()
    const buffer = Buffer.from('{"users": 3')
    await dialog(page)
      .getByLabel('CSV or JSON file')
      .setInputFiles({ name: 'users.json', mimeType: 'application/json', buffer })
    await dialog(page).getByText('No rows found.').waitFor()
  })
})

describe('Discord members', () => {
  it('can be added, removed and replaced, and the list is updated', async () => {
    const owned = await withUsers(stage, 'somebody')
    const page = await open(stage, owned)
    await button(page, 'Bulk actions').click()
    await page.getByRole('menuitem', { name: 'Discord members' }).click()
    await dialog(page).getByLabel('Discord IDs').fill(' 11, 12\n13 11 ')
    await submit(page, 'Add 3')
    await dialog(page).getByText('3 members added.').waitFor()
    await dialog(page).getByText('3 members in your Discord server.').waitFor()
    await dialog(page).getByLabel('Discord IDs').fill('14')
    await submit(page, 'Replace list')
    await dialog(page).getByText('The list currently has 3 members.', { exact: false }).waitFor()
    await submit(page, 'Replace list')
    await page.getByText('1 member in your Discord server.').waitFor()
    const { body } = await owned.owner.get(`/v1/projects/${owned.project}/chat-members`)
    expect(body.members).toMatchObject([{ chat_id: '14' }])
  })
})
