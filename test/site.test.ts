/** Tests the guide as a static site in a subfolder of a plain web server. */
import { createServer, type Server } from 'node:http'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { siteOf } from '../packages/server/src/http/pages/guide.ts'
import { listenOnFreePort } from '../packages/server/test/ports.ts'
import { sharedStage } from './dashboard/stage.ts'

const BASE = '/manual/'
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}

const stage = sharedStage()
let files: ReadonlyMap<string, Buffer>
let server: Server
let url: string
beforeAll(async () => {
  files = await siteOf(path.join(import.meta.dirname, '..', 'docs'))
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://localhost')
    const name = pathname === BASE ? 'index.html' : pathname.slice(BASE.length)
    const file = pathname.startsWith(BASE) ? files.get(name) : undefined
    response.statusCode = file === undefined ? 404 : 200
    response.setHeader('content-type', TYPES[path.extname(name)] ?? 'application/octet-stream')
    response.end(file)
  })
  url = `http://127.0.0.1:${await listenOnFreePort(server)}${BASE}`
})
afterAll(() => {
  server?.closeAllConnections()
  server?.close()
})

it('has every file and heading that its pages link to, and nothing of a server', () => {
  const pages = [...files].filter(([name]) => name.endsWith('.html'))
  expect(pages.length).toBeGreaterThan(40)
  for (const [name, bytes] of pages) {
    const links = [...String(bytes).matchAll(/(?:href|src)="([^"]+)"/g)].map(([, link = '']) => link)
    for (const link of links.filter((each) => !/^(https?|mailto):/.test(each))) {
      const [file, heading] = link.split('#')
      const target = files.get(file || name)
      expect(target, `${name} links to ${link}`).toBeDefined()
      if (heading) expect(String(target), `${name} links to ${link}`).toContain(`id="${heading}"`)
    }
  }
})

it('finds pages by search, and asks no other host', async () => {
  const page = await (await stage.browser.newContext()).newPage()
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.goto(url)
  await page.getByRole('searchbox', { name: 'Search' }).fill('hwid')
  await page.locator('#results a').first().click()
  await page.getByRole('heading', { level: 1 }).waitFor()
  expect(page.url()).toMatch(/\.html#/)
  expect(asked.filter((each) => !each.startsWith(url))).toEqual([])
  await page.context().close()
})
