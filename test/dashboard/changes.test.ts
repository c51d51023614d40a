/**
 * Tests undo in a real browser: an accidental removal of all users is undone right away, or later from the
 * history.
 */
import { describe, expect, it } from 'vitest'
import { changeUser, createScript } from '../../packages/server/test/nouns.ts'
import { sharedStage } from './stage.ts'
import { button, dialog, open, read, row, submit, withUsers } from './users-steps.ts'

const stage = sharedStage()

const clearAll = async (page: Awaited<ReturnType<typeof open>>) => {
  await button(page, 'Bulk actions').click()
  await page.getByRole('menuitem', { name: 'Remove all users…' }).click()
  await dialog(page).getByText('2 users will be removed.').waitFor()
  await dialog(page).getByText('also paid').waitFor()
  await dialog(page).getByLabel('Type Project to confirm').fill('Project')
  await submit(page, 'Remove all users')
  await page.getByText('2 users removed.').waitFor()
}

describe('an accidental removal of all users', () => {
  it('is previewed with samples, and can be undone from the toast', async () => {
    const owned = await withUsers(stage, 'paid', 'also paid')
    const page = await open(stage, owned)
    await clearAll(page)
    expect((await owned.owner.get(`/v1/users/${owned.keys[0]}`)).status).toBe(404)
    await button(page, 'Undo').click()
    await page.getByText('Undone.').waitFor()
    await row(page, 'also paid').waitFor()
    expect(await read(owned, owned.keys[0])).toMatchObject({ note: 'paid' })
  })

  it('can be undone with Ctrl Z, and the toast shows the result in place', async () => {
    const owned = await withUsers(stage, 'paid', 'also paid')
    const page = await open(stage, owned)
    await clearAll(page)
    await page.keyboard.press('Control+z')
    await page.getByText('Undone.').waitFor()
    await expect.poll(() => page.getByText('2 users removed.').count()).toBe(0)
    await expect.poll(() => button(page, 'Undo').count()).toBe(0)
    await row(page, 'also paid').waitFor()
    expect(await read(owned, owned.keys[0])).toMatchObject({ note: 'paid' })
  })

  it('can be undone in its row of the history, which names removed scripts', async () => {
    const owned = await withUsers(stage, 'paid')
    const script = await createScript(owned.owner, owned.project, { name: 'Shop' })
    await owned.owner.post(`/v1/scripts/${script}/remove`)
    const page = await open(stage, owned)
    await page.goto(`${stage.server.url}/dashboard/#/changes`)
    await page.getByRole('button', { name: 'Undo: Removed a script: Shop' }).click()
    await dialog(page).getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone.').waitFor()
    await page.getByText('Undone', { exact: true }).waitFor()
    expect((await owned.owner.get(`/v1/scripts/${script}`)).body.script).toMatchObject({ name: 'Shop' })
  })

  it('can be undone later in the history, which lists what changed since', async () => {
    const owned = await withUsers(stage, 'paid', 'also paid')
    const page = await open(stage, owned)
    await clearAll(page)
    const users = [{ key: owned.keys[1], note: 'new' }]
    await owned.owner.post(`/v1/projects/${owned.project}/users/import`, { users })
    await page.goto(`${stage.server.url}/dashboard/#/changes`)
    // Reloading closes the toast, which offers undo as well.
    await page.reload()
    await page.getByRole('button', { name: 'Removed all users: paid and also paid', exact: true }).click()
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await dialog(page).last().getByText('This change affected 2 users.').waitFor()
    await dialog(page).last().getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone, except for 1 item that was edited since then.').first().waitFor()
    await page.getByText('Another user has this key now.').waitFor()
    expect(await read(owned, owned.keys[0])).toMatchObject({ note: 'paid' })
    expect(await read(owned, owned.keys[1])).toMatchObject({ note: 'new' })
  })
})

describe('the history', () => {
  it('names whom a change affected, and lists all of them page by page with a link to those who exist', async () => {
    const owned = await withUsers(stage, 'Ann', 'Ben', 'Cem')
    const path = `/v1/projects/${owned.project}/users`
    const order = { action: 'extend', duration: 86_400_000, keys: owned.keys }
    for (const key of owned.keys) await changeUser(stage.server, key, { key_expires: 2 ** 42 })
    await owned.owner.post(`${path}/bulk`, order)
    const page = await open(stage, owned)
    await page.goto(`${stage.server.url}/dashboard/#/changes`)
    await button(page, 'Extended Ann, Ben and Cem by 1 day').click()
    const affected = page.getByRole('region', { name: 'Affected users' })
    await affected.getByRole('link', { name: 'Ben' }).waitFor()
    await page.keyboard.press('Escape')
    await affected.waitFor({ state: 'hidden' })
    await owned.owner.post(`${path}/generate`, { amount: 117 })
    await owned.owner.post(`${path}/clear`, {})
    await page.reload()
    await button(page, 'Removed all users: Ann, Ben and 118 more').click()
    await expect.poll(() => affected.getByRole('listitem').count()).toBe(100)
    expect(await affected.getByRole('link').count()).toBe(0)
    // The URL identifies the open drawer, so a reload keeps it open.
    await page.reload()
    await expect.poll(() => affected.getByRole('listitem').count()).toBe(100)
    await affected.getByRole('button', { name: 'Show more' }).click()
    await expect.poll(() => affected.getByRole('listitem').count()).toBe(120)
  })
})

describe('a link to a change', () => {
  it('opens it even if it is not among the listed ones, and names a missing one', async () => {
    const owned = await withUsers(stage, 'Ann')
    const { change_id } = (await owned.owner.post(`/v1/users/${owned.keys[0]}/remove`)).body
    const page = await open(stage, owned)
    await page.goto(`${stage.server.url}/dashboard/#/changes?project=prj_none&change=${change_id}`)
    await dialog(page).getByRole('heading', { name: 'Removed Ann' }).waitFor()
    await dialog(page).getByRole('region', { name: 'Affected users' }).getByText('Ann').waitFor()
    await page.goto(`${stage.server.url}/dashboard/#/changes?change=chg_0VMc4VLkH7rAAAAAAAAAAA`)
    await dialog(page).getByText('does not exist, or you have no access to it').waitFor()
  })
})

describe('a removed user', () => {
  const remove = async (page: Awaited<ReturnType<typeof open>>, note: string) => {
    await row(page, note)
      .getByRole('button', { name: /Actions/ })
      .click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await submit(page, 'Remove')
    await page.getByText('1 user removed.').waitFor()
  }

  it('is not restored by Ctrl Z in a text field, whose own input is undone', async () => {
    const owned = await withUsers(stage, 'paid', 'also paid')
    const page = await open(stage, owned)
    const search = page.locator('main input[type=search]').first()
    await remove(page, 'paid')
    await search.focus()
    await page.keyboard.type('a')
    await page.keyboard.press('Control+z')
    await expect.poll(() => search.inputValue()).toBe('')
    expect((await owned.owner.get(`/v1/users/${owned.keys[0]}`)).status).toBe(404)
    await button(page, 'Undo').focus()
    await page.keyboard.press('Control+z')
    await page.getByText('Undone for 1 user.').waitFor()
  })

  it('is restored by undo', async () => {
    const owned = await withUsers(stage, 'paid')
    const page = await open(stage, owned)
    await remove(page, 'paid')
    await button(page, 'Undo').click()
    await page.getByText('Undone for 1 user.').waitFor()
    expect(await read(owned, owned.keys[0])).toMatchObject({ note: 'paid' })
  })
})

describe('all users who match the filters', () => {
  it('are changed in one call, after a preview of their number', async () => {
    const owned = await withUsers(stage, 'sale', 'other')
    const page = await open(stage, owned)
    await page.goto(`${stage.server.url}/dashboard/#/projects/${owned.project}/users?note=sale`)
    await expect.poll(() => page.getByText('other').count()).toBe(0)
    await button(page, 'Bulk actions').click()
    await page.getByRole('menuitem', { name: /^Edit all .*matching users…$/ }).click()
    await dialog(page).getByLabel('Action').selectOption('blacklist')
    await dialog(page).getByText('1 user will be changed.').waitFor()
    await dialog(page).getByLabel('Reason').fill('refund')
    await submit(page, 'Block')
    await page.getByText('1 user blocked.').waitFor()
    expect(await read(owned, owned.keys[0])).toMatchObject({ blacklist_reason: 'refund' })
    expect(await read(owned, owned.keys[1])).toMatchObject({ blacklisted: false })
    await button(page, 'Undo').click()
    await page.getByText('Undone.').waitFor()
    expect(await read(owned, owned.keys[0])).toMatchObject({ blacklisted: false })
  })
})
