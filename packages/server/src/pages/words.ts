/**
 * The pages' messages, in all languages. Each language is one table in `words/`, and a table with a missing
 * message doesn't compile. `{name}` is a placeholder.
 */
import { LANGUAGES, type Language } from './language.ts'
import { de } from './words/de.ts'
import { type Counted, en, type Word, type Words } from './words/en.ts'
import { es } from './words/es.ts'
import { fil } from './words/fil.ts'
import { fr } from './words/fr.ts'
import { id } from './words/id.ts'
import { pt } from './words/pt.ts'
import { ru } from './words/ru.ts'
import { tr } from './words/tr.ts'
import { vi } from './words/vi.ts'

export type Values = Readonly<Record<string, string | number>>

const TABLES: Readonly<Record<Language, Words>> = { en, id, pt, es, ru, tr, vi, fil, de, fr }
const PLURALS = new Map(LANGUAGES.map((one) => [one, new Intl.PluralRules(one)]))

/** Values are inserted unchanged. The templates escape them. */
export function say(language: Language, word: Word, values: Values = {}): string {
  return fill(TABLES[language][word], values)
}

/** Chooses the language's plural form for the number, such as `day_few`. Falls back to `day_other`. */
export function count(language: Language, word: Counted, number: number): string {
  const table: Readonly<Partial<Record<string, string>>> & Words = TABLES[language]
  const form = PLURALS.get(language)?.select(number)
  return fill(table[`${word}_${form}`] ?? table[`${word}_other`], { number })
}

/** Replaces the placeholders that have a value. */
export function fill(text: string, values: Values): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}
