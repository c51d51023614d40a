/**
 * Tests the playground in a real browser: from the server at `/playground`, and as a folder on any web
 * server.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import path from 'node:path'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { obfuscate } from '../packages/obfuscator/src/index.ts'
import { listenOnFreePort } from '../packages/server/test/ports.ts'
import { inspect } from './dashboard/inspect.ts'
import { sharedStage } from './dashboard/stage.ts'

const DIST = path.join(import.meta.dirname, '..', 'packages', 'dashboard', 'playground', 'dist')
const FIRST = { preset: 'strong', target: 'any', seed: '1', switched: [] as string[] }

const stage = sharedStage()

type Draft = typeof FIRST & { readonly source: string }

const hashOf = (draft: Partial<Draft>) =>
  `#s=${deflateRawSync(JSON.stringify({ ...FIRST, ...draft })).toString('base64url')}`
const draftIn = (link: string) =>
  JSON.parse(inflateRawSync(Buffer.from(link.split('#s=')[1] ?? '', 'base64url')).toString()) as Draft

/** Opens a page, and records its requests and reported errors. */
async function open(url: string) {
  const page = await stage.browser.newPage({ viewport: { width: 1280, height: 900 } })
  const requests: string[] = []
  const complaints: string[] = []
  /** Content security policies by path. */
  const policies = new Map<string, string>()
  page.on('request', (request) => void requests.push(request.url()))
  page.on('response', (answer) => {
    policies.set(new URL(answer.url()).pathname, answer.headers()['content-security-policy'] ?? '')
  })
  page.on('console', (message) => void complaints.push(message.text()))
  page.on('pageerror', (error) => void complaints.push(error.message))
  await page.goto(url)
  await page.getByRole('heading', { name: 'Playground' }).waitFor()
  return { page, requests, complaints, policies }
}

const openAt = (hash = '') => open(`${stage.server.url}/playground/${hash}`)
const start = (page: Page) => page.getByRole('button', { name: 'Protect and run' }).click()
const finished = (page: Page) =>
  page.getByRole('table', { name: 'What each option does to this script' }).waitFor()
const row = async (page: Page, table: string, name: string) => {
  const found = page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: name })
  return (await found.locator('td').allTextContents()) as string[]
}
/** Runs in the browser. Counts in `window.lines` the lines that scripts print. */
const countLines = `() => {
  window.lines = 0
  const { postMessage } = Worker.prototype
  Worker.prototype.postMessage = function (task) {
    this.addEventListener('message', ({ data }) => { if (data?.text === 'on') window.lines += 1 })
    postMessage.call(this, task)
  }
}`
const printed = (page: Page, name: string) => page.getByRole('region', { name }).locator('pre').textContent()

describe('the playground of a server', () => {
  it('protects, runs, compares and attacks a script without requesting anything but its own files', async () => {
    const { page, requests, complaints, policies } = await openAt()
    await inspect(page, 'playground, before')
    await start(page)
    await finished(page)
    expect(await printed(page, 'Your source')).toMatch(/^guest 6058.5\nlifetime 4846.8\n/)
    expect(await printed(page, 'Protected script')).toBe(await printed(page, 'Your source'))
    await page.getByText('Identical').waitFor()
    const attackers = 'What an attacker sees'
    expect(await row(page, attackers, 'Opens the file')).toEqual(['0 of 7', '0 of 10', '0 of 7', '–'])
    expect((await row(page, attackers, 'Hooks every'))[0]).toBe('3 of 7')
    expect((await row(page, attackers, 'Uses a tool'))[0]).toBe('7 of 7')
    await page.getByRole('region', { name: 'Uses a tool' }).getByText('Show 7 strings').click()
    await page.getByRole('region', { name: 'Uses a tool' }).getByText('seven grey herons').waitFor()
    const options = 'What each option does to this script'
    expect((await row(page, options, 'Preset Light'))[2]).toBe('1 string, 0 names, 6 numbers')
    expect((await row(page, options, 'This build'))[0]).toMatch(/, the same$/)
    await page.getByText('Preset options').click()
    await inspect(page, 'playground, after')
    const able = [...policies].filter(([, policy]) => policy.includes('wasm-unsafe-eval'))
    expect(able).toEqual([[expect.stringMatching(/luau-worker-[\w-]+\.js$/), expect.any(String)]])
    for (const policy of policies.values()) expect(policy).not.toMatch(/unsafe-inline|connect-src/)
    const own = `${stage.server.url}/playground/`
    expect(requests.filter((url) => !url.startsWith(own))).toEqual([])
    expect(complaints).toEqual([])
  })

  it.each(['shop', 'route', 'executor'])(
    'has examples that print the same when protected: %s',
    async (name) => {
      const { page } = await openAt()
      await page.getByLabel('Example').selectOption(name)
      await start(page)
      await page.getByText('Identical').waitFor()
      expect(await printed(page, 'Your source')).not.toBe('')
    },
  )

  it('shares by a link that is never sent, and tabs do not change each other', async () => {
    const source = 'print("héron", 404)'
    const { page } = await openAt(hashOf({ source, preset: 'light', switched: ['integrity'] }))
    const editor = page.getByRole('textbox', { name: 'Source' })
    await expect.poll(() => editor.textContent()).toBe(source)
    await page.getByLabel('Seed').fill('spring')
    await page.getByRole('button', { name: 'Copy a link' }).click()
    await page.getByText(/^Link copied|in the address bar/).waitFor()
    const link = page.url()
    expect(draftIn(link)).toEqual({
      ...FIRST,
      source,
      preset: 'light',
      seed: 'spring',
      switched: ['integrity'],
    })
    const other = await open(link)
    await expect.poll(() => other.page.getByLabel('Seed').inputValue()).toBe('spring')
    await other.page.getByLabel('Preset').selectOption('max')
    await page.reload()
    await expect.poll(() => page.getByLabel('Preset').inputValue()).toBe('light')
    await other.page.reload()
    await expect.poll(() => other.page.getByLabel('Preset').inputValue()).toBe('max')
  })

  it('opens a damaged link with a message and keeps what was there', async () => {
    const { page } = await openAt('#s=AAAA-_x')
    await page.getByText('This link is incomplete or damaged').waitFor()
    await expect.poll(() => page.getByLabel('Example').inputValue()).toBe('shop')
    await page.getByLabel('Seed').fill('2')
    await expect.poll(() => page.getByText('This link is incomplete or damaged').count()).toBe(0)
    const bomb = deflateRawSync(JSON.stringify({ ...FIRST, source: ' '.repeat(50_000_000) }))
    await page.evaluate(`location.hash = '#s=${bomb.toString('base64url')}'`)
    await page.getByText('This link is incomplete or damaged').waitFor()
  })
})

describe('the playground refuses', () => {
  it('a source with a syntax error, with its line, and protects it once it is corrected', async () => {
    const { page } = await openAt(hashOf({ source: 'print(1)\nlocal = 2\n' }))
    await start(page)
    await page.getByRole('button', { name: 'Line 2, column 7' }).click()
    await inspect(page, 'playground, with an error')
    await page.keyboard.press('Control+a')
    await page.keyboard.insertText('print(WARD_LINE)')
    await start(page)
    await expect.poll(() => page.getByText('Identical').count()).toBe(1)
    expect(await printed(page, 'Protected script')).toBe('1\n')
  })

  it('an empty source, and one of a megabyte', async () => {
    const { page } = await openAt(hashOf({ source: ' \n' }))
    await page.getByText('Write a script first').waitFor()
    const lines = Array.from({ length: 15_000 }, (_, i) => createHash('sha256').update(`${i}`).digest('hex'))
    await page.evaluate(
      `location.hash = '${hashOf({ source: lines.map((each) => `-- ${each}\n`).join('') })}'`,
    )
    await page.getByText('up to 256,000 characters').waitFor()
    expect(await page.getByRole('button', { name: 'Protect and run' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Copy a link' }).click()
    await page.getByText('too long for a link').waitFor()
  })

  it('to wait for an endless script: it can be stopped, and has a time limit', async () => {
    const { page } = await openAt(hashOf({ source: 'print("on") while true do end', preset: 'light' }))
    // Skips the limit of ten seconds once a run has printed its line.
    await page.clock.install()
    await page.evaluate(`(${countLines})()`)
    const outlast = async (run: number) => {
      await expect.poll(() => page.evaluate<number>('window.lines')).toBe(run)
      await page.clock.fastForward(10_000)
    }
    await start(page)
    await page.getByText('Running both scripts').waitFor()
    await expect.poll(() => page.evaluate<number>('window.lines')).toBe(1)
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('You stopped').first().waitFor()
    await start(page)
    await outlast(2)
    await outlast(3)
    const source = page.getByRole('region', { name: 'Your source' })
    await source.getByText('Stopped after 10 seconds').waitFor()
    expect(await printed(page, 'Your source')).toBe('on\n')
    await page.getByText('Not compared').waitFor()
    await finished(page)
    await page.getByText('Not tried: this attack needs a Luau run').waitFor()
  })

  it('to run what Luau cannot run, and says so', async () => {
    const { page } = await openAt(
      hashOf({ source: 'print(7 // 2, 6 & 3, "a longer text")', target: 'lua54' }),
    )
    await start(page)
    await page.getByText("output for Lua 5.4 isn't run").waitFor()
    await finished(page)
    expect((await row(page, 'What an attacker sees', 'Opens the file'))[0]).toBe('0 of 1')
    expect(await row(page, 'What an attacker sees', 'Uses a tool')).toEqual(['–', '–', '–', '–'])
  })
})

describe('the obfuscator in the browser', () => {
  it('gives the same bytes as in Node, for every preset and target', async () => {
    const { page } = await openAt()
    const source = readFileSync(path.join(import.meta.dirname, '../bench/programs/json.lua'), 'utf8')
    const worker = readdirSync(path.join(DIST, 'assets')).find((name) => /^protect-worker.*\.js$/.test(name))
    const choices = [
      ...['light', 'balanced', 'strong', 'max'].map((preset) => ({ preset, target: 'any' })),
      ...['lua51', 'luajit', 'luau', 'lua54'].map((target) => ({ preset: 'strong', target })),
    ]
    for (const [i, { preset, target }] of choices.entries()) {
      const draft = { ...FIRST, source, preset, target, seed: i % 2 === 0 ? `${i}` : `seed ${i}` }
      const built = await page.evaluate<{ code: string }>(`new Promise((resolve) => {
        const worker = new Worker('assets/${worker}', { type: 'module' })
        worker.onmessage = ({ data }) => { worker.terminate(); resolve(data) }
        worker.postMessage(${JSON.stringify({ kind: 'protect', draft })})
      })`)
      const seed = i % 2 === 0 ? i : `seed ${i}`
      expect(obfuscate(source, { preset, target, seed })).toMatchObject({ code: built.code })
    }
  })
})

describe('the playground as a folder', () => {
  const TYPES: Readonly<Record<string, string>> = {
    '.html': 'text/html',
    '.js': 'text/javascript',
    '.css': 'text/css',
    '.svg': 'image/svg+xml',
    '.woff2': 'font/woff2',
  }
  const BASE = '/tools/lua/'
  let server: Server
  let url: string
  const asked: string[] = []
  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push(request.url ?? '')
      const { pathname } = new URL(request.url ?? '', 'http://localhost')
      const name = pathname === BASE ? 'index.html' : pathname.slice(BASE.length)
      response.setHeader('content-type', TYPES[path.extname(name)] ?? 'application/octet-stream')
      response.end(readFileSync(path.join(DIST, name)))
    })
    url = `http://127.0.0.1:${await listenOnFreePort(server)}${BASE}`
  })
  afterAll(() => {
    server?.closeAllConnections()
    server?.close()
  })

  it('works below any path of a web server that sends no headers', async () => {
    const { page, requests, complaints } = await open(`${url}${hashOf({ source: 'print("anywhere")' })}`)
    await start(page)
    await finished(page)
    expect(await printed(page, 'Protected script')).toBe('anywhere\n')
    expect(requests.filter((each) => !each.startsWith(url))).toEqual([])
    expect(complaints).toEqual([])
    const fetched = await page.evaluate("fetch('index.html').then(() => 'sent', () => 'refused')")
    expect(fetched).toBe('refused')
    expect(asked.filter((each) => !/^\/tools\/lua\/(assets\/[\w.-]+)?$/.test(each))).toEqual([])
  })
})
