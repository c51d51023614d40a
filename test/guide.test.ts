/**
 * Tests the guide at `/guide` in a real browser: it must be complete, accessible and searchable, with no dead
 * links.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { DENIALS, UNSENT_DENIALS } from '@scriptward/client/messages'
import { beforeAll, describe, expect, it } from 'vitest'
import { sample } from '../packages/client/test/effort.ts'
import type { TestServer } from '../packages/server/test/harness.ts'
import { findBarriers, inEachLook, isTooWide, picture } from './browser.ts'
import { sharedStage } from './dashboard/stage.ts'

/** Pages with every kind of content. */
const TWO = ['troubleshooting', 'selling-keys']
const DOCS = path.join(import.meta.dirname, '..', 'docs')

const stage = sharedStage()
const { browser } = stage
let server: TestServer
beforeAll(() => {
  server = stage.server
})

const read = async (place: string) => (await fetch(`${server.url}/${place}`)).text()
const namesOf = async () =>
  [...(await read('llms.txt')).matchAll(/\/guide\/([\w-]+)\.md/g)].map(([, name = '']) => name)
const found = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, one = '']) => one)

describe('the guide at /guide', () => {
  it('contains every page', async () => {
    const written = readdirSync(path.join(DOCS, 'guide')).map((file) => path.basename(file, '.md'))
    expect(await namesOf()).toEqual(expect.arrayContaining(written))
  })

  it('has no dead links to pages, headings or images', async () => {
    const pages = new Map<string, string>()
    for (const name of await namesOf()) pages.set(name, await read(`guide/${name}`))
    const dead: string[] = []
    for (const [name, text] of pages) {
      for (const href of found(text, /(?:href|src)="([^"]+)"/g)) {
        if (/^(https?:|mailto:)/.test(href)) continue
        const { pathname, hash } = new URL(href, `${server.url}/guide/${name}`)
        const target = pages.get(pathname.replace('/guide/', '')) ?? ''
        const isThere = (await fetch(server.url + pathname)).ok
        const isHeading =
          hash === '' || pathname.startsWith('/docs/') || target.includes(`id="${hash.slice(1)}"`)
        if (!isThere || !isHeading) dead.push(`${name}: ${href}`)
      }
    }
    expect(dead).toEqual([])
  })

  it('explains every denial reason', async () => {
    const headings = found(await read('guide/troubleshooting'), /<h3 id="(\w+)"/g)
    const unsent: readonly string[] = UNSENT_DENIALS
    expect(headings.sort()).toEqual(
      Object.keys(DENIALS)
        .filter((reason) => !unsent.includes(reason))
        .sort(),
    )
  })

  it('serves each page as Markdown too, as listed in llms.txt', async () => {
    const answer = await fetch(`${server.url}/guide/troubleshooting.md`)
    expect(answer.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    expect(await answer.text()).toBe(readFileSync(path.join(DOCS, 'guide/troubleshooting.md'), 'utf8'))
    expect(await read('llms.txt')).toMatch(/^# Scriptward\n\n> /)
  })

  it('finds a message by its text, loads nothing from elsewhere and violates no content security policy', async () => {
    const [complaints, elsewhere]: [string[], string[]] = [[], []]
    const page = await browser.newPage()
    page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())))
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('request', (one) => void (!one.url().startsWith(server.url) && elsewhere.push(one.url())))
    await page.goto(`${server.url}/guide`)
    await page.keyboard.press('/')
    await page.keyboard.type('bound to another device')
    await page.locator('#results a', { hasText: 'fingerprint_mismatch' }).first().click()
    await page.locator('h3#fingerprint_mismatch').waitFor()
    await page.getByLabel('Search').fill('qqqqqqq')
    await page.getByText('Nothing found. These pages come closest:').waitFor()
    await page.locator('#results a', { hasText: 'FAQ' }).waitFor()
    expect([complaints, elsewhere]).toEqual([[], []])
    await page.close()
  })

  it('finds words that were typed before its script was loaded', async () => {
    const page = await browser.newPage()
    const typed = Promise.withResolvers<void>()
    await page.route('**/guide.js', (one) => typed.promise.then(() => one.continue()))
    await page.goto(`${server.url}/guide`, { waitUntil: 'commit' })
    await page.getByLabel('Search').fill('bound to another device')
    typed.resolve()
    await page.locator('#results a', { hasText: 'fingerprint_mismatch' }).first().waitFor()
  })

  it('fits a narrow screen on every page, and is accessible in every look', async () => {
    const wrong: string[] = []
    const page = await browser.newPage()
    const names = await namesOf()
    const checked = [...TWO, ...sample(names, 4)]
    for (const name of names) {
      await page.setViewportSize({ width: 360, height: 800 })
      await page.goto(`${server.url}/guide/${name}`)
      await page.locator('article h1').waitFor()
      if (await isTooWide(page)) wrong.push(`${name}: is too wide`)
      // The other pages differ only in their text.
      if (!checked.includes(name)) continue
      await inEachLook(page, name, async (look) => {
        wrong.push(...(await findBarriers(page)).map((one) => `${name}: ${one}`))
        await picture(page, `guide-${name}-${look}`)
      })
    }
    expect(wrong).toEqual([])
  })

  it('is complete without JavaScript', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(`${server.url}/guide/selling-keys`)
    await page.getByRole('link', { name: 'Set up a Discord bot', exact: true }).first().waitFor()
    await page.getByText('node shop.mjs').first().waitFor()
    await context.close()
  })
})
