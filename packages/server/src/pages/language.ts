/** The reader's language: chosen by `?lang=`, else the browser's preference, else English. */

export const LANGUAGES = ['en', 'de'] as const
export type Language = (typeof LANGUAGES)[number]

/** The name of each language in that language. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' }

export function isLanguage(text: unknown): text is Language {
  return LANGUAGES.some((one) => one === text)
}

/**
 * `accepted` is the Accept-Language header (RFC 9110, section 12.5.4); entries that can't be parsed are
 * ignored.
 */
export function chooseLanguage(chosen: string | undefined, accepted: string | undefined): Language {
  if (isLanguage(chosen)) return chosen
  if (accepted === undefined) return 'en'
  const wanted = accepted
    .slice(0, MAX_HEADER_LENGTH)
    .split(',')
    .map(readRange)
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
  for (const { language } of wanted) if (isLanguage(language)) return language
  return 'en'
}

const MAX_HEADER_LENGTH = 500

/** Equal weights keep the order of the header, because sorting is stable. */
function readRange(range: string): { readonly language: string; readonly weight: number } {
  const [tag = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
  const given = parameters.find((one) => one.startsWith('q='))
  const weight = given === undefined ? 1 : Number(given.slice(2))
  return { language: tag.split('-')[0] ?? '', weight: Number.isFinite(weight) ? weight : 0 }
}
