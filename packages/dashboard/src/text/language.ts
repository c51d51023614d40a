/** Which language the pages speak. It is chosen once for each load of the page; another choice loads it again. */

export type Language = 'en' | 'de' | 'pseudo'

const STORED = 'language'
const KNOWN: ReadonlySet<string> = new Set<Language>(['en', 'de', 'pseudo'])

/** What was chosen in this browser, else the first language of the browser that there is, else English. */
export const language: Language = chosen() ?? offered() ?? 'en'

/** For `Intl`. */
export const locale: string = language === 'pseudo' ? 'en' : language

/** Takes the choice of a person, null for that of their browser, and loads the page again when it speaks another one by then. */
export function speak(wanted: string | null): void {
  if (language === 'pseudo') return
  const next = known(wanted)
  if (next === undefined) localStorage.removeItem(STORED)
  else localStorage.setItem(STORED, next)
  if ((next ?? offered() ?? 'en') !== language) location.reload()
}

function chosen(): Language | undefined {
  return known(globalThis.localStorage?.getItem(STORED))
}

function offered(): Language | undefined {
  const tags = globalThis.navigator?.languages ?? []
  return tags.map((tag) => known(tag.slice(0, 2))).find((each) => each !== undefined)
}

function known(tag: string | null | undefined): Language | undefined {
  return KNOWN.has(tag ?? '') ? (tag as Language) : undefined
}
