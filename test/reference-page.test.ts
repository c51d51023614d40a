/**
 * Tests the API reference in a real browser: it must be complete, secure, accessible, and able to send
 * requests.
 */
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import type { TestServer } from '../packages/server/test/harness.ts'
import { createOwner } from '../packages/server/test/nouns.ts'
import { findBarriers, inEachLook, isTooWide, picture } from './browser.ts'
import { sharedStage } from './dashboard/stage.ts'
import { signInAs } from './sign-in.ts'

type Document = {
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Record<string, Record<string, { operationId: string }>>
  readonly webhooks: Record<string, object>
}

const stage = sharedStage()
const { browser } = stage
let server: TestServer
beforeAll(() => {
  server = stage.server
})

/** Opens a page of the reference and expects no console errors except failed API calls. */
async function open(place: string, look: BrowserContextOptions = {}, signedInTo?: string): Promise<Page> {
  const context = await browser.newContext(look)
  if (signedInTo !== undefined) await signInAs(context, server, signedInTo, { role: 'owner' })
  const page = await context.newPage()
  await page.goto(`${server.url}/docs/${place}`)
  await page.locator('main h1').waitFor()
  return page
}

const sectionOf = (page: Page, name: string): Locator =>
  page.locator('section.operation').filter({ has: page.locator(`[id="${name}"]`) })

async function openTry(section: Locator): Promise<void> {
  await section.locator('.try > summary').click()
}

describe('the reference at /docs', () => {
  it('shows every operation and event, loads nothing from elsewhere, and violates no content security policy', async () => {
    const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as Document
    const operations = Object.values(document.paths).flatMap((one) => Object.values(one))
    const declared = [...operations.map((one) => one.operationId), ...Object.keys(document.webhooks)].sort()
    const page = await browser.newPage()
    const [complaints, elsewhere]: [string[], string[]] = [[], []]
    page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())))
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('request', (one) => void (!one.url().startsWith(server.url) && elsewhere.push(one.url())))
    await page.goto(`${server.url}/docs`)
    await page.locator('main h1').waitFor()
    await expect.poll(() => page.url()).toBe(`${server.url}/docs/`)
    const shown: string[] = []
    for (const { name } of document.tags) {
      await page.goto(`${server.url}/docs/#${name}`)
      await page.locator(`main[data-group="${name}"] h3`).first().waitFor()
      shown.push(...(await page.evaluate<string[]>(`[...document.querySelectorAll('h3')].map((h) => h.id)`)))
    }
    expect(shown.sort()).toEqual(declared)
    expect(complaints).toEqual([])
    expect(elsewhere).toEqual([])
  })

  it('finds operations by path and description', async () => {
    const page = await open('')
    await page.locator('#search').fill('users compensate')
    await page.locator('#list a', { hasText: 'Extend all keys' }).first().click()
    await page.locator('main h1', { hasText: 'Project users' }).waitFor()
    expect(await page.evaluate('document.activeElement.id')).toMatch(/projectUsers\.compensate$/)
    await page.locator('#search').fill('no such word')
    await page.getByText('0 found').waitFor()
  })

  it('finds words that were typed before its document was loaded', async () => {
    const page = await browser.newPage()
    const typed = Promise.withResolvers<void>()
    await page.route('**/openapi.json', (one) => typed.promise.then(() => one.continue()))
    await page.goto(`${server.url}/docs/`)
    await page.locator('#search').fill('users compensate')
    typed.resolve()
    await page.locator('#list a', { hasText: 'Extend all keys' }).first().waitFor()
  })

  it('shows samples in four languages, with the URL that the reader used', async () => {
    const page = await open('#v1.projects.list')
    const samples = sectionOf(page, 'v1.projects.list').locator('.samples')
    for (const [language, words] of [
      ['curl', `curl '${server.url}/v1/projects?limit=20&counts=true'`],
      ['JavaScript', 'await scriptward.projects.list('],
      ['Lua', 'http.request({'],
      ['Python', 'urllib.request.Request('],
    ] as const) {
      await samples.getByRole('button', { name: language }).click()
      await samples.getByText(words).waitFor()
      await expect.poll(() => samples.textContent()).toContain(server.url)
    }
  })

  it('can send a call with an API key, and does not store the key', async () => {
    const { owner } = await createOwner(server, {}, { name: 'Shown in the reference' })
    const page = await open('#v1.projects.list')
    await page.locator('#caller').click()
    await page.locator('#key').fill(owner.apiKey)
    await page.getByRole('button', { name: 'Use this key' }).click()
    await page.locator('#caller', { hasText: 'With a key' }).waitFor()
    const section = sectionOf(page, 'v1.projects.list')
    await openTry(section)
    await section.getByRole('button', { name: 'Send' }).click()
    await section.locator('.output').getByText('Shown in the reference').waitFor()
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))
    expect(kept + page.url()).not.toContain(owner.apiKey)
    await page.reload()
    await page.locator('#caller', { hasText: 'Not signed in' }).waitFor()
  })

  it('explains that a key is invalid', async () => {
    const page = await open('')
    await page.locator('#caller').click()
    await page.locator('#key').fill('sw_wrong')
    await page.getByRole('button', { name: 'Use this key' }).click()
    await page.getByText('This key or token is not accepted.').waitFor()
  })

  it("fills in the IDs of the signed-in user's account, and changes nothing unasked", async () => {
    const { owner, project } = await createOwner(server, {}, { name: 'Mine' })
    const page = await open('#v1.projects.edit', {}, owner.id)
    const section = sectionOf(page, 'v1.projects.edit')
    await openTry(section)
    const field = section.getByLabel('project_id', { exact: true })
    await expect.poll(() => field.inputValue()).toBe(project)
    await expect.poll(() => section.locator('.samples').textContent()).toContain(project)
    await section.getByRole('textbox', { name: /^Body/ }).fill('{"name": "Changed here"}')
    await section.getByRole('button', { name: 'Send' }).click()
    expect((await owner.get(`/v1/projects/${project}`)).body.project).toMatchObject({ name: 'Mine' })
    await section.getByLabel('This changes real data').check()
    await section.getByRole('button', { name: 'Send' }).click()
    await section.locator('.output').getByText('200').first().waitFor()
    expect((await owner.get(`/v1/projects/${project}`)).body.project).toMatchObject({ name: 'Changed here' })
  })

  it.each(['', '#v1.users.get', '#events'])(
    'is accessible and fits, in every look: /docs/%s',
    async (place) => {
      const { owner } = await createOwner(server)
      const page = await open(place, {}, owner.id)
      if (place === '#v1.users.get') await openTry(sectionOf(page, 'v1.users.get'))
      await inEachLook(page, place, async (look) => {
        await picture(page, `docs-${place.slice(1) || 'overview'}-${look}`)
        expect([look, await isTooWide(page), await findBarriers(page)]).toEqual([look, false, []])
      })
    },
  )

  it('cannot be framed and runs only its own code', async () => {
    for (const path of ['/docs/', '/docs/start.js', '/docs/reference.css']) {
      const { headers, status } = await fetch(server.url + path)
      expect(status).toBe(200)
      expect(headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'")
      expect(headers.get('content-security-policy')).not.toContain('unsafe')
      expect(headers.get('cache-control')).toBe('no-cache')
    }
    expect((await fetch(`${server.url}/docs/../package.json`)).status).toBe(404)
    expect((await fetch(`${server.url}/docs/%2e%2e/%2e%2e/package.json`)).status).toBe(404)
  })
})
