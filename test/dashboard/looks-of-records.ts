/** Lists the states of the user record page that support staff encounter. */
import type { Page } from 'playwright-core'
import { bindDevice, changeUser, createOwner, createScript } from '../../packages/server/test/nouns.ts'
import { denial, loggedExecution } from '../../packages/server/test/store/rows.ts'
import { insertRows } from '../../packages/server/test/stored.ts'
import type { Room } from './inspect.ts'
import type { Stage } from './stage.ts'
import { createPlan, DAY_MS, sell } from './users-steps.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const RIGHT_TO_LEFT = 'הזמנה 1042 של דנה 🧑‍🚀 — לקוח ותיק'
const LONG = `${'A note of two hundred characters that a shop copied from an order '.repeat(3)}end`

type Scene = { readonly project_id: string; readonly script_id: string }

/** Adds a month of runs, including a denied run and a crashed run today. */
async function live(stage: Stage, { project_id, script_id }: Scene, user_key: string): Promise<void> {
  const { now } = stage.server.clock
  const run = { ...loggedExecution, project_id, script_id, user_key, executor: 'Wave', runtime: 'luau' }
  const days = [0.1, 0.4, 1.2, 1.3, 7, 7.1, 8, 12, 13, 13.2, 20, 21, 29]
  const runs = days.map((day, n) => {
    const at = Math.floor(now - day * DAY_MS)
    const ended_at = at + ((n % 5) + 1) * 17 * MINUTE_MS
    const outcome = n === 1 ? ('crashed' as const) : ('granted' as const)
    return { ...run, exec: `${user_key}${n}`, at, ended_at, ending: 'finished' as const, outcome }
  })
  await insertRows(stage.server, 'execution_log', runs)
}

async function deny(stage: Stage, { project_id, script_id }: Scene, user_key: string): Promise<void> {
  const { now } = stage.server.clock
  const common = {
    project_id,
    script_id,
    user_key,
    reason: 'fingerprint_mismatch' as const,
    executor: 'Wave',
  }
  const attempt = { ...loggedExecution, ...common, outcome: 'denied' as const, value: 'c41d…07' }
  await insertRows(
    stage.server,
    'execution_log',
    [1, 5, 9].map((n) => ({ ...attempt, exec: `${user_key} denied ${n}`, at: now - n * MINUTE_MS })),
  )
  await insertRows(stage.server, 'denials', {
    ...{ ...denial, ...common, count: 3, fingerprint: 'c41d…07', value: 'c41d…07' },
    ...{ first_at: now - 9 * MINUTE_MS, last_at: now - MINUTE_MS },
  })
}

async function makeUsers(stage: Stage) {
  const owned = await createOwner(stage.server)
  const { owner, project } = owned
  const script_id = await createScript(owner, project, { name: 'hub.lua', options: { preset: 'light' } })
  const scene = { project_id: project, script_id }
  const clock = { basis: 'creation', duration: 30 * DAY_MS }
  const plan_id = await createPlan(owned, { name: 'Monthly', clock })
  const { now } = stage.server.clock
  const user = async (body: object, last_used_at: number | null = null) => {
    const key = await sell(owned, body)
    await changeUser(stage.server, key, {
      created_at: now - 18 * DAY_MS,
      ...(last_used_at !== null && {
        key_expires: now + 12 * DAY_MS,
        executions: 107,
        last_used_at,
        first_used_at: now - 17 * DAY_MS,
      }),
    })
    return key
  }
  const ok = await user({ note: 'Order 1042', chat_id: '200000000000261327', plan_id }, now - 2 * HOUR_MS)
  await bindDevice(stage.server, project, ok)
  await live(stage, scene, ok)
  const denied = await user({ note: RIGHT_TO_LEFT, plan_id, tags: ['vip', 'אביב'] }, now - 2 * HOUR_MS)
  await bindDevice(stage.server, project, denied)
  await live(stage, scene, denied)
  await deny(stage, scene, denied)
  const blocked = await user({ note: 'leaker', chat_id: '184650129374650213' })
  const ban = { kind: 'chat', value: '184650129374650213', reason: 'key shared' }
  await owner.post(`/v1/projects/${project}/bans/new`, ban)
  const expired = await user({ note: LONG })
  await changeUser(stage.server, expired, { key_expires: now - 2 * DAY_MS })
  const paused = await user({ chat_id: '300000000000000001', plan_id })
  await owner.post(`/v1/users/${paused}/pause`, {})
  const unused = await user({})
  return { owner, project, users: { ok, denied, blocked, expired, paused, 'never used': unused } }
}

const records: Room = async (stage) => {
  const { owner, project, users } = await makeUsers(stage)
  const open = (page: Page, key: string, query = '') =>
    page.goto(`${page.url().replace(/#.*/, '')}#/projects/${project}/users/${key}${query}`)
  const states = Object.entries(users).map(([name, key]) => [
    name,
    async (page: Page) => {
      await open(page, key)
      await page.getByText(/^Customer since/).waitFor()
      await page.getByText('User created').waitFor()
    },
  ])
  return {
    account: owner.id,
    address: `#/projects/${project}/users/${users.ok}`,
    states: {
      ...Object.fromEntries(states),
      'devices of one': async (page) => {
        await open(page, users.denied, '?tab=devices')
        await page.getByText('machine_id').waitFor()
      },
      'the form of one': async (page) => {
        await open(page, users.ok, '?tab=edit')
        await page.getByLabel('Note', { exact: true }).waitFor()
        await page.getByText('Advanced').click()
      },
      'a form with changes': async (page) => {
        await page.getByText('Advanced').click()
        await page.getByText('Until a date').click()
        await page.getByRole('button', { name: '+7 days' }).click()
        await page.getByText('1 unsaved change').waitFor()
      },
      'a form whose input is discarded': async (page) => {
        await page.getByRole('button', { name: 'Discard' }).click()
        await page.getByText('Discard what you typed?').waitFor()
      },
      'a form with restored input': async (page) => {
        await page.getByRole('button', { name: 'Keep editing' }).click()
        await page.reload()
        await page.getByText('Restored what you typed.').waitFor()
      },
      'beside the list': async (page) => {
        await page.getByRole('link', { name: 'Users' }).first().click()
        await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor()
        await page.goto(`${page.url().replace(/#.*/, '')}#/projects/${project}/users?user=${users.denied}`)
        await page.getByText('User created').waitFor()
      },
    },
  }
}

export const ROOMS_OF_RECORDS: Readonly<Record<string, Room>> = { 'the record of a user': records }
