/**
 * Tests the variables page in a real browser: variables and announcements are created, edited and removed,
 * and are never silently overwritten.
 */
import { describe, expect, it } from 'vitest'
import { signInAs } from '../sign-in.ts'
import { sharedStage } from './stage.ts'
import { button, dialog, submit, withUsers } from './users-steps.ts'

const stage = sharedStage()

type Owned = Awaited<ReturnType<typeof withUsers>>
const HOUR_MS = 3_600_000

async function openRoom({ owner, project }: Owned) {
  const context = await stage.browser.newContext({ viewport: { width: 1280, height: 860 } })
  await signInAs(context, stage.server, owner.id)
  const page = await context.newPage()
  await page.goto(`${stage.server.url}/dashboard/#/projects/${project}/variables`)
  return page
}

const read = async ({ owner, project }: Owned) => (await owner.get(`/v1/projects/${project}/variables`)).body
const put = ({ owner, project }: Owned, version: number, variables: object) =>
  owner.put(`/v1/projects/${project}/variables`, { version, variables })
const planOf = async ({ owner, project }: Owned) =>
  (await owner.post(`/v1/projects/${project}/plans/new`, { name: 'Pro' })).string('plan_id')

describe('the variables page', () => {
  it('creates a string, changes it to JSON for a plan, and removes it', async () => {
    const owned = await withUsers(stage)
    const plan = await planOf(owned)
    const page = await openRoom(owned)
    await page.getByText('No variables yet').waitFor()
    await button(page, 'New variable').click()
    await dialog(page).getByLabel('Name').fill('Motd')
    await submit(page, 'Save')
    await dialog(page).getByText('Start with a lowercase letter').waitFor()
    await dialog(page).getByLabel('Name').fill('motd')
    await dialog(page).getByLabel('Value').fill('Welcome back')
    await submit(page, 'Save')
    await page.getByRole('listitem').getByText('"Welcome back"').waitFor()
    await button(page, 'Edit motd').click()
    await dialog(page).getByLabel('Type').selectOption('json')
    await submit(page, 'Save')
    await dialog(page).getByText('Enter valid JSON other than null.').waitFor()
    await dialog(page).getByLabel('Value').fill('{"slow": 0.5}')
    await dialog(page).getByLabel('Only keys on selected plans').check()
    await submit(page, 'Save')
    await dialog(page).getByText('Select at least one plan, or all keys.').waitFor()
    await dialog(page).getByLabel('Pro', { exact: true }).check()
    await submit(page, 'Save')
    await page.getByRole('listitem').getByText('Plans: Pro').waitFor()
    expect(await read(owned)).toMatchObject({
      version: 2,
      variables: { motd: { value: { slow: 0.5 }, scripts: null, plans: [plan] } },
    })
    await button(page, 'Remove motd?').click()
    await submit(page, 'Remove')
    await page.getByText('No variables yet').waitFor()
    expect(await read(owned)).toMatchObject({ version: 3, variables: {} })
  })

  it('does not overwrite changes made by others while the form was open', async () => {
    const owned = await withUsers(stage)
    await put(owned, 0, { motd: { value: 'mine' } })
    const page = await openRoom(owned)
    await button(page, 'Edit motd').click()
    await dialog(page).getByLabel('Value').fill('later')
    await put(owned, 1, { motd: { value: 'theirs' }, other: { value: 1 } })
    await submit(page, 'Save')
    await dialog(page)
      .getByText('Someone else has changed the variables since you opened this dialog.')
      .waitFor()
    expect(await read(owned)).toMatchObject({ version: 2, variables: { motd: { value: 'theirs' } } })
  })

  it('creates and removes an announcement', async () => {
    const owned = await withUsers(stage)
    const page = await openRoom(owned)
    await button(page, 'New announcement').click()
    await submit(page, 'Announce')
    await dialog(page).getByText('Enter a message.').waitFor()
    await dialog(page).getByLabel('Message').fill('Back at ten')
    await dialog(page).getByLabel('Level').selectOption('warning')
    await dialog(page).getByLabel('Amount of time').fill('2')
    await submit(page, 'Announce')
    const list = page.getByRole('list', { name: 'Announcements' })
    await list.getByText('Back at ten').waitFor()
    const { body } = await owned.owner.get(`/v1/projects/${owned.project}/announcements`)
    const [made] = body.announcements as { level: string; until: number }[]
    expect(made?.level).toBe('warning')
    expect(made?.until).toBeGreaterThan(stage.server.clock.now + 47 * HOUR_MS)
    await button(page, 'Remove “Back at ten”').click()
    await submit(page, 'Remove')
    await page.getByText('No announcements.').waitFor()
  })
})
