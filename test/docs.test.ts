/** The reference of the API in a real browser: it works without the internet, under its own rules, and can be tried. */
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sqlite } from '../packages/server/test/databases.ts'
import { startServer, type TestServer } from '../packages/server/test/harness.ts'
import { createOwner } from '../packages/server/test/nouns.ts'

const CHROMIUM = '/usr/bin/chromium'
const QUIET = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync']

let server: TestServer
let browser: Browser
beforeAll(async () => {
  server = await startServer(sqlite)
  browser = await chromium.launch({ executablePath: CHROMIUM, args: QUIET })
})
afterAll(async () => {
  await browser?.close()
  await server?.close()
})

describe('the reference at /docs', () => {
  it('shows every endpoint, loads nothing from other hosts, and violates no content policy', async () => {
    const page = await browser.newPage()
    const complaints: string[] = []
    const elsewhere: string[] = []
    page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())))
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on(
      'request',
      (request) => void (!request.url().startsWith(server.url) && elsewhere.push(request.url())),
    )
    await page.goto(`${server.url}/docs`)
    await page.locator('.opblock').first().waitFor()
    const declared = (await declaredOperations(server)).sort()
    const shown = new Set<string>()
    await expect.poll(() => collectShown(page, shown).then(() => [...shown].sort())).toEqual(declared)
    expect(page.url()).toBe(`${server.url}/docs/`)
    expect(complaints).toEqual([])
    expect(elsewhere.filter((url) => !url.startsWith('data:'))).toEqual([])
  })

  it('can send a call with an API key, and does not store the key', async () => {
    const { owner } = await createOwner(server, {}, { name: 'Shown in the reference' })
    const page = await browser.newPage()
    await page.goto(`${server.url}/docs/`)
    await page.locator('.authorize').first().click()
    await page.locator('.auth-container input').first().fill(owner.apiKey)
    await page.locator('.auth-btn-wrapper .authorize').first().click()
    await page.locator('.btn-done').first().click()
    await page.locator('.operation-filter-input').fill('projects')
    const list = page
      .locator('.opblock', { hasText: '/v1/projects' })
      .filter({ hasText: 'List the projects' })
    await list.first().locator('.opblock-summary').click()
    await list.first().getByRole('button', { name: 'Execute' }).click()
    await list.first().getByText('Shown in the reference').first().waitFor()
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))
    expect(kept).not.toContain(owner.apiKey)
  })

  it('may not be framed and runs no code but its own', async () => {
    for (const path of ['/docs/', '/docs/start.js', '/docs/swagger-ui.css']) {
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

const READ_OPERATIONS = `[...document.querySelectorAll('.opblock-summary')].map((row) =>
  row.querySelector('.opblock-summary-method').textContent + ' ' +
  row.querySelector('.opblock-summary-path').dataset.path)`

/** Only what is near the window is there, and soon rather than at once, so the page is scrolled through, more than once. */
async function collectShown(page: Page, shown: Set<string>): Promise<void> {
  for (let y = 0; y < Number(await page.evaluate('document.body.scrollHeight')); y += 300) {
    await page.evaluate(`scrollTo(0, ${y})`)
    await page.waitForTimeout(40)
    for (const text of await page.evaluate<string[]>(READ_OPERATIONS)) shown.add(text)
  }
}

async function declaredOperations({ url }: TestServer): Promise<string[]> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: Record<string, object> }
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
}
