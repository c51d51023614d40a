/** The sentences of the dashboard in the language of this load of the page. Other languages are chunks of their own. */
import { english } from './english.ts'
import { type Language, language } from './language.ts'
import type { Words } from './words.ts'

export type Text = Words<typeof english>

const TABLES: Readonly<Record<Language, () => Promise<Text>>> = {
  en: async () => english,
  de: async () => (await import('./german.ts')).german,
  pseudo: async () => (await import('./pseudo.ts')).pseudo(english),
}

export const text: Text = await TABLES[language]()
