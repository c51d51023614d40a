/** Every path and every `npm run` word that a Markdown file of the project names must exist. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from './run.ts'

const DOCUMENTS = ['*.md', '{docs,bench,examples,.github}/**/*.md', 'packages/*/*.md']
/** Relative links, and code spans that look like a file of this project. */
const LINK = /\]\((?!https?:|mailto:|#)([^)#\s]+)(?:#[^)]*)?\)/g
const SPAN = /`((?:packages|docs|scripts|test|bench|\.ci)\/[\w./-]+|[\w-]+\.(?:md|json))`/g
const NPM_WORD = /\bnpm (?:run )?(start|test|bench|check|generate|[a-z]+:[a-z]+)\b/g

const scripts = (
  JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
).scripts
const documents = globSync(DOCUMENTS, { cwd: ROOT })
const complaints = documents.flatMap(complaintsOf)
for (const complaint of complaints) process.stderr.write(`${complaint}\n`)
if (complaints.length === 0) process.stdout.write(`${documents.length} documents name only what exists\n`)
process.exitCode = complaints.length === 0 ? 0 : 1

function complaintsOf(document: string): string[] {
  const text = readFileSync(path.join(ROOT, document), 'utf8')
  const links = [...text.matchAll(LINK)].map((match) => path.join(path.dirname(document), match[1] ?? ''))
  const spans = [...text.matchAll(SPAN)].map((match) => match[1] ?? '').filter((span) => span.includes('/'))
  const missing = [...links, ...spans].filter((target) => !existsSync(path.join(ROOT, target)))
  const words = [...text.matchAll(NPM_WORD)]
    .map((match) => match[1] ?? '')
    .filter((word) => !(word in scripts))
  return [
    ...missing.map((target) => `${document}: ${target} does not exist`),
    ...words.map((word) => `${document}: there is no npm script ${word}`),
  ]
}
