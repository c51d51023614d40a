/**
 * Tests the audit log in a real browser: readable sentences, filters in the URL, and all details of an entry.
 */
import { readFileSync } from 'node:fs'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { auditActions } from '../../packages/dashboard/src/messages/en/audit.ts'
import { readConfig } from '../../packages/server/src/config/config.ts'
import { endpoints } from '../../packages/server/src/endpoints.ts'
import { chainEntries } from '../../packages/server/src/features/audit/chain.ts'
import type { Owner, TestServer } from '../../packages/server/test/harness.ts'
import { createPerson, signIn } from '../../packages/server/test/people.ts'
import { ownStage } from './stage.ts'

const { adProviders } = readConfig({})
const stage = ownStage({ config: { adProviders } })
const { browser } = stage
let server: TestServer
let owner: Owner
let cookies: Parameters<BrowserContext['addCookies']>[0]

beforeAll(async () => {
  server = stage.server
  owner = await server.createCustomer()
  const person = await createPerson(server, owner.id)
  const headers = await signIn(server, person)
  const [name = '', value = ''] = headers.cookie?.split('=') ?? []
  const csrf = headers['x-scriptward-csrf'] ?? ''
  const url = server.url
  cookies = [
    { name, value, url, httpOnly: true, sameSite: 'Lax' },
    { name: 'scriptward-csrf', value: csrf, url, sameSite: 'Lax' },
  ]
  await changeThings(headers)
})

const EXPIRES = Date.UTC(2030, 0, 1)
let project: string

/** Makes some changes with the API key and others as a dashboard user. */
async function changeThings(headers: Record<string, string>): Promise<void> {
  project = (await owner.post('/v1/projects/new', { name: 'Garden' })).string('project_id')
  const asPerson = (path: string, body: unknown) =>
    server.client().send('POST', path, {
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  for (let n = 0; n < 60; n += 1)
    await owner.post(`/v1/projects/${project}/users/new`, { note: `buyer ${n}`, key_expires: EXPIRES })
  await asPerson(`/v1/projects/${project}/users/generate`, { amount: 3 })
  const filter = { note: 'buyer 7' }
  await asPerson(`/v1/projects/${project}/users/bulk`, { action: 'extend', duration: 172_800_000, filter })
  const tags = ['vip', 'beta']
  await asPerson(`/v1/projects/${project}/users/bulk`, { action: 'tag', tags, filter })
  await owner.post('/v1/tokens/new', { name: 'CI', scopes: ['users:issue'], projects: [project] })
  await owner.post('/v1/tokens/new', {
    name: 'Shop',
    scopes: ['projects:read'],
    projects: null,
    networks: null,
  })
  const clock = { basis: 'first_use', duration: 2_592_000_000 }
  await owner.post(`/v1/projects/${project}/plans/new`, { name: 'Monthly', clock, grace: 0, quota: null })
  const { user_key: gone } = (await owner.post(`/v1/projects/${project}/users/new`, { note: 'order 1033' }))
    .body
  await owner.post(`/v1/users/${gone}/remove`, {})
  await switchNetwork()
  await asPerson('/v1/members/invite', { email: 'sam@example.com', role: 'support' })
  await asPerson(`/v1/projects/${project}/edit`, { name: 'Orchard' })
  while (await chainEntries(server.deps));
}

/** Adds a step for one ad network, and then moves the step to another network. */
async function switchNetwork(): Promise<void> {
  const made = await owner.post('/v1/adsystems/new', { project_id: project, name: 'Day pass' })
  const steps = `/v1/adsystems/${made.string('system_id')}/checkpoints`
  const step = (await owner.post(`${steps}/prepare`)).string('checkpoint_id')
  const url = 'https://linkvertise.com/1/article'
  const provider_data = { token: 'publisher-token-of-the-author' }
  await owner.post(`${steps}/new`, { name: 'Article', url, provider: 'provider_a', provider_data })
  await owner.post(`/v1/adcheckpoints/${step}/edit`, {
    ...{ url: 'https://work.ink/1/article', provider: 'provider_c', provider_data: { link_id: 'mine' } },
  })
}

async function open(fragment: string, look: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1100, height: 800 }, ...look })
  await context.addCookies(cookies)
  const page = await context.newPage()
  await page.goto(`${server.url}/dashboard/${fragment}`)
  await page.getByRole('heading', { name: 'Audit log' }).waitFor()
  return page
}

const line = (page: Page, words: RegExp) => page.locator('details.entry summary', { hasText: words })

describe('the audit log', () => {
  it('has a sentence for every change that the API makes in an account', () => {
    const changing = endpoints.filter(
      ({ name, method, changes = method !== 'GET', auth }) =>
        /^v1\./.test(name) && changes && auth !== 'client',
    )
    const sentences: object = Object.assign({}, ...Object.values(auditActions))
    expect(changing.map(({ name }) => name).filter((name) => !(name in sentences))).toEqual([])
  })

  it('describes what was changed, by whom, before and after', async () => {
    const page = await open('#/audit')
    await line(page, /Person edited project Orchard: name Garden → Orchard/).waitFor()
    await line(page, /Person invited sam@example.com as Support/).waitFor()
    await line(page, /API key sw_\S+ created token CI: scopes users:issue, projects Orchard$/).waitFor()
    await line(page, /Person generated 3 keys in project Orchard/).waitFor()
    await line(page, /Person extended 1 key by 2 days in project Orchard/).waitFor()
    await line(page, /Person added tags vip, beta to 1 user in project Orchard/).waitFor()
    await page.getByText('scriptward doctor --verify-audit').waitFor()
    const time = page.locator('details.entry time').first()
    await expect.poll(() => time.getAttribute('title')).toMatch(/Jun 15, 2026/)
  })

  it('distinguishes access to everything from access to nothing, and leaves out defaults', async () => {
    const page = await open('#/audit')
    await line(page, /created token Shop: scopes projects:read, projects all, networks any$/).waitFor()
    await line(page, /created plan Monthly in project Orchard: valid 30 days from first run$/).waitFor()
  })

  it('names users by their notes, also once they are removed', async () => {
    const page = await open('#/audit')
    await line(page, /removed user order 1033/).waitFor()
    await line(page, /created user order 1033 in project Orchard$/).waitFor()
  })

  it('names ad networks, in the line and in the details', async () => {
    const page = await open('#/audit')
    await line(page, /created step Article in ad system Day pass: .*network Linkvertise/).waitFor()
    const edited = line(page, /edited step Article: .*network Linkvertise → Work\.ink/)
    await edited.click()
    await page.getByRole('row', { name: 'provider Linkvertise Work.ink' }).waitFor()
  })

  it('expands an entry to all its details', async () => {
    const page = await open('#/audit')
    await line(page, /edited project/).click()
    const opened = page.locator('details.entry[open]')
    const { entries } = (await owner.get('/v1/audit?action=v1.projects.edit')).body as {
      entries: Record<string, string>[]
    }
    const [entry = {}] = entries
    await opened.getByText(String(entry.hash), { exact: true }).waitFor({ state: 'hidden' })
    await opened.getByText('Technical details').click()
    for (const name of ['id', 'request_id', 'network', 'hash', 'action'])
      await opened.getByText(String(entry[name]), { exact: true }).waitFor()
    await expect.poll(() => opened.getByRole('row', { name: 'name Garden Orchard' }).count()).toBe(1)
    await opened.getByRole('button', { name: 'Filter by Orchard' }).click()
    await line(page, /created token CI/).waitFor({ state: 'detached' })
    await line(page, /edited project Orchard/).waitFor()
    await expect.poll(() => page.url()).toContain(`noun=${project}`)
  })

  it('keeps its filters in the URL, and loads more on demand', async () => {
    const page = await open('#/audit')
    await page.getByText('Latest 50 entries').waitFor()
    await page.getByRole('button', { name: 'Show more' }).click()
    await line(page, /created project Orchard/).waitFor()
    await page.getByText('Changes by anyone to anything from the entire log').waitFor()
    const choose = async (token: string, option: string) => {
      await page.getByRole('button', { name: token }).click()
      await page.getByRole('dialog').getByRole('button', { name: option, exact: true }).click()
    }
    const setDays = async (label: string, day: string) => {
      await choose('Period: ', 'Choose days')
      await page.locator('dialog[open]').getByLabel(label, { exact: true }).fill(day)
      await page.locator('dialog[open]').getByRole('button', { name: 'Show entries' }).click()
    }
    await choose('Action: Changes', 'Edited project')
    await page.getByText('1 entry', { exact: true }).waitFor()
    await setDays('From', '2026-06-15')
    await choose('Who: anyone', 'Person')
    await page.getByText('Jun 15, 2026 onward').waitFor()
    await expect.poll(() => page.url()).toContain('actor=')
    const kept = new URLSearchParams(page.url().split('?')[1])
    expect(kept.get('actor')).toMatch(/^psn_\w+$/)
    expect([kept.get('action'), kept.get('from')]).toEqual(['v1.projects.edit', '2026-06-15'])
    await page.reload()
    await page.getByText('1 entry', { exact: true }).waitFor()
    await setDays('From', '2026-06-10')
    await setDays('To', '2026-06-14')
    await page.getByRole('heading', { name: 'No entries' }).waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).first().click()
    await page.getByText('Latest 50 entries').waitFor()
    await expect.poll(() => page.url()).toMatch(/#\/audit$/)
  })

  it('can be exported as CSV with the current filters', async () => {
    const page = await open('#/audit?action=v1.projects.edit')
    await page.getByText('1 entry', { exact: true }).waitFor()
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export as CSV' }).click()
    const lines = readFileSync(await (await saved).path(), 'utf8')
      .trim()
      .split('\r\n')
    expect((await saved).suggestedFilename()).toMatch(/^audit-\d{4}-\d\d-\d\d\.csv$/)
    expect(lines).toHaveLength(2)
    expect(lines[1]).toContain('Orchard')
  })
})
