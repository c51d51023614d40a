/**
 * Plays through an operator's day: system health, an account at its limit, a paused account, and the audit
 * log of all these steps.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { operatorsText } from '../../packages/dashboard/src/messages/en/operators.ts'
import type { Client } from '../../packages/server/test/harness.ts'
import { programOf } from '../../packages/server/test/programs.ts'
import { rowOf } from '../../packages/server/test/stored.ts'
import { copied } from '../copied.ts'
import { signInAs } from '../sign-in.ts'
import { button, dialog, goTo, panel, type Scene, tab } from './walk-scene.ts'

const EMAIL = 'orchard@example.com'

export type Operator = { readonly scene: Scene; readonly page: Page }

export async function signIn(scene: Scene): Promise<Operator> {
  const { page, context } = await scene.open()
  const { id } = await rowOf(scene.server, 'customers', { admin: 1 })
  await signInAs(context, scene.server, id)
  await page.goto(`${scene.server.url}/dashboard/`)
  return { scene, page }
}

/** Compares the health page with the output of the doctor command that the page offers for copying. */
export async function checkService({ scene, page }: Operator): Promise<void> {
  await goTo(page, 'System')
  const findings = panel(page, 'Health checks').getByRole('listitem')
  await findings.first().waitFor()
  const states = (await findings.allInnerTexts()).map(stateIn)
  // Only a running server can report its memory.
  const shown = states.filter(({ name }) => name !== 'memory')
  await panel(page, 'Queues').getByText('Webhook events to send').waitFor()
  await page.getByText('Jobs in this process').click()
  await page.getByRole('table', { name: 'Jobs in this process' }).getByText('chain-audit').waitFor()
  const command = await copied(page, button(panel(page, 'scriptward doctor'), 'Copy'))
  const said = await runDoctor(scene, command)
  expect(said.status, said.out + said.err).toBe(0)
  expect(shown).not.toEqual([])
  for (const { name, state } of shown) expect(said.out).toMatch(new RegExp(`^${state} +${name}\\b`, 'm'))
}

/**
 * Returns the name and state of a finding on the page. A finding starts with its name and ends with its
 * badge.
 */
function stateIn(finding: string) {
  const words = finding.split('\n')
  return { name: CHECKS.get(words[0] ?? ''), state: STATES[words.at(-1) ?? ''] }
}

/** Maps names on the page to names in the command's output. */
const CHECKS = new Map(Object.entries(operatorsText.findingNames).map(([name, shown]) => [shown, name]))

const STATES: Readonly<Record<string, string>> = {
  OK: 'ok',
  'Not configured': 'off',
  'Needs attention': 'WARN',
  Failed: 'FAIL',
}

/** Runs the doctor with the server's settings. */
async function runDoctor({ server }: Scene, command: string) {
  const [, ...words] = command.split(' ')
  const { dataDir, databaseUrl } = server.location
  const env = {
    PATH: process.env.PATH,
    SCRIPTWARD_PORT: new URL(server.url).port,
    SCRIPTWARD_DATA_DIR: dataDir,
    ...(databaseUrl && { SCRIPTWARD_DATABASE_URL: databaseUrl }),
  }
  const child = spawn(process.execPath, [programOf('service'), ...words], { env })
  const [out, err, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { out, err, status }
}

/** Creates a tier with a limit of one project, and an account with this tier. */
export async function addCustomer({ scene, page }: Operator): Promise<Client> {
  await goTo(page, 'Service tiers')
  await button(page, 'New tier').click()
  await dialog(page).getByLabel('Name', { exact: true }).fill('Starter')
  await dialog(page).getByLabel('Projects', { exact: true }).fill('1')
  await button(dialog(page), 'Save').click()
  await page.getByText('Starter saved').waitFor()
  await goTo(page, 'Accounts')
  await button(page, 'New account').click()
  await dialog(page).getByLabel('Email').fill(EMAIL)
  await dialog(page).getByLabel('Tier').selectOption({ label: 'Starter' })
  await button(dialog(page), 'Create account').click()
  await page.getByRole('heading', { name: `${EMAIL} created` }).waitFor()
  const customer = scene.server.client(await copied(page, button(dialog(page), 'Copy')))
  await button(dialog(page), 'Done').click()
  return customer
}

const newProject = async (customer: Client, name: string) =>
  (await customer.post('/v1/projects/new', { name })).status

/** The account reaches the limit of its tier, and is moved to another tier. */
export async function raiseLimit({ page }: Operator, customer: Client): Promise<void> {
  expect(await newProject(customer, 'First')).toBe(200)
  expect(await newProject(customer, 'Second')).not.toBe(200)
  await page.getByRole('searchbox').fill('orchard')
  await button(page, EMAIL).click()
  await dialog(page).getByLabel('Tier').selectOption({ label: 'unlimited' })
  await button(dialog(page), 'Save').click()
  await page.getByText('Changes saved').waitFor()
  expect(await newProject(customer, 'Second')).toBe(200)
}

/** While the account is paused, none of its members can sign in. Afterward, everything works as before. */
export async function pauseCustomer({ page }: Operator, customer: Client): Promise<void> {
  await button(dialog(page), 'Block account').click()
  await dialog(page).getByLabel('Reason').fill('unpaid')
  await button(dialog(page), 'Block account').click()
  await dialog(page).getByText('Blocked: unpaid').waitFor()
  expect((await customer.get('/v1/projects')).status).not.toBe(200)
  await button(dialog(page), 'Unblock account').click()
  await button(dialog(page), 'Block account').waitFor()
  expect((await customer.get('/v1/projects')).status).toBe(200)
  await button(dialog(page), 'Close').click()
}

/** Every change is in the log, with the affected account. */
export async function readChanges({ page }: Operator): Promise<void> {
  await goTo(page, 'System')
  await tab(page, 'Activity').click()
  for (const words of [
    `unblocked account ${EMAIL}`,
    `blocked account ${EMAIL}: reason unpaid`,
    `edited account ${EMAIL}: tier`,
    `created account ${EMAIL}`,
    'saved service tier Starter',
  ])
    await page.getByRole('group').filter({ hasText: words }).waitFor()
}
