/**
 * Tests releases and channels in a real browser: starting, watching and stopping them, and the text shown for
 * an upload.
 */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { countCustomers, reviewAll } from '../../packages/server/test/releases.ts'
import { changeRows, rowsOf } from '../../packages/server/test/stored.ts'
import { BROKEN, LOST } from './failing.ts'
import { editor, panel } from './forms.ts'
import { scriptsRoom } from './scripts-room.ts'
import { button, dialog, submit } from './users-steps.ts'

const { at, open, scriptOf } = scriptsRoom()

/** Creates a script with this number of versions, the first of which is live. */
async function scene(versions = 2) {
  at().clock.now = Date.now()
  const scripted = await scriptOf({ options: { preset: 'light' } })
  const { owner, id, address } = scripted
  const path = `/v1/scripts/${id}`
  for (let n = 2; n <= versions; n += 1) await owner.post(`${path}/update`, { script: `print(${n})` })
  await owner.post(`${path}/versions/1/activate`)
  const release = async (n: number, body: object = {}) =>
    ((await owner.post(`${path}/versions/${n}/release`, body)).body.release as { id: string }).id
  const stored = () => rowsOf(at(), 'releases', { script_id: id }, 'seq')
  const channels = () => rowsOf(at(), 'script_channels', { script_id: id }, 'name')
  return { ...scripted, path, release, stored, channels, tab: `${address}?tab=releases` }
}

const card = (page: Page, name: string) => page.getByRole('region', { name: new RegExp(`^${name}`) })
const press = (page: Page, action: string, name: string) => button(page, `${action}: ${name}`).click()
const toast = (page: Page, words: string) => page.getByText(words, { exact: true }).waitFor()

describe('a release', () => {
  it('is started from the tab, paused, continued, changed and rolled back', async () => {
    const { owner, tab, stored } = await scene()
    const { page, complaints } = await open(owner, tab)
    await button(page, 'Release a version').click()
    await dialog(page).getByText('5% now, 25% after 3 hours, 100% after 6 hours.').waitFor()
    await submit(page, 'Release')
    await toast(page, '5% of customers now get version 2.')
    const name = 'Version 2 on stable'
    await card(page, name).getByText('Running', { exact: true }).waitFor()
    await card(page, name).getByText('Next: 25% on ').waitFor()
    await press(page, 'Pause', name)
    await card(page, name).getByText('Paused', { exact: true }).waitFor()
    expect(await stored()).toMatchObject([{ state: 'paused', percent: 5, guard: 'roll_back' }])
    await press(page, 'Continue', name)
    await card(page, name).getByText('Running', { exact: true }).waitFor()
    await press(page, 'Change share', name)
    await dialog(page).getByLabel('A share of customers').check()
    await dialog(page).getByLabel('Share in percent').fill('40')
    await submit(page, 'Save')
    await card(page, name).getByText('Stays at 40% until you change it').waitFor()
    expect(await stored()).toMatchObject([{ percent: 40, steps: '[]', next_at: null }])
    await press(page, 'Roll back', name)
    await dialog(page)
      .getByText('Everyone on the stable channel gets version 1 from their next run.')
      .waitFor()
    await submit(page, 'Roll back')
    await toast(page, 'Rolled back to version 1.')
    await page
      .getByRole('table', { name: 'Earlier releases' })
      .getByText('Rolled back', { exact: true })
      .waitFor()
    expect(await stored()).toMatchObject([{ state: 'rolled_back' }])
    expect(complaints).toEqual([])
  })

  it('shows the health of both versions and the findings of the guard, and continues only without the guard', async () => {
    const { owner, tab, release, stored } = await scene()
    const id = await release(2, { percent: 50, guard: 'hold' })
    const executor = '<b>Garden</b>'
    await countCustomers(at(), id, { fresh: 1, customers: 100, bad: 40, executor })
    await countCustomers(at(), id, { fresh: 0, customers: 100, bad: 1, executor })
    await reviewAll(at())
    const { page } = await open(owner, tab)
    const name = 'Version 2 on stable'
    await card(page, name).getByText('Held by the guard', { exact: true }).waitFor()
    for (const words of [
      '60% healthy',
      '99% healthy',
      'The guard is holding this release at 50%.',
      'Version 2 failed for 40% of customers, compared with 1% for version 1 on the same executors.',
      executor,
      '40 of 100 customers failed',
    ])
      await card(page, name).getByText(words).first().waitFor()
    await press(page, 'Continue', name)
    await dialog(page).getByText('turns the guard off').waitFor()
    await submit(page, 'Continue')
    await card(page, name).getByText('Running', { exact: true }).waitFor()
    await reviewAll(at())
    expect(await stored()).toMatchObject([{ state: 'running', guard: 'off', held: 0 }])
  })

  it('that the guard rolled back is listed with the reason', async () => {
    const { owner, tab, release } = await scene()
    const id = await release(2, { percent: 50 })
    await countCustomers(at(), id, { fresh: 1, customers: 100, bad: 40 })
    await countCustomers(at(), id, { fresh: 0, customers: 100, bad: 1 })
    await reviewAll(at())
    const { page } = await open(owner, tab)
    const list = page.getByRole('table', { name: 'Earlier releases' })
    await list.getByText('Rolled back by the guard').waitFor()
    await list.getByRole('button', { name: 'Version 2' }).click()
    await dialog(page).getByText('40 of 100 customers failed').waitFor()
  })

  it('is started from the list of versions, on the channel that was chosen, and replaces the open one', async () => {
    const { owner, address, path, release, stored } = await scene(3)
    await owner.post(`${path}/channels/beta`, { tags: ['tester'] })
    await release(2, { channel: 'beta', percent: 10 })
    const { page } = await open(owner, `${address}?tab=versions`)
    await button(page, 'Actions for Version 3').click()
    await page.getByRole('menuitem', { name: 'Release…' }).click()
    await dialog(page).getByLabel('Channel').selectOption('beta')
    await dialog(page).getByText('Replaces the open release of version 2 on this channel.').waitFor()
    await dialog(page).getByLabel('Everyone at once').check()
    await submit(page, 'Release')
    await toast(page, 'Everyone now gets version 3.')
    expect(await stored()).toMatchObject([
      { version: 2, state: 'replaced' },
      { version: 3, state: 'running', channel: 'beta', percent: 100 },
    ])
  })

  it('keeps the guard that somebody else has chosen while its share was edited', async () => {
    const { owner, path, tab, release, stored } = await scene()
    const id = await release(2, { percent: 10, guard: 'roll_back' })
    const { page } = await open(owner, tab)
    await press(page, 'Change share', 'Version 2 on stable')
    await dialog(page).getByLabel('Share in percent').fill('20')
    await owner.post(`${path}/releases/${id}/edit`, { guard: 'off' })
    await submit(page, 'Save')
    await expect.poll(() => dialog(page).count()).toBe(0)
    expect(await stored()).toMatchObject([{ percent: 20, guard: 'off' }])
  })

  it('is not changed by an action that fails, which is shown', async () => {
    const { owner, tab, release, stored } = await scene()
    await release(2, { percent: 10 })
    const { page } = await open(owner, tab)
    const name = 'Version 2 on stable'
    for (const { meet, words } of [LOST, BROKEN]) {
      await page.route('**/pause', meet)
      await press(page, 'Pause', name)
      await card(page, name).getByRole('alert').filter({ hasText: words }).waitFor()
      await page.unrouteAll()
    }
    await press(page, 'Change share', name)
    for (const typed of ['0', '101', 'half', '']) {
      await dialog(page).getByLabel('Share in percent').fill(typed)
      await submit(page, 'Save')
      await dialog(page).getByText('Enter a whole number from 1 to 100.').waitFor()
    }
    expect(await stored()).toMatchObject([{ state: 'running', percent: 10 }])
  })

  it('is read-only for those who may not change the script', async () => {
    const { owner, tab, release } = await scene()
    await release(2, { percent: 10 })
    const { page } = await open(owner, tab, {
      seat: { role: 'custom', scopes: ['projects:read', 'scripts:read'] },
    })
    for (const name of ['Pause: Version 2 on stable', 'Roll back: Version 2 on stable', 'Add channel'])
      await expect.poll(() => button(page, name).getAttribute('aria-disabled')).toBe('true')
    expect(await button(page, 'Release a version').getAttribute('aria-disabled')).toBe('true')
  })
})

describe('a channel', () => {
  it('is added, changed without ending its release, and removed', async () => {
    const { owner, project, tab, release, stored, channels } = await scene()
    const made = await owner.post(`/v1/projects/${project}/plans/new`, { name: 'Testers' })
    const { page } = await open(owner, tab)
    await button(page, 'Add channel').click()
    await dialog(page).getByLabel('Name').fill('Beta')
    await submit(page, 'Save')
    await dialog(page).getByText('Start with a lowercase letter or digit').waitFor()
    await dialog(page).getByLabel('Name').fill('beta')
    await dialog(page).getByLabel('Tags').fill('tester, friend')
    await dialog(page).getByLabel('Testers').check()
    await submit(page, 'Save')
    await toast(page, 'Channel beta saved.')
    const list = panel(page, 'Channels')
    await list.getByText('Tags: tester, friend').waitFor()
    await list.getByText('Plans: Testers').waitFor()
    const tags = '["tester","friend"]'
    expect(await channels()).toMatchObject([{ version: 1, tags, plans: `["${made.string('plan_id')}"]` }])
    await release(2, { channel: 'beta', percent: 10 })
    await button(page, 'Edit beta').click()
    await dialog(page).getByLabel('Tags').fill('')
    await submit(page, 'Save')
    await expect.poll(() => list.getByText('Tags: tester').count()).toBe(0)
    expect(await stored()).toMatchObject([{ state: 'running' }])
    await button(page, 'Remove beta').click()
    await dialog(page).getByText('Its customers get version 1 (stable)').waitFor()
    await submit(page, 'Remove')
    await toast(page, 'Channel beta removed.')
    expect(await channels()).toEqual([])
    expect(await stored()).toMatchObject([{ state: 'replaced' }])
  })

  it('keeps the plans that somebody else has added while its tags were edited', async () => {
    const { owner, project, path, tab, channels } = await scene()
    const made = await owner.post(`/v1/projects/${project}/plans/new`, { name: 'Testers' })
    await owner.post(`${path}/channels/beta`, { tags: ['tester'] })
    const { page } = await open(owner, tab)
    await button(page, 'Edit beta').click()
    await dialog(page).getByLabel('Tags').fill('tester, friend')
    await owner.post(`${path}/channels/beta`, { plans: [made.string('plan_id')] })
    await submit(page, 'Save')
    await toast(page, 'Channel beta saved.')
    const plans = `["${made.string('plan_id')}"]`
    expect(await channels()).toMatchObject([{ tags: '["tester","friend"]', plans }])
  })

  it('cannot be added if its name exists, or if there are ten others', async () => {
    const { owner, tab, path, channels } = await scene(1)
    for (let n = 1; n < 10; n += 1) await owner.post(`${path}/channels/c${n}`, {})
    const { page } = await open(owner, tab)
    await button(page, 'Add channel').click()
    await dialog(page).getByLabel('Name').fill('c1')
    await submit(page, 'Save')
    await dialog(page).getByText('A channel with this name already exists.').waitFor()
    await dialog(page).getByLabel('Name').fill('c10')
    await submit(page, 'Save')
    await expect.poll(() => button(page, 'Add channel').getAttribute('aria-disabled')).toBe('true')
    expect(await channels()).toHaveLength(10)
  })
})

describe('an upload', () => {
  const upload = async (page: Page, words: string) => {
    await editor(page).fill('print("new")')
    await button(page, 'Protect and publish').click()
    await toast(page, `Greeter protected and published. ${words}`)
  }

  it('shows that everyone has the version', async () => {
    const { owner, address } = await scene(1)
    const { page } = await open(owner, `${address}?tab=new`)
    await upload(page, 'Everyone now gets version 2.')
    await page.getByRole('heading', { name: 'How customers run it' }).waitFor()
  })

  it('is no longer announced once another version is live', async () => {
    const { owner, address } = await scene(1)
    const { page } = await open(owner, `${address}?tab=new`)
    await upload(page, 'Everyone now gets version 2.')
    await page.getByRole('heading', { name: 'How customers run it' }).waitFor()
    await page.getByRole('tab', { name: 'Versions' }).click()
    await button(page, 'Actions for Version 1').click()
    await page.getByRole('menuitem', { name: 'Roll back to this version' }).click()
    await toast(page, 'Version 1 is now live.')
    await expect.poll(() => page.getByText('Everyone now gets version 2.').count()).toBe(0)
  })

  it('to a share of customers is described, with a link to its release', async () => {
    const { owner, address, stored } = await scene(1)
    const { page } = await open(owner, `${address}?tab=new`)
    await page.getByLabel('Release to').selectOption('share')
    await page.getByLabel('Share in percent').fill('0')
    await editor(page).fill('print("new")')
    await button(page, 'Protect and publish').click()
    await page.getByText('Enter a whole number from 1 to 100.').waitFor()
    await page.getByLabel('Share in percent').fill('15')
    await upload(page, '15% of customers now get version 2.')
    await card(page, 'Version 2 on stable').getByText('Running', { exact: true }).waitFor()
    expect(await stored()).toMatchObject([{ version: 2, percent: 15, version_before: 1 }])
  })

  it('is rolled out gradually unless the setting is off', async () => {
    const { owner, id, address } = await scene(1)
    const { page } = await open(owner, `${address}?tab=settings`)
    const settings = panel(page, 'Settings')
    await settings.getByLabel('Release uploads gradually').uncheck()
    await settings.getByRole('button', { name: 'Save', exact: true }).click()
    await toast(page, 'Saved.')
    expect(await rowsOf(at(), 'scripts', { id })).toMatchObject([{ staged_releases: 0 }])
    await page.getByRole('button', { name: 'New version' }).click()
    await page.getByText('Everyone immediately, because “Release uploads gradually” is off.').waitFor()
    await changeRows(at(), 'scripts', { id }, { staged_releases: 1 })
    await page.reload()
    await page.getByText('Step by step if the script had more than 100 customers').waitFor()
  })
})
