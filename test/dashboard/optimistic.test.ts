/**
 * Tests that toggles show their new state before the server responds, and revert if the server rejects the
 * change.
 */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import {
  createOwner,
  createScript,
  createUser,
  type Owned,
  readUser,
} from '../../packages/server/test/nouns.ts'
import { signInAs } from '../sign-in.ts'
import { BROKEN } from './failing.ts'
import { sharedStage } from './stage.ts'
import { act, button, submit } from './users-steps.ts'

const stage = sharedStage()

type Toggle = {
  /** Creates the entry. Returns the URL of the page that shows it, and a function that reads its state. */
  readonly create: (owned: Owned) => Promise<{ address: string; isOn: () => Promise<unknown> }>
  readonly toggle: (page: Page) => Promise<unknown>
  /** The request that the toggle sends. */
  readonly sends: string
  /** The text shown for each state. */
  readonly on: string
  readonly off: string
}

const TOGGLES: Readonly<Record<string, Toggle>> = {
  'a script': {
    async create({ owner, project }) {
      const id = await createScript(owner, project, { name: 'Greeter' })
      const isOn = async () =>
        ((await owner.get(`/v1/scripts/${id}`)).body.script as { enabled: boolean }).enabled
      return { address: `scripts/${id}`, isOn }
    },
    async toggle(page) {
      await button(page, 'Actions for Greeter').click()
      await page.getByRole('menuitem', { name: 'Disable' }).click()
    },
    sends: '**/toggle',
    on: 'Enabled',
    off: 'Disabled',
  },
  'a webhook': {
    async create({ owner, project }) {
      const path = `/v1/projects/${project}/webhooks`
      await owner.post(`${path}/new`, { name: 'Till', address: 'https://example.com/hook' })
      const isOn = async () => {
        const { webhooks } = (await owner.get(path)).body as { webhooks: { enabled: boolean }[] }
        return webhooks[0]?.enabled
      }
      return { address: 'webhooks', isOn }
    },
    async toggle(page) {
      await button(page, 'Actions for Till').click()
      await page.getByRole('menuitem', { name: 'Turn off' }).click()
    },
    sends: '**/webhooks/*/edit',
    on: 'Not tried yet',
    off: 'Off',
  },
  'a key': {
    async create({ owner, project }) {
      const key = await createUser(owner, project, { note: 'buyer' })
      return { address: `users/${key}`, isOn: async () => (await readUser(owner, key)).paused === null }
    },
    async toggle(page) {
      await act(page, 'Pause')
      await submit(page, 'Pause')
    },
    sends: '**/pause',
    on: 'Unused',
    off: 'Paused',
  },
}

async function open({ create }: Toggle) {
  const owned = await createOwner(stage.server)
  const { address, isOn } = await create(owned)
  const context = await stage.browser.newContext({ viewport: { width: 1280, height: 860 } })
  await signInAs(context, stage.server, owned.owner.id)
  const page = await context.newPage()
  await page.goto(`${stage.server.url}/dashboard/#/projects/${owned.project}/${address}`)
  return { page, isOn }
}

const state = (page: Page, words: string) => page.locator('main').getByText(words, { exact: true }).first()

describe.each(Object.entries(TOGGLES))('%s', (_, each) => {
  it('changes before the server responds', async () => {
    const { page, isOn } = await open(each)
    await state(page, each.on).waitFor()
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route(each.sends, async (route) => {
      await released
      await route.continue()
    })
    await each.toggle(page)
    await state(page, each.off).waitFor()
    expect(await isOn()).toBe(true)
    release()
    await expect.poll(isOn).toBe(false)
    await state(page, each.off).waitFor()
  })

  it('changes back if the server refuses, with the reason', async () => {
    const { page, isOn } = await open(each)
    await state(page, each.on).waitFor()
    await page.route(each.sends, BROKEN.meet)
    await each.toggle(page)
    await page.getByText(BROKEN.words).first().waitFor()
    await state(page, each.on).waitFor()
    expect(await isOn()).toBe(true)
  })
})
