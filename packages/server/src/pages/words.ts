/**
 * The messages of the pages in all languages. Each language is one table in `words/`; a table with a missing
 * message does not compile. `{name}` is a placeholder.
 */
import type { Language } from './language.ts'
import { de } from './words/de.ts'
import { en } from './words/en.ts'

export type Word = keyof typeof en
type Values = Readonly<Record<string, string | number>>

const TABLES: Readonly<Record<Language, Readonly<Record<Word, string>>>> = { en, de }

/** Values are inserted unchanged; the templates escape them. */
export function say(language: Language, word: Word, values?: Values): string {
  const text = TABLES[language][word]
  if (values === undefined) return text
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}

/** Chooses the form `…_one` for one and `…_many` for other counts. */
export function count<W extends string>(
  language: Language,
  word: `${W}_one` extends Word ? (`${W}_many` extends Word ? W : never) : never,
  number: number,
): string {
  return say(language, `${word as string}_${number === 1 ? 'one' : 'many'}` as Word, { number })
}
