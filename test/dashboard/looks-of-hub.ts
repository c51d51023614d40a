/**
 * Lists the states of a project's hub and its key window: with games and requested games, without scripts,
 * failing, and for users with read-only access.
 */
import type { Page } from 'playwright-core'
import { png } from '../../packages/server/test/images.ts'
import { createOwner, createProject, createScript } from '../../packages/server/test/nouns.ts'
import { insertRows } from '../../packages/server/test/stored.ts'
import type { Room } from './inspect.ts'
import { goTo } from './looks-of-users.ts'
import type { Stage } from './stage.ts'
import { button, DAY_MS, dialog, submit } from './users-steps.ts'

const LONG = `عربي 🎉 tower ${'long '.repeat(15)}end`

/** Creates a hub with four scripts and requests from other games. */
export async function makeHub(stage: Stage) {
  const { owner, project } = await createOwner(stage.server)
  const add = async (name: string, members: object) => {
    const id = await createScript(owner, project, { name })
    await owner.post(`/v1/scripts/${id}/edit`, members)
    return id
  }
  const farm = await add('Farm', { places: [920_587_237, 606_849_621], games: [383_310_974] })
  const tower = await add(LONG, { games: Array.from({ length: 14 }, (_, i) => 136_801_880_565_837 + i) })
  await owner.post(`/v1/scripts/${tower}/toggle`, { state: false })
  await add('Tools', { games: ['any'] })
  await createScript(owner, project, { name: 'Draft' })
  const { now } = stage.server.clock
  const asked = (place_id: string, game_id: string, requests: number) => ({
    ...{ project_id: project, day: Math.floor(now / DAY_MS), place_id, game_id, requests },
    last_at: now - requests * 1000,
  })
  await insertRows(stage.server, 'hub_demand', [
    asked('142823291', '66654135', 4211),
    asked('2753915549', '0', 731),
    asked('0', '994732206', 12),
    asked('', '', 3),
  ])
  return { owner, project, farm }
}

const showsDemand = (page: Page) => page.getByText('3 more requests came from other games.').waitFor()

const hub: Room = async (stage) => {
  const { owner, project } = await makeHub(stage)
  const empty = await createProject(owner)
  return {
    account: owner.id,
    address: `#/projects/${project}/hub`,
    states: {
      'with games and demand': showsDemand,
      'where a script runs, with mistakes': async (page) => {
        await button(page, 'Edit “Draft”').click()
        await dialog(page).getByLabel('Places').fill('920587237\nadopt me')
        await submit(page, 'Save')
        await dialog(page).getByText('is not an ID').waitFor()
      },
      'where a script runs, with a place of another': async (page) => {
        await dialog(page).getByLabel('Places').fill('920587237')
        await submit(page, 'Save')
        await dialog(page).getByText('already has').waitFor()
      },
      'a game for a script': async (page) => {
        await page.keyboard.press('Escape')
        await button(page, 'Add to script… “place 142823291”').click()
        await dialog(page).waitFor()
      },
      'without scripts': async (page) => {
        await goTo(page, `#/projects/${empty}/hub`)
        await page.getByRole('heading', { name: 'No scripts yet' }).waitFor()
      },
      failing: async (page) => {
        await page.route('**/hub', (route) => route.abort())
        await page.reload()
        await button(page, 'Try again').first().waitFor()
        await page.unrouteAll()
      },
    },
  }
}

const showsWindow = (page: Page, words: string) => page.getByRole('img', { name: words }).waitFor()

/** Creates a project with branding and checks. */
export async function makeWindow(stage: Stage) {
  const { owner, project } = await createOwner(stage.server)
  await owner.post(`/v1/projects/${project}/edit`, { allow_checks: true })
  const logo = png(64, 64).toString('base64')
  const links = [
    { title: 'Discord', url: 'https://chat.example.com/garden' },
    { title: 'Website', url: 'https://garden.example.com' },
  ]
  const edited = await owner.post(`/v1/projects/${project}/branding/edit`, {
    name: 'Garden Hub',
    logo,
    links,
  })
  if (edited.status !== 200) throw new Error(edited.text)
  return { owner, project }
}

const keyWindow: Room = async (stage) => {
  const { owner, project } = await makeWindow(stage)
  const unchecked = await createProject(owner)
  return {
    account: owner.id,
    address: `#/projects/${project}/hub?tab=window`,
    states: {
      'without options': (page) => showsWindow(page, 'Garden Hub · Enter your key to continue'),
      'with all options, denied': async (page) => {
        await page.getByLabel('Title', { exact: true }).fill('Moonlit Garden')
        await page.getByLabel('Accent color', { exact: true }).fill('#c2185b')
        await page.getByLabel('Logo', { exact: true }).fill('rbxassetid://1234567')
        await page.getByLabel('Get key button').selectOption('Always')
        await page.getByLabel('Buy link').fill('https://shop.example.com')
        await button(page, 'Denied').click()
        await showsWindow(page, 'Try again in 4:32. · Check key · Get key · Buy key')
      },
      'on a low screen, valid': async (page) => {
        await button(page, 'Landscape').click()
        await button(page, 'Valid').click()
        await showsWindow(page, 'Your key is valid · 12 d left')
      },
      'on a computer, in Russian': async (page) => {
        await button(page, 'Computer').click()
        await page.getByLabel('Language').selectOption('Русский')
        await showsWindow(page, 'Вставить')
      },
      'with mistakes': async (page) => {
        await page.getByLabel('Accent color', { exact: true }).fill('green')
        await page.getByLabel('Logo', { exact: true }).fill('logo.png')
        await page.getByLabel('Buy link').fill('shop')
        await page.getByText('Enter a URL that begins with').waitFor()
      },
      'with a long title from right to left': async (page) => {
        await button(page, 'Portrait').click()
        await page.getByLabel('Title', { exact: true }).fill('حديقة القمر 🎉 '.repeat(14))
        await showsWindow(page, 'حديقة القمر')
      },
      'without checks': async (page) => {
        await goTo(page, `#/projects/${unchecked}/hub?tab=window`)
        await button(page, 'Turn on key checks').waitFor()
      },
    },
  }
}

const reader: Room = async (stage) => {
  const { owner, project } = await makeHub(stage)
  return {
    account: owner.id,
    seat: { role: 'reader' },
    address: `#/projects/${project}/hub`,
    states: { 'to read only': showsDemand },
  }
}

export const ROOMS_OF_HUB: Readonly<Record<string, Room>> = {
  'the hub': hub,
  'the key window': keyWindow,
  'the hub of a reader': reader,
}
