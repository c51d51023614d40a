/** Tests the lists of errors, releases and leaks for all scripts in a project, in a real browser. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { groupAll, listErrors, reportErrors } from '../../packages/server/test/errors.ts'
import { createScript, createUser } from '../../packages/server/test/nouns.ts'
import { component, ProtocolClient } from '../../packages/server/test/protocol/client.ts'
import { countCustomers, reviewAll } from '../../packages/server/test/releases.ts'
import { inspect } from './inspect.ts'
import { scriptsRoom } from './scripts-room.ts'
import { button, dialog, submit } from './users-steps.ts'

const { at, open, scriptOf } = scriptsRoom()
const LONG_SCRIPT = `local function greet(name) for i = 1, 3 do print('hello ' .. name, i * 21) end return #name end
return greet('you') + greet('all of you')`
const LONG = `${'مرحبا 🐸 '.repeat(7)}a script with a very long name`

const rowOf = (page: Page, words: string) => page.getByRole('row').filter({ hasText: words })
const inSidebar = (page: Page, name: RegExp) =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name })

describe('the errors of a project', () => {
  it('include all scripts, are counted in the sidebar while open, and are resolved in place', async () => {
    const { owner, project, id } = await scriptOf()
    const other = await createScript(owner, project, { name: LONG })
    await reportErrors(at(), { project_id: project, script_id: id }, { text: 'no rake' })
    await reportErrors(
      at(),
      { project_id: project, script_id: other },
      { text: '<b>no boat</b>' },
      { text: 'no sail' },
    )
    await groupAll(at())
    const { page, complaints } = await open(owner, `${project}/errors`)
    await inSidebar(page, /^Errors 3 open$/).waitFor()
    await rowOf(page, '<b>no boat</b>').getByRole('link', { name: LONG.trim() }).waitFor()
    await inspect(page, 'project errors')
    await rowOf(page, 'no rake').getByRole('button').first().click()
    await button(page, 'Resolve').click()
    await dialog(page).getByText('Resolved', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await rowOf(page, 'no rake').waitFor({ state: 'detached' })
    await inSidebar(page, /^Errors 2 open$/).waitFor()
    expect(await listErrors(owner, id)).toMatchObject([{ state: 'resolved' }])
    await button(page, 'Resolved').click()
    await rowOf(page, 'no rake').getByRole('link', { name: 'Greeter' }).click()
    await page.getByRole('heading', { level: 1, name: 'Greeter' }).waitFor()
    expect(complaints).toEqual([])
  })

  it('are an empty list in a new project, whose sidebar shows no count', async () => {
    const { owner, project } = await scriptOf()
    const { page } = await open(owner, `${project}/errors`)
    await page.getByRole('heading', { name: 'No open errors' }).waitFor()
    await inSidebar(page, /^Errors$/).waitFor()
    await inspect(page, 'project errors, none')
  })
})

describe('the releases of a project', () => {
  it('include all scripts, with their actions, and move to the earlier ones when they end', async () => {
    at().clock.now = Date.now()
    const { owner, project, id } = await scriptOf({ options: { preset: 'light' } })
    const other = await createScript(owner, project, { name: LONG, options: { preset: 'light' } })
    const releases: string[] = []
    for (const script of [id, other]) {
      const path = `/v1/scripts/${script}`
      await owner.post(`${path}/update`, { script: 'print(2)' })
      await owner.post(`${path}/versions/1/activate`)
      const { body } = await owner.post(`${path}/versions/2/release`, { percent: 50, guard: 'hold' })
      releases.push((body.release as { id: string }).id)
    }
    await countCustomers(at(), releases[1] ?? '', { fresh: 1, customers: 100, bad: 40 })
    await countCustomers(at(), releases[1] ?? '', { fresh: 0, customers: 100, bad: 1 })
    await reviewAll(at())
    const { page, complaints } = await open(owner, `${project}/releases`)
    const name = 'Greeter, Version 2 on stable'
    await page
      .getByRole('region', { name: /^Greeter · Version 2 on stable/ })
      .getByText('Running')
      .waitFor()
    await page.getByText('Held by the guard', { exact: true }).waitFor()
    await inspect(page, 'project releases')
    await button(page, `Roll back: ${name}`).click()
    await submit(page, 'Roll back')
    await rowOf(page, 'Rolled back').getByRole('link', { name: 'Greeter' }).waitFor()
    await expect.poll(() => button(page, `Roll back: ${name}`).count()).toBe(0)
    expect(complaints).toEqual([])
  })

  it('are an empty list in a new project', async () => {
    const { owner, project } = await scriptOf()
    const { page } = await open(owner, `${project}/releases`)
    await page.getByRole('heading', { name: 'No open releases' }).waitFor()
    await inspect(page, 'project releases, none')
  })
})

describe('the leaks of a project', () => {
  it('are traced in the selected script, and every trace is listed with its author', async () => {
    const { owner, project } = await scriptOf()
    await createScript(owner, project, { name: LONG })
    const { page, complaints } = await open(owner, `${project}/leaks`)
    await page.getByText('No traces yet.').waitFor()
    await inspect(page, 'project leaks')
    await page.getByLabel('Script', { exact: true }).selectOption({ label: 'Greeter' })
    const copy = page.getByRole('textbox', { name: 'Leaked copy' })
    await copy.focus()
    await page.keyboard.type('print("somebody leaked this")')
    await button(page, 'Find the source of the leak').click()
    await page.getByRole('heading', { name: 'No match found' }).waitFor()
    await rowOf(page, 'Greeter').getByText('No match found').waitFor()
    await inspect(page, 'project leaks, traced')
    await button(page, `Compare with ${LONG}`).click()
    await rowOf(page, LONG).getByText('No match found').waitFor()
    await page.getByLabel('Script', { exact: true }).selectOption({ label: 'Greeter' })
    await page.getByRole('heading', { name: 'No match found' }).waitFor({ state: 'detached' })
    await expect.poll(() => copy.textContent()).toContain('somebody leaked this')
    expect(complaints).toEqual([])
  })

  it('open with their result, and the user is blocked in place', async () => {
    const { owner, project, id } = await scriptOf({ script: LONG_SCRIPT })
    const key = await createUser(owner, project, { note: 'Leaker 🐸' })
    const copy = await copyOf(id, key)
    await owner.post(`/v1/scripts/${id}/trace`, { text: copy })
    const { page, complaints } = await open(owner, `${project}/leaks`)
    await rowOf(page, 'Leaker 🐸').getByText('99.99%').waitFor()
    await rowOf(page, 'Leaker 🐸').getByRole('button').first().click()
    await dialog(page).getByText('marks match').waitFor()
    await dialog(page).getByText('Practically certain').waitFor()
    await dialog(page).getByText('SHA-256 digest').waitFor()
    await inspect(page, 'trace of a leak')
    await submit(page, 'Block')
    await dialog(page).getByText('Block Leaker 🐸').waitFor()
    await submit(page, 'Block')
    await dialog(page).getByText('Blocked', { exact: true }).waitFor()
    expect((await owner.get(`/v1/users/${key}`)).body.user).toMatchObject({ blacklisted: true })
    await page.reload()
    await dialog(page).getByText('marks match').waitFor()
    expect(complaints).toEqual([])
  })

  it('are listed only with permission to read users, and require a script', async () => {
    const { owner, project } = await scriptOf()
    const seat = { role: 'custom', scopes: ['projects:read', 'scripts:read', 'scripts:source'] } as const
    const { page } = await open(owner, `${project}/leaks`, { seat })
    await page.getByRole('region', { name: 'Earlier traces' }).getByText('users:read').waitFor()
    const empty = await owner.post('/v1/projects/new', { name: 'Empty' })
    const { page: other } = await open(owner, `${empty.string('project_id')}/leaks`)
    await other.getByRole('heading', { name: 'No scripts yet' }).waitFor()
    await other.getByRole('link', { name: 'Upload a script' }).waitFor()
  })
})

async function copyOf(script_id: string, key: string): Promise<string> {
  const client = new ProtocolClient(at().url)
  const { reply, keys, script } = await client.run(script_id, {
    key,
    fp: { machine_id: component('leaker') },
  })
  if (!reply.ok) throw new Error(reply.reason)
  return script ?? client.fetchScript(keys, reply)
}
