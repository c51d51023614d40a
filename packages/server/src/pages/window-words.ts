/**
 * The messages of the key window for script hubs. The window isn't a page, but it supports the same
 * languages.
 */
import type { Language } from './language.ts'
import { en, type Word } from './words/en.ts'
import { say } from './words.ts'

const OWN_OR_SHARED = /^(window_|own_key$|in_span$|units$)/
const WORDS = (Object.keys(en) as Word[]).filter((word) => OWN_OR_SHARED.test(word))

export function windowWords(language: Language): Readonly<Record<string, string>> {
  return Object.fromEntries(WORDS.map((word) => [word, say(language, word)]))
}
