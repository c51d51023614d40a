/**
 * Tests that every dashboard page has one heading, a title and a visible focus, and does not violate the
 * content security policy.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { sample } from '../../packages/client/test/effort.ts'
import type { TestServer } from '../../packages/server/test/harness.ts'
import { createProject, createScript, createUser } from '../../packages/server/test/nouns.ts'
import { findCut, isTooWide, settle } from '../browser.ts'
import { idOfOperator, signInAs } from '../sign-in.ts'
import { ownStage } from './stage.ts'

const ROUTER = path.join(import.meta.dirname, '..', '..', 'packages', 'dashboard', 'src', 'router.tsx')
const STEPS = 60

/** IDs from an account with data, for use in URLs. */
type Filled = {
  readonly project: string
  readonly script: string
  readonly system: string
  readonly user: string
}

const ROUTES: Readonly<Record<string, (filled: Filled) => string>> = {
  '/': () => '#/',
  profile: () => '#/profile',
  projects: () => '#/projects',
  account: () => '#/account',
  'account/api': () => '#/account/api',
  'account/usage': () => '#/account/usage',
  'account/tier': () => '#/account/tier',
  'account/danger': () => '#/account/danger',
  tokens: () => '#/tokens',
  members: () => '#/members',
  audit: () => '#/audit',
  changes: () => '#/changes',
  'command-line': () =>
    `#/command-line?name=Shop&scopes=scripts:write&port=5000&state=${'s'.repeat(16)}&code_challenge=${'c'.repeat(43)}`,
  'command-line/done': () => '#/command-line/done',
  $: () => '#/no-such-page',
  'operators/customers': () => '#/operators/customers',
  'operators/tiers': () => '#/operators/tiers',
  'operators/system': () => '#/operators/system',
  'projects/$project': ({ project }) => `#/projects/${project}`,
  scripts: ({ project }) => `#/projects/${project}/scripts`,
  'scripts/$script': ({ project, script }) => `#/projects/${project}/scripts/${script}`,
  hub: ({ project }) => `#/projects/${project}/hub`,
  errors: ({ project }) => `#/projects/${project}/errors`,
  releases: ({ project }) => `#/projects/${project}/releases`,
  leaks: ({ project }) => `#/projects/${project}/leaks`,
  users: ({ project }) => `#/projects/${project}/users`,
  'users/$key': ({ project, user }) => `#/projects/${project}/users/${user}`,
  discord: ({ project }) => `#/projects/${project}/discord`,
  plans: ({ project }) => `#/projects/${project}/plans`,
  variables: ({ project }) => `#/projects/${project}/variables`,
  sessions: ({ project }) => `#/projects/${project}/sessions`,
  ads: ({ project }) => `#/projects/${project}/ads`,
  'ads/$system': ({ project, system }) => `#/projects/${project}/ads/${system}`,
  webhooks: ({ project }) => `#/projects/${project}/webhooks`,
  statistics: ({ project }) => `#/projects/${project}/statistics`,
  logs: ({ project }) => `#/projects/${project}/logs`,
  denials: ({ project }) => `#/projects/${project}/denials`,
  bans: ({ project }) => `#/projects/${project}/bans`,
  settings: ({ project }) => `#/projects/${project}/settings`,
}

const stage = ownStage()
const { browser } = stage
let server: TestServer
let page: Page
let filled: Filled
const complaints: string[] = []

beforeAll(async () => {
  server = stage.server
  server.clock.now = Date.now()
  const operator = await idOfOperator(server)
  filled = await fill()
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  await signInAs(context, server, operator)
  page = await context.newPage()
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())))
})

describe('a route of the dashboard', () => {
  it('is in the list of this test', () => {
    const declared = readFileSync(ROUTER, 'utf8').matchAll(
      /of(?:Visit|Project)\(\s*'([^']+)'|path: '(projects[^']+)'/g,
    )
    const names = [...declared].map(([, of, at]) => of ?? at)
    expect(names.length).toBeGreaterThan(20)
    for (const name of names) expect(Object.keys(ROUTES)).toContain(name)
  })

  it.each(Object.keys(ROUTES))(
    '%s has one heading and its own title, causes no error, and shows the focus uncovered at each step of Tab',
    async (name) => {
      complaints.length = 0
      await open(name)
      await expect.poll(() => page.locator('h1').count()).toBe(1)
      await page
        .locator('[class*="skeleton"]:not([data-state="loading"] *)')
        .first()
        .waitFor({ state: 'detached' })
      await expect.poll(() => page.title()).toMatch(/.+ · Scriptward/)
      expect(await walk(page)).toEqual([])
      expect(complaints).toEqual([])
    },
  )
})

it('of a project without its ID leads to the projects', async () => {
  await open('projects')
  await expect.poll(() => page.url()).toMatch(/#\/$/)
})

describe('a route on a phone', () => {
  it('fits, clips nothing, and shows an uncovered focus at each Tab step', async () => {
    const context = await browser.newContext({ viewport: { width: 360, height: 800 } })
    await signInAs(context, server, await idOfOperator(server))
    const small = await context.newPage()
    const walked = sample(Object.keys(ROUTES), 3)
    for (const name of Object.keys(ROUTES)) {
      await openIn(small, name)
      expect([name, await findCut(small), await isTooWide(small)]).toEqual([name, [], false])
      if (walked.includes(name)) expect([name, await walk(small)]).toEqual([name, []])
    }
  })
})

async function openIn(other: Page, name: string): Promise<void> {
  await other.goto(`${server.url}/dashboard/#/no-such-page`)
  await other.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor()
  await other.goto(`${server.url}/dashboard/${ROUTES[name]?.(filled)}`)
  if (name !== '$')
    await other.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor({ state: 'detached' })
  await other.locator('h1').first().waitFor()
  const waiting = ':is([class*="skeleton"], [class*="_wait_"]):not([data-state="loading"] *)'
  await expect.poll(() => other.locator(waiting).count()).toBe(0)
  await settle(other)
}

async function open(name: string): Promise<void> {
  await page.goto('about:blank')
  await page.goto(`${server.url}/dashboard/${ROUTES[name]?.(filled)}`)
}

/** Tabs through the page and returns the elements whose focus is not visible. */
async function walk(page: Page): Promise<string[]> {
  const found: string[] = []
  for (let step = 0; step < STEPS; step += 1) {
    await page.keyboard.press('Tab')
    const fault = await focusFault(page)
    if (fault === 'end') break
    if (fault !== null && (await isStillWrong(page))) found.push(fault)
  }
  return found
}

const focusFault = (page: Page) => page.evaluate<string | null>(`(${faultOfFocus})()`)

/**
 * Repeats the key press on the settled page, because figures that load during a key press can move elements
 * out of view.
 */
async function isStillWrong(page: Page): Promise<boolean> {
  await settle(page)
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Tab')
  return (await focusFault(page)) !== null
}

/**
 * Runs in the browser. Returns `end` after the last element, null if the focus is visible, and otherwise the
 * error.
 */
const faultOfFocus = `() => {
  let element = document.activeElement
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
  if (!element || element === document.body) return 'end'
  // In an iframe, the focus indicator is on an element inside it.
  if (element.matches('iframe')) return null
  const name = element.outerHTML.slice(0, 120)
  const shown = element.matches('.unseen') ? element.nextElementSibling ?? element.parentElement : element
  const { left, top, width, height } = shown.getBoundingClientRect()
  const style = getComputedStyle(shown)
  const frame = getComputedStyle(shown.closest('label, [class*=editor]') ?? shown)
  const isMarked = [style, frame].some((each) => each.outlineStyle !== 'none' || each.boxShadow !== 'none')
  if (width === 0 || height === 0) return 'has no size: ' + name
  if (!isMarked) return 'looks the same with the focus: ' + name
  if (top + height < 0 || top > innerHeight) return 'is out of sight: ' + name
  const x = Math.min(Math.max(left + width / 2, 1), innerWidth - 1)
  const y = Math.min(Math.max(top + height / 2, 1), innerHeight - 1)
  let above = document.elementFromPoint(x, y)
  while (above?.shadowRoot?.elementFromPoint(x, y) && above.shadowRoot.elementFromPoint(x, y) !== above)
    above = above.shadowRoot.elementFromPoint(x, y)
  const isOwn = above && (above === element || shown.contains(above) || above.contains(shown))
  return isOwn ? null : 'is covered by ' + above?.outerHTML.slice(0, 80) + ': ' + name
}`

async function fill(): Promise<Filled> {
  const { admin } = server
  const project = await createProject(admin, { name: 'Harbour' })
  const script = await createScript(admin, project, { name: 'main.lua' })
  let user = ''
  for (let made = 0; made < 12; made += 1) user = await createUser(admin, project, { note: `friend ${made}` })
  await admin.post('/v1/tokens/new', { name: 'Shop', scopes: ['users:issue'] })
  const system = await admin.post('/v1/adsystems/new', { project_id: project, name: 'Day pass' })
  return { project, script, system: system.string('system_id'), user }
}
