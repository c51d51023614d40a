/**
 * Helpers for tests in a real browser: headless Chromium (which renders like full Chromium in half the time),
 * accessibility checks with axe, and screenshots.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { effort } from '../packages/client/test/effort.ts'

const CHROMIUM = '/usr/bin/chromium-headless-shell'
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
/** Timeout for operations that hang. It is long enough for a busy machine. */
const PATIENCE_MS = 120_000
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

const EVERY_LOOK: readonly BrowserContextOptions[] = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [360, 1280].map((width) => ({ colorScheme, viewport: { width, height: 800 } })),
)

/**
 * The looks: both color schemes, each on a small phone and on a desktop. Screenshots cover all four
 * combinations. Accessibility checks need only two of them, because colors do not depend on the width, and
 * the layout does not depend on the colors.
 */
export const LOOKS = process.env.SCREENSHOTS ? EVERY_LOOK : EVERY_LOOK.filter((_, at) => at === 0 || at === 3)

/** The caller should close the browser. Otherwise, it exits with this process, because its pipe closes. */
export async function startBrowser(): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: QUIET, handleSIGTERM: false })
  browser.on('context', (context) => context.setDefaultTimeout(PATIENCE_MS))
  return browser
}

/**
 * Returns axe's findings, one per line. If a modal dialog is open, only the dialog is checked, because
 * nothing behind it can be reached. Waits for color transitions. A dialog can close at any time, so a single
 * expression in the page finds and checks it.
 */
export async function findBarriers(page: Page): Promise<string[]> {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE)
  await page.evaluate('Promise.allSettled(document.getAnimations().map(({ finished }) => finished))')
  return page.evaluate<string[]>(`(${runAxe})()`)
}

const runAxe = `async () => {
  const dialogs = document.querySelectorAll('dialog[open]:modal')
  const options = { runOnly: ${JSON.stringify(RULES)}, resultTypes: ['violations'] }
  const { violations } = await axe.run(dialogs.length > 0 ? dialogs : document, options)
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => id + ': ' + node.html + ' ' + node.failureSummary))
}`

/**
 * Changes only the width and color scheme of the page. Looks are named as in screenshots, such as `360-light`.
 * Except at night and for screenshots, each state is checked in one look, which its name determines.
 */
export async function inEachLook(
  page: Page,
  state: string,
  act: (look: string) => Promise<void>,
): Promise<void> {
  const isWhole = process.env.SCREENSHOTS !== undefined || effort({ day: false, night: true })
  for (const { viewport, colorScheme } of isWhole ? LOOKS : [lookOf(state)]) {
    if (viewport) await page.setViewportSize(viewport)
    await page.emulateMedia({ colorScheme: colorScheme ?? null })
    await act(`${viewport?.width}-${colorScheme}`)
  }
}

function lookOf(state: string): BrowserContextOptions {
  const sum = [...state].reduce((total, letter) => total + letter.charCodeAt(0), 0)
  return LOOKS[sum % LOOKS.length] ?? {}
}

/** Resolves when animations have ended and two frames in a row have the same layout. */
export async function settle(page: Page): Promise<void> {
  await page.evaluate(`(${settled})()`)
}

const settled = `async () => {
  const layout = () => [...document.querySelectorAll('button, a, input, select, textarea, h1, h2, td')].map((element) => {
    const { x, y, width, height } = element.getBoundingClientRect()
    return [x, y, width, height].join(' ')
  }).join()
  const isMoving = () => document.getAnimations().some(({ playState, effect }) =>
    playState === 'running' && effect.getComputedTiming().iterations !== Infinity)
  for (let before; ; ) {
    await new Promise((resolve) => requestAnimationFrame(resolve))
    const now = layout()
    if (now === before && !isMoving()) return
    before = now
  }
}`

/** Returns whether the page scrolls horizontally. */
export function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')
}

/** Returns the strings that are wider than their element and neither scroll nor end in an ellipsis. */
export function findCut(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(${cutTexts})()`)
}

const cutTexts = `() => [...document.querySelectorAll('body *')].filter((element) => {
  const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '')
  const style = getComputedStyle(element)
  const isMeant = style.textOverflow === 'ellipsis' || ['auto', 'scroll'].includes(style.overflowX)
  const isSeen = style.display !== 'inline' && element.clientWidth > 1 && element.checkVisibility()
  const isField = element.matches('option, optgroup, select, textarea, input')
  return hasText && isSeen && !isMeant && !isField && element.scrollWidth > element.clientWidth + 1
}).map((element) => element.outerHTML.slice(0, 200))`

/** Saves a screenshot to the folder in SCREENSHOTS, if set. */
export async function picture(page: Page, name: string): Promise<void> {
  const place = process.env.SCREENSHOTS
  if (place) await page.screenshot({ path: path.join(place, `${name}.png`), fullPage: true })
}
