/** The reader's language: `?lang=` if given, otherwise the browser's preference, otherwise English. */

export const LANGUAGES = ['en', 'id', 'pt', 'es', 'ru', 'tr', 'vi', 'fil', 'de', 'fr'] as const
export type Language = (typeof LANGUAGES)[number]

/** The name of each language, in that language. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: 'English',
  id: 'Bahasa Indonesia',
  pt: 'Português',
  es: 'Español',
  ru: 'Русский',
  tr: 'Türkçe',
  vi: 'Tiếng Việt',
  fil: 'Filipino',
  de: 'Deutsch',
  fr: 'Français',
}

/** Other tags for the same languages. */
const ALIASES: Readonly<Record<string, Language>> = { tl: 'fil', in: 'id' }

/** Finds the language for a tag such as `pt-BR` (BCP 47), regardless of the region. */
export function findLanguage(tag: string | undefined): Language | undefined {
  const [primary = ''] = (tag ?? '').trim().toLowerCase().split('-', 1)
  if (Object.hasOwn(ALIASES, primary)) return ALIASES[primary]
  return LANGUAGES.find((one) => one === primary)
}

/**
 * `accepted` is the Accept-Language header (RFC 9110, section 12.5.4). Entries that can't be parsed are
 * ignored.
 */
export function chooseLanguage(chosen: string | undefined, accepted: string | undefined): Language {
  const own = findLanguage(chosen)
  if (own !== undefined || accepted === undefined) return own ?? 'en'
  const wanted = accepted
    .slice(0, MAX_HEADER_LENGTH)
    .split(',')
    .map(readRange)
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
  for (const { language } of wanted) if (language !== undefined) return language
  return 'en'
}

const MAX_HEADER_LENGTH = 500

/** Entries with equal weights keep the header's order, because sorting is stable. */
function readRange(range: string): { readonly language: Language | undefined; readonly weight: number } {
  const [tag, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
  const given = parameters.find((one) => one.startsWith('q='))
  const weight = given === undefined ? 1 : Number(given.slice(2))
  return { language: findLanguage(tag), weight: Number.isFinite(weight) ? weight : 0 }
}
