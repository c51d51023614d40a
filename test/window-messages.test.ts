/**
 * Tests that every message for a denial or kick fits the key window, in every language and on small screens.
 */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { KICKS, type KickReason } from '../packages/client/src/live-messages.ts'
import { luaString } from '../packages/client/src/lua-text.ts'
import { DENIALS, type Denial, type DenialReason, denial } from '../packages/client/src/messages.ts'
import type { Instance } from '../packages/client/src/window-picture.ts'
import { LibraryPeer, ST } from '../packages/client/test/library-peer.ts'
import {
  type DeniedHost,
  tellDenial,
  wordDenial,
} from '../packages/server/src/features/executions/denials/denial-words.ts'
import { kicksIn } from '../packages/server/src/features/sessions/kick-words.ts'
import { LANGUAGES, type Language } from '../packages/server/src/pages/language.ts'
import { startBrowser } from './browser.ts'
import { onScreen } from './window.ts'
import { MISFITS, renderBody, renderTree } from './window-picture.ts'

const HOUR = 3_600_000
const SMALL: readonly (readonly [number, number])[] = [
  [360, 640],
  [640, 360],
]
const KICK_REASONS = Object.keys(KICKS) as KickReason[]

type Said = { readonly reason: DenialReason; readonly details?: NonNullable<Denial['details']> }
const details = {
  ...{ expired_at: ST - 47 * HOUR, max: 12, reset_available_at: ST + 23.9 * HOUR, wrong_keys: true },
  ...{ blacklist_reason: 'shared with other people', blacklist_expires: ST + 23.9 * HOUR },
}
const DENIED: readonly Said[] = [
  ...(Object.keys(DENIALS) as DenialReason[]).map((reason) => ({ reason, details })),
  { reason: 'rate_limited' },
  { reason: 'fingerprint_mismatch', details: { can_reset: true } },
  { reason: 'fingerprint_mismatch' },
  { reason: 'join_required', details: { chat_linked: true } },
  { reason: 'join_required', details: { chat_linked: true, unreachable: true } },
]

/** Returns the result of a check as a Lua table, with a long executor name, a wait time and a link. */
function resultIn(language: Language, { reason, details: facts }: Said): string {
  const about = { retry_after: 840, ...(facts && { details: facts }) }
  const host: DeniedHost = {
    ...{ now: ST, language, isKeyGiven: true, runtime: 'luau' },
    executor: 'Garden Executor Pro',
  }
  const { message } = wordDenial(denial(reason, about), host)
  const link = `{ text = ${luaString(tellDenial(language, 'link_own_page'))}, url = 'https://ward.example.com/me' }`
  return `{ ok = false, reason = '${reason}', message = ${luaString(message)}, retry_in = 840, link = ${link} }`
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
beforeEach(() => peer.reset())

/** Returns the windows shown after each denial and after each kick during script startup. */
async function treesIn(language: Language, viewport: readonly [number, number]): Promise<Instance[]> {
  const kicked = KICK_REASONS.map((reason) => `scriptward: ${kicksIn(language)[reason].message} (${reason})`)
  const lines = `ward.window({ get_key = true, buy = 'https://shop.example.com' })
    local result, problem
    function ward.check() return result end
    function ward.load() error(problem, 0) end
    local function enter() field().Text = 'KEY-1' field().FocusLost:Fire(true) dump() end
    for _, denied in { ${DENIED.map((said) => resultIn(language, said)).join(', ')} } do
      result = denied
      enter()
    end
    result = { ok = true }
    for _, message in { ${kicked.map(luaString).join(', ')} } do
      problem = message
      enter()
    end`
  const before = "function getclipboard() return 'pasted' end"
  const printed = await onScreen(peer, { viewport, language, lines, before })
  return printed.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))
}

const messageIn = (gui: Instance): string =>
  [String(gui.properties.MultiLine ? gui.properties.Text : ''), ...gui.children.map(messageIn)].join('')

describe.each(LANGUAGES)('every denial code and every kick in %s', (language) => {
  test.each(SMALL)('fits its window on a screen of %i × %i', async (width, height) => {
    const trees = await treesIn(language, [width, height])
    const said = trees.map(messageIn)
    expect(said).toHaveLength(DENIED.length + KICK_REASONS.length)
    for (const [at, reason] of KICK_REASONS.entries())
      expect(said[DENIED.length + at]).toContain(kicksIn(language)[reason].message)
    const page = await browser.newPage({ viewport: { width, height } })
    const [first, ...others] = trees
    if (first) await page.setContent(renderTree(first))
    await page.evaluate('document.fonts.ready')
    const misfits = await page.evaluate<string[][]>(
      `${JSON.stringify(['', ...others.map(renderBody)])}.map((body) => {
        if (body) document.body.innerHTML = body
        return ${MISFITS}
      })`,
    )
    expect(said.map((words, at) => [words, misfits[at]])).toEqual(said.map((words) => [words, []]))
    await page.close()
  })
})
