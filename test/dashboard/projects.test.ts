/** Tests projects in a real browser: they are created, found, renamed, and removed by typing the name. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import {
  createOwner,
  createProject,
  createScript,
  createTier,
  createUser,
} from '../../packages/server/test/nouns.ts'
import { signInAs } from '../sign-in.ts'
import { meetFailures, meetMissingRight, refuse, setScopes } from './failing.ts'
import { MIXED } from './forms.ts'
import { sharedStage } from './stage.ts'
import { button, dialog, submit } from './users-steps.ts'

const stage = sharedStage()

async function visit(owner: string, address = '#/'): Promise<Page> {
  const context = await stage.browser.newContext({ viewport: { width: 1280, height: 860 } })
  await signInAs(context, stage.server, owner)
  const page = await context.newPage()
  await page.goto(`${stage.server.url}/dashboard/${address}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  return page
}

const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true })

describe('a project', () => {
  it('is the first thing created in an empty account, with the typed name', async () => {
    const owner = await stage.server.createCustomer()
    const page = await visit(owner.id)
    const create = button(page, 'Create project')
    await refuse(page.getByLabel('Name', { exact: true }), create, [
      ['', 'Enter a name for the project.'],
      [' \u00a0 ', 'Enter a name for the project.'],
      ['n'.repeat(101), /100 characters/],
    ])
    await page.getByLabel('Name', { exact: true }).fill(`  ${MIXED} `)
    await create.click()
    await page.getByRole('button', { name: `Choose a project: ${MIXED}` }).waitFor()
    const { projects } = (await owner.get('/v1/projects')).body as { projects: { name: string }[] }
    expect(projects.map(({ name }) => name)).toEqual([MIXED])
  })

  it('keeps the typed name if creating it fails, and shows why', async () => {
    const { owner } = await createOwner(stage.server)
    const page = await visit(owner.id)
    await button(page, 'New project').click()
    await dialog(page).getByLabel('Name').fill(MIXED)
    const form = { page, place: dialog(page), submit: () => submit(page, 'Create project') }
    await meetFailures(form)
    await meetMissingRight(form, 'projects:write', () => setScopes(stage.server, owner.id, ['projects:read']))
    await setScopes(stage.server, owner.id, 'owner')
    const tier = await createTier(stage.server, { max_projects: 1 })
    await stage.server.admin.post(`/v1/admin/customers/${owner.id}/edit`, { tier })
    await submit(page, 'Create project')
    await dialog(page).getByText('Remove a project, or upgrade your service tier.').waitFor()
  })

  it('can be found by part of its name', async () => {
    const owner = await stage.server.createCustomer()
    for (let n = 1; n <= 12; n += 1) await createProject(owner, { name: `Garden ${n}` })
    const page = await visit(owner.id)
    await page.getByRole('searchbox', { name: 'Search projects' }).fill('den 12')
    await expect.poll(() => page.getByRole('link', { name: /^Garden/ }).count()).toBe(1)
    await page.getByRole('searchbox', { name: 'Search projects' }).fill('harbour')
    await page.getByRole('heading', { name: 'No matching projects' }).waitFor()
    await page.getByRole('searchbox', { name: 'Search projects' }).fill('')
    await link(page, 'Garden 12').click()
    await page.getByRole('button', { name: 'Choose a project: Garden 12' }).waitFor()
  })

  it('is listed with its figures, and the complete list can be sorted by each of them', async () => {
    const owner = await stage.server.createCustomer()
    for (const [name, users] of [
      ['Small', 1],
      ['Large', 3],
      ['Medium', 2],
    ] as const) {
      const project = await createProject(owner, { name })
      for (let n = 0; n < users; n += 1) await createUser(owner, project)
    }
    await createScript(owner, await createProject(owner, { name: 'Empty' }))
    const page = await visit(owner.id)
    const rows = page.getByRole('row').filter({ has: page.getByRole('link') })
    const names = () => rows.getByRole('link').allInnerTexts()
    const figures = async (name: string) =>
      (
        await rows
          .filter({ has: link(page, name) })
          .getByRole('cell')
          .allInnerTexts()
      ).slice(1)
    await expect.poll(names).toEqual(['Empty', 'Medium', 'Large', 'Small'])
    expect(await figures('Empty')).toEqual(['0', '1', '0', '0', '0', '0'])
    expect(await figures('Large')).toEqual(['3', '0', '0', '0', '0', '0'])
    await button(page, 'Customers').click()
    await expect.poll(names).toEqual(['Large', 'Medium', 'Small', 'Empty'])
    await button(page, 'Scripts').click()
    await expect.poll(async () => (await names())[0]).toBe('Empty')
    await button(page, 'Name').click()
    await expect.poll(names).toEqual(['Empty', 'Large', 'Medium', 'Small'])
  })

  it('shows its new name everywhere immediately', async () => {
    const { owner, project } = await createOwner(stage.server, {}, { name: 'Before' })
    const page = await visit(owner.id, `#/projects/${project}/settings`)
    await page.getByRole('region', { name: 'General' }).getByLabel('Name').fill(` ${MIXED} `)
    await button(page, 'Save').click()
    await page.getByText('Settings saved').waitFor()
    await page.getByRole('button', { name: `Choose a project: ${MIXED}` }).click()
    await page.getByRole('menuitem', { name: 'All projects' }).click()
    await link(page, MIXED).waitFor()
    await expect.poll(() => link(page, 'Before').count()).toBe(0)
  })

  it('is removed only after its name has been typed, shows what is removed with it, and disappears in every tab', async () => {
    const { owner, project } = await createOwner(stage.server, {}, { name: 'Garden' })
    await createScript(owner, project)
    for (let n = 0; n < 3; n += 1) await createUser(owner, project)
    const other = await visit(owner.id, `#/projects/${project}/users`)
    const page = await visit(owner.id, `#/projects/${project}/settings`)
    await button(page, 'Remove project').click()
    for (const words of ['1 script', '3 license keys', 'statistics for 0 runs'])
      await dialog(page).getByText(words, { exact: true }).waitFor()
    const remove = dialog(page).getByRole('button', { name: 'Remove project' })
    const wrong = ['', 'garden', 'Garden 2'].map(
      (typed) => [typed, "This doesn't match the project name."] as const,
    )
    await refuse(dialog(page).getByLabel('Type Garden to confirm'), remove, wrong)
    expect((await owner.get(`/v1/projects/${project}`)).status).toBe(200)
    await dialog(page).getByLabel('Type Garden to confirm').fill(' Garden ')
    await meetFailures({ page, place: dialog(page), submit: () => remove.click() })
    await remove.click()
    await page.getByText('Garden removed').waitFor()
    await page.getByRole('heading', { name: 'Create your first project' }).waitFor()
    expect((await owner.get(`/v1/projects/${project}`)).status).toBe(404)
    await other.reload()
    await other.getByRole('heading', { name: 'Page not found' }).waitFor()
  })
})
