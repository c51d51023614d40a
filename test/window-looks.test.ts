/**
 * Tests the appearance of the key window with screenshots in Chromium: all text must fit and have enough
 * contrast.
 */
import { writeFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { denial } from '../packages/client/src/messages.ts'
import type { Instance } from '../packages/client/src/window-picture.ts'
import { sample } from '../packages/client/test/effort.ts'
import { LibraryPeer, ST, VALID } from '../packages/client/test/library-peer.ts'
import { contrast } from '../packages/server/src/pages/accent.ts'
import { LANGUAGES, type Language } from '../packages/server/src/pages/language.ts'
import { startBrowser } from './browser.ts'
import { onScreen } from './window.ts'
import { MISFITS, renderTree } from './window-picture.ts'

const LOGO = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" fill="#2f9e6e"/><path d="M4 6.5V3M4 4C2 4 2 2 2 2s2 0 2 2zm0-1c0-1.5 2-1.5 2-1.5S6 3 4 3z" stroke="#fff" fill="none" stroke-width=".7"/></svg>',
)}`
const VIEWPORTS: readonly (readonly [number, number])[] = [
  [360, 640],
  [640, 360],
  [1280, 720],
  [500, 1800],
]
const OPTIONS = `{ title = 'Garden Hub', accent = '#2f9e6e', logo = '${LOGO}', get_key = true, buy = 'https://shop.example.com' }`
const LINKS = [
  { title: 'Discord', url: 'https://chat.example.com/garden' },
  { title: 'Website', url: 'https://garden.example.com' },
]
/** The longest message that customers see, with a link. */
const LONGEST = {
  ...denial('fingerprint_missing'),
  message:
    "Your executor (Garden Executor Pro) has no working gethwid function, so your device can't be identified. Use an executor that has one, or ask the author to allow devices that can't be identified.",
  link: { text: 'Ask the author', url: 'https://chat.example.com/garden' },
  retry_after: 272,
}
const FILE = 'scriptward-key-prj_test.txt'
const STATES: Readonly<Record<string, string>> = {
  empty: `ward.window(${OPTIONS})`,
  plain: 'ward.window()',
  remembered: `writefile('${FILE}', 'expired') ward.window(${OPTIONS}) writefile('${FILE}', '')`,
  denied: `ward.window(${OPTIONS}) field().Text = 'HUB-7Q2XW-K9MFD-PH4TN-R6VJC-8' field().FocusLost:Fire(true)`,
  valid: `ward.window(${OPTIONS}) field().Text = 'valid' field().FocusLost:Fire(true)`,
}

const peer = new LibraryPeer()
let browser: Browser
beforeAll(async () => {
  await peer.listen()
  browser = await startBrowser()
})
afterAll(async () => {
  await peer.close()
  await browser.close()
})
beforeEach(() => {
  peer.reset()
  peer.pages = { '/hub/prj_test': '' }
  peer.decide = ({ key }) => {
    if (key === 'valid') return { ...VALID, key_expires: ST + 12.5 * 86_400_000 }
    if (key === 'expired')
      return {
        ...VALID,
        ...denial('key_expired'),
        success: false,
        message: 'This key expired 3 hours 20 minutes ago. Extend it, or get a new one.',
      }
    return { ...VALID, success: false, ...LONGEST }
  }
})

/** Returns the trees of all states. One process draws the states one after another. */
async function treesOn(
  viewport: readonly [number, number],
  language: Language,
): Promise<Record<string, Instance>> {
  const lines = Object.values(STATES).map((line) => `${line} dump()`)
  const before = "function getclipboard() return 'pasted' end"
  const run = { viewport, language, settings: { links: LINKS }, before }
  const trees = await onScreen(peer, { ...run, lines: `ward.load = function() end ${lines.join('\n')}` })
  return Object.fromEntries(Object.keys(STATES).map((name, at) => [name, JSON.parse(trees[at] ?? '')]))
}

async function show(page: Page, name: string, gui: Instance): Promise<void> {
  await page.setContent(renderTree(gui))
  await page.evaluate('document.fonts.ready')
  const folder = process.env.SCREENSHOTS
  if (folder) writeFileSync(`${folder}/window-${name}.png`, await page.screenshot())
}

describe.each(LANGUAGES)('the window in %s', (language) => {
  test.each(language === 'en' ? VIEWPORTS : sample(VIEWPORTS, VIEWPORTS.length))(
    'fits a screen of %i × %i in every state',
    async (width, height) => {
      const page = await browser.newPage({ viewport: { width, height } })
      const trees = await treesOn([width, height], language)
      for (const [name, gui] of Object.entries(trees)) {
        await show(page, `${language}-${name}-${width}x${height}`, gui)
        expect([name, await page.evaluate<string[]>(MISFITS)]).toEqual([name, []])
      }
      await page.close()
    },
  )
})

const ACCENTS = ['#3b82f6', '#000000', '#ffffff', '#ffe600', '#0a1a3a', '#ff0055', '#777777', '#171a21']

/**
 * Returns every text in a tree, with its contrast to the color behind it. Translucent colors are blended with
 * the colors behind them.
 */
function textsOf(gui: Instance, behind: Rgb = [1, 1, 1]): { text: string; ratio: number }[] {
  const { Visible, BackgroundColor3, BackgroundTransparency, TextColor3, Text } = gui.properties
  if (Visible === false) return []
  const opacity = 1 - Number(BackgroundTransparency ?? 1)
  const back = opacity === 0 ? behind : mixed(behind, BackgroundColor3 as Rgb, opacity)
  const own = Text ? [{ text: String(Text), ratio: contrast(hex(TextColor3 as Rgb), hex(back)) }] : []
  return [...own, ...gui.children.flatMap((child) => textsOf(child, back))]
}

type Rgb = readonly [number, number, number]
const mixed = (one: Rgb, other: Rgb, share: number): Rgb => {
  const [r, g, b] = one.map((value, at) => value + ((other[at] ?? 0) - value) * share)
  return [r ?? 0, g ?? 0, b ?? 0]
}
const hex = (color: Rgb) =>
  `#${color
    .map((share) =>
      Math.round(share * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`

test('every text has a contrast of at least 4.5 to 1, whatever the accent color', async () => {
  const keys = ['', 'denied', 'valid']
  const shown = ACCENTS.flatMap((accent) =>
    keys.map(
      (key) =>
        `ward.forget() ward.window({ accent = '${accent}', get_key = true }) field().Text = '${key}' field().FocusLost:Fire(true) dump()`,
    ),
  )
  const before = "function getclipboard() return 'pasted' end"
  const lines = await onScreen(peer, { before, lines: `ward.load = function() end ${shown.join('\n')}` })
  const texts = lines.flatMap((line, at) =>
    textsOf(JSON.parse(line)).map((one) => ({ ...one, accent: ACCENTS[Math.floor(at / keys.length)] })),
  )
  expect(texts.length).toBeGreaterThan(100)
  expect(texts.filter(({ ratio }) => ratio < 4.5)).toEqual([])
})
