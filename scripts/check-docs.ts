/**
 * Every path and every `npm run` word that a Markdown file of the project names must exist, and no link leads to a file that git
 * does not hold: on a code host it would be dead.
 */
import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { PARTS } from './built.mjs'
import { ROOT } from './run.ts'

const DOCUMENTS = ['*.md', '{docs,bench,examples,.github}/**/*.md', 'packages/*/*.md']
/** Relative links, and code spans that look like a file of this project. */
const LINK = /\]\((?!https?:|mailto:|#)([^)#\s]+)(?:#[^)]*)?\)/g
const SPAN = /`((?:packages|docs|scripts|test|bench|\.ci)\/[\w./-]+|[\w-]+\.(?:md|json))`/g
const NPM_WORD = /\bnpm (?:run )?(start|test|bench|check|generate|[a-z]+:[a-z]+)\b/g

const scripts = (
  JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
).scripts
const built = Object.values(PARTS).flatMap(({ outputs }) => outputs)
const isBuilt = (file: string) => built.some((output) => file === output || file.startsWith(`${output}/`))
const documents = globSync(DOCUMENTS, { cwd: ROOT }).filter((file) => !isBuilt(file))
const complaints = documents.flatMap(complaintsOf)
for (const complaint of complaints) process.stderr.write(`${complaint}\n`)
if (complaints.length === 0) process.stdout.write(`${documents.length} documents name only what exists\n`)
process.exitCode = complaints.length === 0 ? 0 : 1

function complaintsOf(document: string): string[] {
  const text = readFileSync(path.join(ROOT, document), 'utf8')
  const links = [...text.matchAll(LINK)].map((match) => targetOf(document, match[1] ?? ''))
  const spans = [...text.matchAll(SPAN)].map((match) => match[1] ?? '').filter((span) => span.includes('/'))
  const missing = [...links, ...spans].filter((target) => !existsSync(path.join(ROOT, target)))
  const words = [...text.matchAll(NPM_WORD)]
    .map((match) => match[1] ?? '')
    .filter((word) => !(word in scripts))
  return [
    ...links
      .filter(isBuilt)
      .map((target) => `${document}: ${target} is built and not in git; link to docs/reference.md instead`),
    ...missing.map((target) => `${document}: ${target} does not exist`),
    ...words.map((word) => `${document}: there is no npm script ${word}`),
  ]
}

/** From the project's root. Services serve the documents too, where `/docs/` is the reference. */
function targetOf(document: string, link: string): string {
  return link.startsWith('/') ? link.slice(1) : path.join(path.dirname(document), link)
}
