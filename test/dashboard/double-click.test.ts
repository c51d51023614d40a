/**
 * Tests that a change is sent only once, even if the user double-clicks, presses Enter twice, or submits
 * again while it is pending.
 */
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { sample } from '../../packages/client/test/effort.ts'
import { bindDevice, createOwner, createScript, createUser } from '../../packages/server/test/nouns.ts'
import { signInAs } from '../sign-in.ts'
import { editor } from './forms.ts'
import { sharedStage } from './stage.ts'
import { act, button, dialog } from './users-steps.ts'

const stage = sharedStage()

type Scene = Awaited<ReturnType<typeof setScene>>
async function setScene() {
  const { owner, project } = await createOwner(
    stage.server,
    {},
    { information_webhook: 'https://example.com/hook' },
  )
  const key = await createUser(owner, project, { note: 'buyer', key_expires: Date.now() + 86_400_000 })
  await bindDevice(stage.server, project, key)
  const script = await createScript(owner, project, { name: 'Greeter' })
  await owner.post(`/v1/scripts/${script}/update`, { script: 'print("hello again")\n' })
  const context = await stage.browser.newContext({ viewport: { width: 1280, height: 860 } })
  await signInAs(context, stage.server, owner.id)
  const page = await context.newPage()
  return { owner, project, key, script, page }
}

type Press = {
  readonly prepare?: (scene: Scene) => Promise<unknown>
  /** The path below the project, or the entire URL fragment. */
  readonly address: (scene: Scene) => string
  /** Opens and fills the form, and returns the button. */
  readonly reach: (page: Page) => Promise<Locator>
  /** The request that the button sends. */
  readonly sends: RegExp
}

const inDialog = (page: Page, name: string) => dialog(page).getByRole('button', { name, exact: true })
const ofUser = ({ key }: Scene) => `users?user=${key}`

const PRESSES: Readonly<Record<string, Press>> = {
  'Create key': {
    address: () => 'users?new=key',
    reach: async (page) => inDialog(page, 'Create key'),
    sends: /\/users\/new$/,
  },
  Generate: {
    address: () => 'users?new=keys',
    reach: async (page) => inDialog(page, 'Generate'),
    sends: /\/users\/generate$/,
  },
  'Extend everyone': {
    address: () => 'users?new=time',
    async reach(page) {
      await dialog(page).getByLabel('Amount of time').fill('12')
      await dialog(page).getByText('1 key will be extended.').waitFor()
      return inDialog(page, 'Add time')
    },
    sends: /\/users\/compensate$/,
  },
  'Remove a user': {
    address: ofUser,
    async reach(page) {
      await act(page, 'Remove')
      return inDialog(page, 'Remove')
    },
    sends: /\/users\/[^/]+\/remove$/,
  },
  'Reset device': {
    address: ofUser,
    async reach(page) {
      await act(page, 'Reset device')
      return inDialog(page, 'Reset device')
    },
    sends: /\/users\/[^/]+\/reset$/,
  },
  'Block a key': {
    address: ofUser,
    async reach(page) {
      await act(page, 'Block')
      return inDialog(page, 'Block')
    },
    sends: /\/users\/[^/]+\/blacklist$/,
  },
  'Pause a key': {
    address: ofUser,
    async reach(page) {
      await act(page, 'Pause')
      return inDialog(page, 'Pause')
    },
    sends: /\/users\/[^/]+\/(?:pause|resume)$/,
  },
  'Upload and protect': {
    address: () => 'scripts?new=script',
    async reach(page) {
      await editor(page).fill('print("typed")')
      await page.getByLabel('Name', { exact: true }).fill('Second')
      return button(page, 'Upload and protect')
    },
    sends: /\/scripts\/new$/,
  },
  'Protect and publish': {
    address: ({ script }) => `scripts/${script}?tab=new`,
    async reach(page) {
      await editor(page).fill('print("typed")')
      return button(page, 'Protect and publish')
    },
    sends: /\/scripts\/[^/]+\/update$/,
  },
  'Roll back': {
    address: ({ script }) => `scripts/${script}?tab=versions`,
    async reach(page) {
      await button(page, 'Actions for Version 1').click()
      return page.getByRole('menuitem', { name: 'Roll back to this version', exact: true })
    },
    sends: /\/versions\/\d+\/activate$/,
  },
  'Disable a script': {
    address: ({ script }) => `scripts/${script}`,
    async reach(page) {
      await button(page, 'Actions for Greeter').click()
      return page.getByRole('menuitem', { name: 'Disable' })
    },
    sends: /\/scripts\/[^/]+\/toggle$/,
  },
  'Pause a release': {
    prepare: ({ owner, script }) =>
      owner.post(`/v1/scripts/${script}/update`, { script: 'print(3)', release: { percent: 25 } }),
    address: ({ script }) => `scripts/${script}?tab=releases`,
    reach: async (page) => page.getByRole('button', { name: /^(?:Pause|Continue): Version 3/ }),
    sends: /\/releases\/[^/]+\/(?:pause|continue)$/,
  },
  'Create plan': {
    address: () => 'plans',
    async reach(page) {
      await button(page, 'New plan').click()
      await dialog(page).getByLabel('Name').first().fill('Pro')
      return inDialog(page, 'Create plan')
    },
    sends: /\/plans\/new$/,
  },
  'Add a webhook': {
    address: () => 'webhooks',
    async reach(page) {
      await button(page, 'Add endpoint for Runs').click()
      await page.getByLabel('URL', { exact: true }).fill('https://example.com/hook')
      return button(page, 'Save')
    },
    sends: /\/projects\/[^/]+\/edit$/,
  },
  'Send a test': {
    address: () => 'webhooks',
    reach: async (page) => button(page, 'Send test to Information'),
    sends: /\/webhooks\/(?:[^/]+\/)?test$/,
  },
  'Create token': {
    address: () => '#/tokens?new=token',
    async reach(page) {
      await page.getByLabel('Name', { exact: true }).fill('CI')
      await page.getByLabel('View projects').check()
      return button(page, 'Create token')
    },
    sends: /\/tokens\/new$/,
  },
  Invite: {
    address: () => '#/members',
    async reach(page) {
      await button(page, 'Invite a team member').click()
      await page.getByLabel('Email').fill('sam@example.com')
      await page.getByLabel(/^Support/).check({ force: true })
      return button(page, 'Create invitation')
    },
    sends: /\/members\/invite$/,
  },
}

async function open({ prepare, address, reach, sends }: Press) {
  const scene = await setScene()
  await prepare?.(scene)
  const { page, project } = scene
  const path = address(scene)
  await page.goto(
    `${stage.server.url}/dashboard/${path.startsWith('#') ? path : `#/projects/${project}/${path}`}`,
  )
  const target = await reach(page)
  await target.waitFor()
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(new URL(request.url()).pathname)
  })
  return { page, target, sent: () => sent.filter((path) => sends.test(path)) }
}

describe('a double click sends one request', () => {
  it.each(sample(Object.entries(PRESSES), 2))('by %s', async (_, press) => {
    const { page, target, sent } = await open(press)
    const answered = page.waitForResponse(
      (answer) => answer.request().method() !== 'GET' && press.sends.test(new URL(answer.url()).pathname),
    )
    // Clicks slowly enough that the response to the first click may already have arrived.
    await target.dblclick({ delay: 80 })
    expect((await answered).status()).toBe(200)
    await settle(page)
    expect(sent()).toHaveLength(1)
  })
})

describe('the second click of a slow double click', () => {
  it('does not take back what the first one did', async () => {
    const { page, target, sent } = await open(PRESSES['Pause a release'] as Press)
    await target.click()
    const back = page.getByRole('button', { name: 'Continue: Version 3' })
    await expect.poll(() => back.isEnabled()).toBe(true)
    await back.hover()
    await page.mouse.down({ clickCount: 2 })
    await page.mouse.up({ clickCount: 2 })
    await settle(page)
    expect(sent()).toHaveLength(1)
    await back.click()
    await page.getByRole('button', { name: 'Pause: Version 3' }).waitFor()
    expect(sent()).toHaveLength(2)
  })
})

describe('a pending change is not sent again', () => {
  const press = PRESSES['Create key'] as Press

  it('by a second Enter in its form', async () => {
    const { page, sent } = await open(press)
    const release = await hold(page, press.sends)
    await dialog(page).getByLabel('Note', { exact: true }).press('Enter')
    await dialog(page).getByLabel('Note', { exact: true }).press('Enter')
    await release()
    await page.getByRole('heading', { name: 'Key created' }).waitFor()
    expect(sent()).toHaveLength(1)
  })

  it('by a form that is submitted twice', async () => {
    const { page, target, sent } = await open(press)
    const release = await hold(page, press.sends)
    await target.evaluate((element) => {
      const form = (element as { form?: { requestSubmit(): void } }).form
      form?.requestSubmit()
      form?.requestSubmit()
    })
    await release()
    await page.getByRole('heading', { name: 'Key created' }).waitFor()
    expect(sent()).toHaveLength(1)
  })
})

/** Waits until the page has handled all input. */
async function settle(page: Page): Promise<void> {
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
}

/** Delays the response to a request until the returned function is called. */
async function hold(page: Page, sends: RegExp): Promise<() => Promise<void>> {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const arrived = page.waitForRequest((request) => sends.test(new URL(request.url()).pathname))
  await page.route(
    (url) => sends.test(url.pathname),
    async (route) => {
      await released
      await route.continue()
    },
  )
  return async () => {
    await arrived
    release()
  }
}
