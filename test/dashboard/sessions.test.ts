/**
 * Tests the live sessions page in a real browser: running scripts appear without a reload, respond to
 * messages, and can be ended.
 */
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { joinSession, type LiveSession } from '../../packages/server/test/live-sessions.ts'
import { createOwner, createScript, createUser, type Owned } from '../../packages/server/test/nouns.ts'
import type { Seat } from '../../packages/server/test/people.ts'
import { picture } from '../browser.ts'
import { signInAs } from '../sign-in.ts'
import { sharedStage } from './stage.ts'

const stage = sharedStage()

type Scene = Owned & { readonly script: string; readonly keys: readonly string[] }
type Visit = { readonly query?: string; readonly seat?: Seat; readonly look?: BrowserContextOptions }

async function setScene(): Promise<Scene> {
  const owned = await createOwner(stage.server)
  const script = await createScript(owned.owner, owned.project, { name: 'garden.lua' })
  const keys = [await createUser(owned.owner, owned.project), await createUser(owned.owner, owned.project)]
  return { ...owned, script, keys }
}

function join({ owner, project, script, keys }: Scene, executor: string, answer?: unknown): LiveSession {
  const owned = { customer_id: owner.id, project_id: project, script_id: script, user_key: keys[0] ?? null }
  const now = stage.server.clock.now
  const reply = answer === undefined ? () => undefined : () => ({ ok: true, data: answer }) as never
  return joinSession(stage.server, { ...owned, executor, created_at: now, last_seen: now }, reply)
}

async function visit({ owner, project }: Scene, { query = '', seat, look }: Visit = {}): Promise<Page> {
  const context = await stage.browser.newContext(look ?? { viewport: { width: 1280, height: 860 } })
  await signInAs(context, stage.server, owner.id, seat)
  const page = await context.newPage()
  await page.goto(`${stage.server.url}/dashboard/#/projects/${project}/sessions${query}`)
  await page.getByRole('heading', { level: 1, name: 'Live sessions' }).waitFor()
  return page
}

const dialog = (page: Page) => page.locator('dialog[open]').last()
const row = (page: Page, executor: string) => page.getByRole('row').filter({ hasText: executor })

describe('live sessions', () => {
  it('appear, disconnect and disappear without a reload', async () => {
    const scene = await setScene()
    const page = await visit(scene)
    await page.getByText('No live sessions').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    const first = join(scene, 'Wave')
    await row(page, 'Wave').getByText('Connected').waitFor()
    const second = join(scene, 'Grove')
    await row(page, 'Grove').waitFor()
    first.detach(stage.server.clock.now)
    await row(page, 'Wave').getByText('Connection lost').waitFor()
    second.leave()
    await row(page, 'Grove').waitFor({ state: 'detached' })
  })

  it('can be filtered in the URL, both listed and new ones', async () => {
    const scene = await setScene()
    join(scene, 'Wave')
    const page = await visit(scene, { query: '?executor=Grove' })
    await page.getByText('No matches').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    join(scene, 'Wave')
    join(scene, 'Grove')
    await row(page, 'Grove').waitFor()
    await expect.poll(() => row(page, 'Wave').count()).toBe(0)
  })

  it('can be messaged, ended, opened and blocked from their row', async () => {
    const scene = await setScene()
    join(scene, 'Wave', { watered: 12 })
    const page = await visit(scene)
    const act = async (name: string) => {
      await row(page, 'Wave').getByRole('button', { name: 'Actions for' }).click()
      await page.getByRole('menuitem', { name }).click()
    }
    await act('Send message')
    await dialog(page).getByLabel('Name').fill('water')
    await dialog(page).getByRole('button', { name: 'Send', exact: true }).click()
    await dialog(page).getByText('Processed by 1 of 1.').waitFor()
    await page.keyboard.press('Escape')
    await act('Block device, network or account…')
    await dialog(page).getByText("Block this user's device, network or account").waitFor()
    await page.keyboard.press('Escape')
    await act('Disconnect')
    await dialog(page).getByText('Disconnect 1 session?').waitFor()
    await dialog(page).getByRole('button', { name: 'Cancel' }).click()
    await act('Open user')
    await expect.poll(() => page.url()).toMatch(new RegExp(`users.*${scene.keys[0]}`))
  })

  it('answer a message individually, and invalid JSON is not sent', async () => {
    const scene = await setScene()
    const answering = join(scene, 'Wave', { watered: 12 })
    const page = await visit(scene)
    await row(page, 'Wave').getByRole('checkbox').check()
    await page
      .getByRole('region', { name: '1 selected' })
      .getByRole('button', { name: 'Send message' })
      .click()
    await dialog(page).getByRole('button', { name: 'Send', exact: true }).click()
    await dialog(page).getByText('Enter the message name your script listens for.').waitFor()
    await dialog(page).getByLabel('Name').fill(' water ')
    await dialog(page).getByRole('button', { name: 'JSON' }).click()
    await dialog(page).getByLabel('Data').fill('{"bed":\n  four}')
    await dialog(page).getByRole('button', { name: 'Send', exact: true }).click()
    await dialog(page).getByText('Not valid JSON at line 2, column 3.').waitFor()
    expect(answering.received).toEqual([])
    await dialog(page).getByLabel('Data').fill('{"bed":4}')
    await dialog(page).getByRole('button', { name: 'Send', exact: true }).click()
    await dialog(page).getByText('Processed by 1 of 1.').waitFor()
    await dialog(page).getByText('{"watered":12}').waitFor()
    expect(answering.received).toMatchObject([{ key: 'water', data: { bed: 4 } }])
    await picture(page, 'sessions-answers')
  })

  it('get plain text as a string, and names that they handled are suggested next time', async () => {
    const scene = await setScene()
    const session = join(scene, 'Wave', {})
    const page = await visit(scene)
    const send = async (name: string, data: string) => {
      await dialog(page).getByLabel('Message name').fill(name)
      await dialog(page).getByLabel('Data').fill(data)
      await dialog(page).getByRole('button', { name: /^Send/ }).click()
      await dialog(page).getByText('Processed by 1 of 1.').waitFor()
    }
    await page.getByRole('button', { name: 'Message all' }).click()
    await send('notice', '{"bed":4}')
    await page.reload()
    await page.getByRole('button', { name: 'Message all' }).click()
    await dialog(page).getByText('Suggestions are names that your scripts have handled before.').waitFor()
    await expect.poll(() => dialog(page).locator('datalist option').count()).toBe(1)
    expect(await dialog(page).locator('datalist option').getAttribute('value')).toBe('notice')
    await send('notice', '')
    expect(session.received).toMatchObject([{ key: 'notice', data: '{"bed":4}' }, { key: 'notice' }])
  })

  it('are ended if they match, and no others', async () => {
    const scene = await setScene()
    const [kept, ended] = [join(scene, 'Wave'), join(scene, 'Grove')]
    const page = await visit(scene, { query: '?executor=Grove' })
    await row(page, 'Grove').waitFor()
    await page.getByRole('button', { name: 'Disconnect matching sessions' }).click()
    await dialog(page).getByText('Disconnect 1 session?').waitFor()
    await dialog(page).getByRole('button', { name: 'Disconnect', exact: true }).click()
    await expect.poll(() => ended.isKicked()).toBe(true)
    expect(kept.isKicked()).toBe(false)
  })

  it('show all their details, and link to their user', async () => {
    const scene = await setScene()
    const { id } = join(scene, 'Wave')
    const page = await visit(scene, { query: `?session=${id}` })
    await dialog(page).getByText(id).waitFor()
    await dialog(page)
      .getByRole('link', { name: scene.keys[0]?.slice(0, 8) ?? '' })
      .click()
    await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor()
  })

  it('name the customer by note, in the list and in the details', async () => {
    const scene = await setScene()
    await scene.owner.post(`/v1/users/${scene.keys[0]}/edit`, { note: 'Mara Olsen' })
    join(scene, 'Wave')
    const page = await visit(scene)
    await row(page, 'Wave').getByRole('button', { name: 'Mara Olsen', exact: true }).click()
    await dialog(page).getByRole('link', { name: 'Mara Olsen' }).waitFor()
  })

  it('cannot be ended without permission, and the reason is shown', async () => {
    const scene = await setScene()
    join(scene, 'Wave')
    const page = await visit(scene, { seat: { role: 'reader' } })
    const button = page.getByRole('button', { name: 'Disconnect all' })
    await button.waitFor()
    await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true')
  })
})
