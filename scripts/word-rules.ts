/**
 * Words that the project does not use, each with the field's own word for it. A name that is exported, or the name of
 * a file, must not contain one of the first table; comments and texts in the source must not contain one of the second.
 */
import path from 'node:path'
import type { SourceFile } from './source-files.ts'

/** A word of a name → what to say instead. `keptAnswers` and `kept-answers.ts` have the word `kept`. */
const NAMES: Readonly<Record<string, string>> = {
  anew: 'again',
  company: 'batch',
  deaths: 'crashes',
  gathering: 'batcher',
  hurry: 'priority',
  kept: 'cached, stored or retained',
  leisure: 'background',
  leisurely: 'in the background',
  lull: 'idle',
  lulls: 'in flight',
  mend: 'fix or hint',
  nobody: 'none or anonymous',
  somebody: 'a noun',
  soon: 'maybePromise, or a promise',
  told: 'sent, parsed or recorded',
  whoever: 'a noun',
}

/** What is written in comments and strings of `packages/…/src` → what to say instead. */
const TEXTS: readonly (readonly [word: RegExp, instead: string])[] = [
  [/\bwhoever\b/i, 'a noun, or "you"'],
  [/\banew\b/i, 'again'],
  [/\bleisure(ly)?\b/i, 'in the background'],
  [/\blulls?\b/i, 'idle'],
  [/\btold so\b/i, 'says so, or an error'],
  [/\bsomebody else\b/i, 'another customer, another process'],
]

export function wordComplaints(file: SourceFile): string[] {
  return [...nameComplaints(file), ...textComplaints(file)]
}

function nameComplaints(file: SourceFile): string[] {
  const base = path.posix.basename(file.path).replace(/\..*$/, '')
  return [base, ...file.exports].flatMap((name) =>
    wordsOf(name)
      .filter((word) => Object.hasOwn(NAMES, word))
      .map((word) => `${file.path}: "${name}" has the word "${word}"; say ${NAMES[word]}`),
  )
}

/** `KEPT_MS`, `keptAnswers` and `kept-answers` all have the word `kept`. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z]+/)
}

function textComplaints(file: SourceFile): string[] {
  if (!/^packages\/[^/]+\/src\//.test(file.path)) return []
  return file.text
    .split('\n')
    .flatMap((line, index) =>
      TEXTS.filter(([word]) => word.test(line)).map(
        ([word, instead]) => `${file.path}:${index + 1}: ${word.source} is not used here; say ${instead}`,
      ),
    )
}
