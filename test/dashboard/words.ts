/** Finds words on a page that no table of languages has: under the pseudo locale they stand without its brackets. */
import type { Page } from 'playwright-core'

/** What is not the dashboard's to translate: names of the API, code, times and sizes as `Intl` writes them, the mark. */
const NEVER = /^(Scriptward|Ctrl|SDK|Python|Node\.js|English|Deutsch|LuaJIT|Luau|Lua|curl|QR)$/
const UNITS = /^[\d.,\s×]*(k?B|MB|GB|bytes?|ms|sec|s|[KM]|days?|hours?)$/
const DATES = /^\w{3} \d{1,2}, \d{4}(, [\d:]+ [AP]M)?$/

/**
 * One line each: texts, names for screen readers, placeholders and titles. `data` is what the service was given: names of
 * projects, scripts and people.
 */
export async function findUntranslated(page: Page, data: RegExp): Promise<string[]> {
  const found = await page.evaluate<string[]>(`(${bareTexts})()`)
  return found.filter((each) => ![NEVER, UNITS, DATES, data].some((known) => known.test(each)))
}

const bareTexts = `() => {
  const isApart = (element) =>
    element.closest('code, pre, time, kbd, .cm-editor, style, script, .line') || !element.checkVisibility()
  const words = (text) => /[a-z]{2}/i.test(text) && !/[⟦⟧]/.test(text)
  const found = []
  for (const element of document.querySelectorAll('body *')) {
    if (isApart(element)) continue
    for (const node of element.childNodes) if (node.nodeType === 3) found.push(node.data.trim())
    for (const name of ['aria-label', 'placeholder', 'alt', 'title']) {
      const value = element.getAttribute(name)
      if (value) found.push(value.trim())
    }
  }
  return [...new Set(found.filter(words))]
}`
