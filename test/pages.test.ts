/**
 * Tests every public page in a real browser: accessibility, both color schemes, narrow screens, and the
 * pages' scripts.
 */
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { effort } from '../packages/client/test/effort.ts'
import { renderVisitorPage } from '../packages/server/src/features/ads/pages/visitor-page.ts'
import {
  renderSelfService,
  renderSignIn,
  type SelfServiceView,
} from '../packages/server/src/features/customer-page/pages/self-service-page.ts'
import { renderHome, renderRun } from '../packages/server/src/features/public-pages/start-pages.ts'
import { findAsset } from '../packages/server/src/pages/assets.ts'
import { type Brand, policyOf } from '../packages/server/src/pages/brand.ts'
import { LANGUAGES, type Language } from '../packages/server/src/pages/language.ts'
import { renderProblem } from '../packages/server/src/pages/problem-page.ts'
import { png } from '../packages/server/test/images.ts'
import { KEY, sampleViews } from '../packages/server/test/pages/visitor-samples.ts'
import { listenOnFreePort } from '../packages/server/test/ports.ts'
import { findBarriers, isTooWide, LOOKS, picture } from './browser.ts'
import { openWindows } from './windows.ts'

const LONG = 'Gardenofextraordinarilylongnameswithoutanyblank of Ødegård & Söhne'
const LOGO = png(96, 64)
const pages = new Map<string, string>()
/** Successive responses to a waiting page's polling requests. */
const states: string[] = []
/** Bodies of submitted forms. */
const forms: URLSearchParams[] = []
let server: Server
const browser = openWindows()
let url: string

beforeAll(async () => {
  for (const language of LANGUAGES)
    for (const [name, text] of samplesIn(language))
      pages.set(`/${language}/${encodeURIComponent(name)}`, text)
  server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://localhost')
    const { text, contentType = 'text/html; charset=utf-8' } = await answerTo(request, pathname)
    const accent = /branded (#\w+)/.exec(decodeURIComponent(pathname))?.[1]
    response.setHeader('content-type', contentType)
    response.setHeader('content-security-policy', policyOf(accent))
    response.writeHead(text === undefined ? 404 : 200).end(text)
  })
  url = `http://127.0.0.1:${await listenOnFreePort(server)}`
})
afterAll(async () => {
  server?.closeAllConnections()
  await new Promise((resolve) => server?.close(resolve))
})

/** Languages differ only in the length of the text, and German text is longer than English text. */
const CHECKED: readonly Language[] = ['en', 'de']
const OTHERS = effort({
  day: ['ru' as Language],
  night: LANGUAGES.filter((one) => !CHECKED.includes(one)),
})
const looksOf = (language: Language) =>
  LOOKS.filter(({ viewport }) => (viewport?.width === 360) === (language === 'de'))

describe('a page', () => {
  it.each(CHECKED)(
    'is accessible and readable at 320 px without horizontal scrolling, as required by WCAG 2.2: %s',
    async (language) => {
      const found: string[] = []
      await walk(language, async (page, address) => {
        for (const { viewport, colorScheme } of looksOf(language)) {
          if (viewport) await page.setViewportSize(viewport)
          await page.emulateMedia({ colorScheme: colorScheme ?? null })
          for (const one of await findBarriers(page)) found.push(`${address}: ${one}`)
          if (await isTooWide(page)) found.push(`${address}: is wider than its window`)
          const place = address.slice(1).replaceAll(/[/%]/g, '-')
          await picture(page, `${place}-${colorScheme}-${viewport?.width}`)
        }
        await page.setViewportSize({ width: 320, height: 800 })
        if (await isTooWide(page)) found.push(`${address}: is wider than 320 px`)
      })
      expect(found).toEqual([])
    },
  )

  it.each(OTHERS)('is readable at 320 px without horizontal scrolling: %s', async (language) => {
    const found: string[] = []
    await walk(language, async (page, address) => {
      await page.setViewportSize({ width: 360, height: 800 })
      await picture(page, `${address.slice(1).replaceAll(/[/%]/g, '-')}-360`)
      await page.setViewportSize({ width: 320, height: 800 })
      if (await isTooWide(page)) found.push(address)
    })
    expect(found).toEqual([])
  })

  it('with an accessibility error is detected', async () => {
    const page = await browser.newPage({ colorScheme: 'light' })
    await page.goto(`${url}/en/sign%20in`)
    await page.evaluate(
      "document.querySelector('label').remove(); document.querySelector('h1').style.color = '#ddd'",
    )
    const found = (await findBarriers(page)).map((one) => one.split(':')[0])
    expect(found).toEqual(expect.arrayContaining(['label', 'color-contrast']))
    await page.close()
  })

  it('can be used with the keyboard alone, in reading order', async () => {
    const page = await browser.newPage()
    await page.goto(`${url}/en/own%20key`)
    const reached: string[] = []
    for (let n = 0; n < 5; n += 1) {
      await page.keyboard.press('Tab')
      reached.push(await page.evaluate<string>('document.activeElement.textContent'))
    }
    expect(reached).toEqual(['Reset device', 'End', 'End', 'Copy', 'Sign out'])
    await page.close()
  })
})

describe('the script of a page', () => {
  const open = async (
    name: string,
    options: BrowserContextOptions = {},
    prepare: (page: Page) => void | Promise<void> = () => {},
  ) => {
    const context = await browser.newContext(options)
    const page = await context.newPage()
    await prepare(page)
    await page.goto(`${url}/en/${encodeURIComponent(name)}`)
    return page
  }

  /** What a page shows for two seconds stays until the test moves the page's clock. */
  const stopClock = async ({ clock }: Page) => {
    await clock.install({ time: NOW })
    await clock.pauseAt(NOW + 1000)
  }

  it('copies a key', async () => {
    const page = await open('key', { permissions: ['clipboard-read', 'clipboard-write'] }, stopClock)
    await page.getByRole('button', { name: 'Copy' }).first().click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(KEY)
  })

  it('selects the key if copying is not allowed', async () => {
    const page = await open('key', {}, stopClock)
    await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('denied'))")
    await page.getByRole('button', { name: 'Copy' }).first().click()
    await page.getByRole('button', { name: 'Selected' }).waitFor()
    expect(await page.evaluate<string>('String(getSelection())')).toBe(KEY)
  })

  it('counts down, and then enables the button', async () => {
    const page = await open('own key soon free', {}, stopClock)
    const button = page.getByRole('button', { name: 'Reset device' })
    await expect.poll(() => button.isDisabled()).toBe(true)
    await page.clock.runFor(3000)
    await page.locator('#reset:enabled').waitFor()
    await expect.poll(() => page.locator('[data-seconds-left]').textContent()).toBe('0 s')
  })

  it("shows times in the reader's time zone", async () => {
    const page = await open('own key', { timezoneId: 'Asia/Tokyo', locale: 'en-GB' })
    await page.getByText('17 Jun 2026, 00:46').first().waitFor()
  })

  it('polls until the provider has confirmed, and then reloads the page', async () => {
    states.push('waiting', 'passed')
    let loads = 0
    const page = await open('waiting', {}, (opened) => {
      opened.on('load', () => loads++)
    })
    await expect.poll(() => loads).toBe(2)
    expect(states).toEqual([])
    await page.close()
  })

  it('solves the proof of work and submits it with the form', async () => {
    const page = await open('landing to extend')
    await page.getByRole('button', { name: 'Start' }).click()
    await page.waitForURL('**/garden/start')
    const form = forms.at(-1)
    expect(form?.get('csrf')).toBe('token')
    const digest = createHash('sha256')
      .update(`abc:${form?.get('solution')}`)
      .digest()
    expect(digest.readUInt32BE() >>> (32 - 18)).toBe(0)
  })
})

async function answerTo(
  request: IncomingMessage,
  pathname: string,
): Promise<{ readonly text?: string | Buffer | undefined; readonly contentType?: string }> {
  if (request.method === 'POST') {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    forms.push(new URLSearchParams(body))
    return { text: 'sent' }
  }
  const state = states[0] ?? 'waiting'
  if (pathname === '/state') {
    states.shift()
    return { text: JSON.stringify({ state }), contentType: 'application/json' }
  }
  if (pathname === '/logo.png') return { text: LOGO, contentType: 'image/png' }
  return findAsset(pathname.split('/').at(-1) ?? '') ?? { text: pages.get(pathname) }
}

/** Opens every page in one language, and expects that nothing is blocked and that no request fails. */
async function walk(
  language: Language,
  visit: (page: Page, address: string) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext()
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())))
  for (const address of [...pages.keys()].filter((one) => one.startsWith(`/${language}/`))) {
    await page.goto(url + address)
    await visit(page, address)
  }
  await context.close()
  expect(complaints).toEqual([])
}

function samplesIn(language: Language): [string, string][] {
  const frame = { language, assets: '../assets/' }
  const views = Object.entries(sampleViews(language, LONG))
  // The error pages differ only in their text.
  const visitors = views.filter(([name]) => !name.startsWith('refused ') || name === 'refused too_fast')
  const own = ownView(language)
  return [
    ...visitors.map(([name, view]): [string, string] => [name, renderVisitorPage(view)]),
    ['sign in', renderSignIn({ ...frame, csrf: 'x', notice: undefined })],
    ['wrong key', renderSignIn({ ...frame, csrf: 'x', notice: 'unknown_key' })],
    ['paused', renderSignIn({ ...frame, csrf: 'x', notice: 'too_many', waitMs: 900_000 })],
    ['own key', renderSelfService({ ...own, reset: { kind: 'possible' } })],
    ['own key locked', renderSelfService({ ...own, lock: { until: NOW, kind: 'earner' } })],
    ['own key soon free', renderSelfService({ ...own, reset: { kind: 'cooldown', retry_at: NOW + 2000 } })],
    ['own key unbound', renderSelfService({ ...own, notice: 'reset_done', sessions: [], device: [] })],
    ['own key waiting', renderSelfService({ ...own, state: 'not_started', key_expires: null, kept: 1e9 })],
    ['own key in grace', renderSelfService({ ...own, ...IN_GRACE })],
    ['own key with devices', renderSelfService({ ...own, devices: DEVICES, max_devices: 3 })],
    [
      'own key with devices to release',
      renderSelfService({ ...own, devices: DEVICES, max_devices: 3, reset: { kind: 'possible' } }),
    ],
    ['own key blocked', renderSelfService({ ...own, ...BLOCKED, notice: 'reset_refused' })],
    ['problem', renderProblem(frame, 'failed', '9f86d081884c-0001')],
    ['home', renderHome(frame)],
    ['run', renderRun({ ...frame, address: 'https://scripts.example.com/client/v1/loader/scr_0VMc4VLkH7r' })],
    // Branding does not depend on the language.
    ...(CHECKED.includes(language) ? BRANDS.flatMap((brand) => brandedIn(language, brand)) : []),
  ]
}

/** The first color has too little contrast on light pages, the second on dark pages. */
const BRANDS: readonly Brand[] = ['#ffeb3b', '#1b2028', '#c2185b'].map((accent, index) => ({
  accent,
  logo: index === 0 ? null : { address: '../logo.png', width: 96, height: 64 },
  links: [LONG, 'Our shop', 'Chat'].map((title) => ({ title, url: 'https://shop.example.com/' })),
}))

function brandedIn(language: Language, brand: Brand): [string, string][] {
  const frame = { language, assets: '../assets/', brand }
  const views = sampleViews(language, LONG)
  const visitors = ['landing', 'step refused', 'key', 'no_steps'].flatMap((name) => {
    const view = views[name]
    return view ? [[name, renderVisitorPage({ ...view, brand })] as const] : []
  })
  const all = [
    ...visitors,
    ['sign in', renderSignIn({ ...frame, csrf: 'x', notice: undefined, project_name: LONG })] as const,
    ['own key', renderSelfService({ ...ownView(language), brand })] as const,
  ]
  return all.map(([name, text]) => [`branded ${brand.accent} ${name}`, text])
}

const NOW = Date.UTC(2026, 5, 15, 12)
const IN_GRACE = { state: 'grace', key_expires: NOW - 1, grace_until: NOW + 1e8 } as const
const BLOCKED = {
  state: 'blacklisted',
  blacklist: { reason: 'shared with many', expires: NOW + 1e9 },
  reset: { kind: 'blacklisted' },
} as const

const DEVICES = [LONG, null].map((name, index) => ({
  ...{ id: `dev_${index}`, name, executor: 'Wa**', fingerprint: '3fa9…c17e' },
  last_used_at: index === 0 ? null : NOW - 1e6,
}))

function ownView(language: Language): SelfServiceView {
  return {
    ...{ language, assets: '../assets/', csrf: 'x', notice: undefined, now: NOW, project_name: LONG },
    ...{ masked_key: 'aZ4k…G0hJ', state: 'active', key_expires: NOW + 1e8, blacklist: undefined },
    ...{ executions: 12, max_executions: 100, last_reset: NOW - 1e7 },
    ...{ plan: LONG, kept: null, grace_until: null },
    device: ['203.0.*.* -> ip', '3fa9…c17e -> fingerprint', 'Wa** -> executor'],
    devices: [],
    max_devices: 1,
    reset: { kind: 'cooldown', retry_at: NOW + 5e6 },
    lock: { until: NOW + 1e7, kind: 'here' },
    loaders: [{ script: LONG, address: 'https://scripts.example.com/client/v1/loader/scr_0VMc4VLkH7r' }],
    news: [{ script_name: LONG, version: 12, created_at: NOW - 1e8, notes: `- ${LONG}\n- Faster start` }],
    sessions: (['ready', 'detached'] as const).map((state) => ({
      ...{ id: `ses_${state}`, script_name: LONG, executor: 'Wave', created_at: NOW - 1e6, state },
    })),
  }
}
