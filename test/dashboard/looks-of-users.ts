/** Lists a project's pages for users, with data. */
import type { Page } from 'playwright-core'
import { bindDevice, createOwner, createScript } from '../../packages/server/test/nouns.ts'
import { denial } from '../../packages/server/test/store/rows.ts'
import { insertRows } from '../../packages/server/test/stored.ts'
import { panel } from './forms.ts'
import type { Room } from './inspect.ts'
import {
  act,
  button,
  choose,
  createPlan,
  DAY_MS,
  dialog,
  row,
  sell,
  submit,
  withUsers,
} from './users-steps.ts'

const FORMAT = 'HUB-XXXXX-XXXXX-XXXXX-XXXXX-X'
const HOUR_MS = DAY_MS / 24

const label = (page: Page, name: string) => dialog(page).getByLabel(name, { exact: true })
const close = (page: Page) => page.keyboard.press('Escape')

/** Navigates without a reload. */
export async function goTo(page: Page, address: string): Promise<void> {
  await page.goto(`${page.url().replace(/#.*/, '')}${address}`)
}

const users: Room = async (stage) => {
  const long = 'A note that is longer than a line of a small telephone is wide'
  const owned = await withUsers(stage, 'one', 'two', long)
  const { owner, project } = owned
  const [key = ''] = owned.keys
  await owner.post(`/v1/users/${owned.keys[1]}/blacklist`, { expires: null, reason: 'chargeback' })
  await owner.post(`/v1/projects/${project}/users/bulk`, { action: 'tag', tags: ['vip'], keys: owned.keys })
  await bindDevice(stage.server, project, key)
  const script_id = await createScript(owner, project, { options: { preset: 'light' } })
  const at = {
    first_at: stage.server.clock.now - HOUR_MS,
    last_at: stage.server.clock.now - HOUR_MS / 2,
    count: 3,
  }
  const denied = { project_id: project, script_id, user_key: key, reason: 'fingerprint_mismatch' as const }
  await insertRows(stage.server, 'denials', { ...denial, ...denied, ...at, fingerprint: 'c41d…07' })
  const tabs = ['Devices', 'Live sessions', 'Activity', 'Edit'].map(
    (name) =>
      [
        `the ${name} of one`,
        (page: Page) => page.getByRole('tab', { name: new RegExp(`^${name}`) }).click(),
      ] as const,
  )
  const withFormat = async (page: Page, name: string) => {
    await button(page, name).click()
    await dialog(page).getByText('Use a different key format').click()
    await dialog(page).getByLabel('Key format').fill(FORMAT)
    await dialog(page).locator('code').waitFor()
  }
  return {
    account: owner.id,
    address: `#/projects/${project}/users`,
    states: {
      'some of which are chosen': async (page) => {
        await row(page, 'one').waitFor()
        await choose(page, 'one')
      },
      'more time for them': async (page) => {
        await button(page, 'Extend').click()
        await dialog(page).waitFor()
      },
      'a new key of a format of its own': async (page) => {
        await close(page)
        await withFormat(page, 'New key')
      },
      'generated keys of a format of their own': async (page) => {
        await close(page)
        await withFormat(page, 'Generate')
      },
      'one of them': async (page) => {
        await close(page)
        await goTo(page, `#/projects/${project}/users?user=${key}`)
        await dialog(page).getByText('User created').waitFor()
      },
      ...Object.fromEntries(tabs),
      'a denied device of one': async (page) => {
        await page.getByRole('tab', { name: /^Devices/ }).click()
        await page.getByText('c41d…07').scrollIntoViewIfNeeded()
        await button(page, 'Block network 203.0.0.0/16').scrollIntoViewIfNeeded()
      },
      'a device that is let in': (page) => button(page, 'Allow c41d…07').click(),
      'the network of a device to block': async (page) => {
        await close(page)
        await button(page, 'Block network 203.0.0.0/16').click()
        await submit(page, 'Preview')
        await dialog(page).getByText('This blocks').waitFor()
      },
      'a key that is handed over': async (page) => {
        await close(page)
        await act(page, 'Send to customer')
        await page.getByRole('heading', { name: /^Send key/ }).waitFor()
      },
    },
  }
}

const labels: Room = async (stage) => {
  const owned = await withUsers(stage, 'buyer')
  const long = 'a tag that is nearly as long as it may be'.slice(0, 40)
  await owned.owner.post(`/v1/users/${owned.keys[0]}/edit`, {
    tags: ['vip', long, 'אביב', 'autumn', 'beta'],
    issued_to: 'grace',
    issued_by: 'Shop on Main Street',
    metadata: { order: 1001, public: { a: 1 } },
  })
  return {
    account: owned.owner.id,
    address: `#/projects/${owned.project}/users`,
    states: {
      'in the list': (page) => page.getByText('vip', { exact: true }).waitFor(),
      'in the form': async (page) => {
        await goTo(page, `#/projects/${owned.project}/users?user=${owned.keys[0]}&tab=edit`)
        await dialog(page).getByText('Advanced').click()
        await label(page, 'Metadata').scrollIntoViewIfNeeded()
      },
    },
  }
}

const ownClock: Room = async (stage) => {
  const owned = await createOwner(stage.server)
  const key = await sell(owned, { note: 'buyer', clock: { basis: 'first_use', duration: 30 * DAY_MS } })
  await owned.owner.post(`/v1/users/${key}/extend`, { duration: DAY_MS })
  return {
    account: owned.owner.id,
    address: `#/projects/${owned.project}/users?user=${key}&tab=edit`,
    states: {
      'that is wrong': async (page) => {
        await label(page, 'Length').fill('0')
        await submit(page, 'Save')
        await dialog(page).getByRole('alert').getByText('Enter a duration greater than 0').waitFor()
        await label(page, 'Length').scrollIntoViewIfNeeded()
      },
    },
  }
}

const plans: Room = async (stage) => {
  const owned = await createOwner(stage.server)
  const options = { preset: 'light' }
  await createScript(owned.owner, owned.project, { name: 'A script with a long name.lua', options })
  const pro = await createPlan(owned, {
    name: 'Pro, 30 days, with a name that is longer than a telephone is wide',
    clock: { basis: 'first_use', duration: 30 * DAY_MS },
    grace: DAY_MS,
    max_instances: 2,
    max_executions: 1000,
    quota: { count: 100, period: 'week' },
    features: {
      turbo: true,
      slots: 3,
      a_name_of_thirty_two_characters_: 'a text that is long enough to wrap',
    },
  })
  await createPlan(owned, { name: 'Lifetime' })
  const own_features = { slots: 5, turbo: null, a_name_of_thirty_two_characters: 'a text' }
  const key = await sell(owned, { note: 'buyer', plan_id: pro, features: own_features })
  await owned.owner.post(`/v1/users/${key}/pause`, {})
  return {
    account: owned.owner.id,
    address: `#/projects/${owned.project}/plans`,
    states: {
      'in the list': (page) => page.getByText('Lifetime').waitFor(),
      'in the form': async (page) => {
        await page.getByRole('button', { name: /^Edit Pro/ }).click()
        await label(page, 'Length').fill('60')
        await label(page, 'Only selected scripts').check()
      },
      'with what is wrong': async (page) => {
        await submit(page, 'Save')
        await dialog(page).getByText('Select at least one script.').waitFor()
        await label(page, 'Name').scrollIntoViewIfNeeded()
      },
      'before one is removed': async (page) => {
        await close(page)
        await page.getByRole('button', { name: /^Remove Pro/ }).click()
        await dialog(page).waitFor()
      },
      'of a user': async (page) => {
        await close(page)
        await goTo(page, `#/projects/${owned.project}/users?user=${key}`)
        await dialog(page).getByText('More details').click()
        await dialog(page).getByText('turbo: removed for this key').waitFor()
      },
    },
  }
}

const bans: Room = async (stage) => {
  const owned = await withUsers(stage, 'cheater')
  const ban = (members: object) => owned.owner.post(`/v1/projects/${owned.project}/bans/new`, members)
  await ban({ kind: 'network', value: '2001:db8:1::/48', reason: 'attacks from a whole network' })
  await ban({ kind: 'chat', value: '184650129374650213', expires: stage.server.clock.now + DAY_MS })
  return {
    account: owned.owner.id,
    address: `#/projects/${owned.project}/bans`,
    states: {
      'in the list': (page) => page.getByRole('listitem').getByText('184650129374650213').waitFor(),
      'with whom a new one hits': async (page) => {
        await button(page, 'Add block').click()
        await dialog(page).getByLabel('IP address or network').fill('203.0.113.0/24')
        await submit(page, 'Preview')
        await dialog(page).getByText('This blocks').waitFor()
      },
    },
  }
}

const variables: Room = async (stage) => {
  const { owner, project } = await withUsers(stage)
  const options = { preset: 'light' }
  const script = await createScript(owner, project, { name: 'Garden of many flowers', options })
  const plan = await createPlan({ owner, project }, { name: 'Pro' })
  await owner.put(`/v1/projects/${project}/variables`, {
    version: 0,
    variables: {
      motd: { value: 'Welcome back' },
      a_name_that_is_as_long_as_it_may: { value: { list: Array.from({ length: 60 }, (_, i) => i) } },
      rates: { value: { slow: 0.5 }, scripts: [script], plans: [plan] },
    },
  })
  const announce = (members: object) =>
    owner.post(`/v1/projects/${project}/announcements`, {
      until: stage.server.clock.now + HOUR_MS,
      ...members,
    })
  await announce({ level: 'critical', text: `An address: https://example.com/${'x'.repeat(120)}` })
  await announce({ level: 'warning', scripts: [script], text: 'Back at ten\nwith news' })
  return {
    account: owner.id,
    address: `#/projects/${project}/variables`,
    states: {
      'in the list': (page) => page.getByText('with news').waitFor(),
      'in the form': (page) => button(page, 'Edit rates').click(),
      'an announcement': async (page) => {
        await close(page)
        await button(page, 'New announcement').click()
      },
    },
  }
}

const changes: Room = async (stage) => {
  const { owner, project, keys } = await withUsers(stage, 'paid', 'also paid')
  const tag = { action: 'tag', tags: ['vip'], keys }
  await owner.post(`/v1/projects/${project}/users/bulk`, tag)
  await owner.post(`/v1/projects/${project}/users/clear`, {})
  await owner.post(`/v1/projects/${project}/users/generate`, { amount: 3 })
  return {
    account: owner.id,
    address: '#/changes',
    states: {
      'in the list': (page) => page.getByRole('button', { name: /^Generated keys: / }).waitFor(),
      'one of them': async (page) => {
        await button(page, 'Removed all users: paid and also paid').click()
        await button(page, 'Undo').waitFor()
        await dialog(page).getByText('also paid', { exact: true }).waitFor()
      },
      'to all that are found': async (page) => {
        await goTo(page, `#/projects/${project}/users?note=paid`)
        await button(page, 'Bulk actions').click()
        await page.getByRole('menuitem', { name: /^Edit all .*matching users…$/ }).click()
        await dialog(page).getByLabel('Action').waitFor()
      },
    },
  }
}

const settings: Room = async (stage) => {
  const { owner, project } = await createOwner(stage.server)
  await owner.post(`/v1/projects/${project}/edit`, { key_format: FORMAT })
  return {
    account: owner.id,
    address: `#/projects/${project}/settings`,
    states: {
      'with changes': async (page) => {
        await panel(page, 'Users').locator('code').waitFor()
        await page.frameLocator('iframe[title="Preview"]').locator('h1').waitFor()
        await page.getByLabel('Support link').fill('https://example.com/help')
      },
    },
  }
}

export const ROOMS_OF_USERS: Readonly<Record<string, Room>> = {
  users,
  'tags and metadata': labels,
  'a clock of a key alone': ownClock,
  plans,
  bans,
  'variables and announcements': variables,
  changes,
  'the settings of a project': settings,
}
