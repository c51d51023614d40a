/**
 * Checks that every file and `npm run` script mentioned in a page or comment exists, and that no link points to a
 * generated file.
 */
import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from './run.ts'

const PAGES = ['*.md', '{docs,bench,examples,.github}/**/*.md', 'packages/*/*.md']
const SOURCES = ['{scripts,bench,test}/**/*.ts', 'packages/*/{src,test,bin,attacks}/**/*.{ts,tsx,mjs}']
/** Links that begin with a slash are skipped, because a running server serves them. */
const LINK = /\]\((?!https?:|mailto:|#|\/)([^)#\s]+)(?:#[^)]*)?\)/g
const COMMENT = /\/\*\*?[\s\S]*?\*\/|^\s*\/\/.*$/gm
/** Matches the path of a file or folder in this project: the full path or its end. */
const NAME =
  /(?<![\w./*<-])(?:(?:[\w.-]+\/)*[\w-][\w.-]*\.(?:tsx?|mjs)\b|(?:packages|docs|scripts|test|bench)\/[\w./-]+)/g
/** Matches generated files, which are not in git. */
const GENERATED = /generated\/|^docs\/api/
const NPM_SCRIPT = /\bnpm (?:run )?(start|test|bench|check|generate|[a-z]+:[a-z]+)\b/g

const find = (patterns: readonly string[]) => globSync(patterns, { cwd: ROOT })
const known = find(['{packages,docs,scripts,bench,test,examples,deploy}/**', '*']).map((file) => `/${file}`)
const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { scripts: object }

const complaints = [
  ...find(PAGES)
    .filter((page) => !GENERATED.test(page))
    .flatMap((page) => missingInPage(page, textOf(page)).map((name) => `${page}: ${name}`)),
  ...find(SOURCES).flatMap((file) =>
    missingIn([...textOf(file).matchAll(COMMENT)].join('\n')).map((name) => `${file}: ${name}`),
  ),
]
for (const complaint of complaints) process.stderr.write(`${complaint} does not exist\n`)
process.exitCode = complaints.length === 0 ? 0 : 1

function textOf(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8')
}

function missingInPage(page: string, text: string): string[] {
  const links = [...text.matchAll(LINK)].map(([, link = '']) => path.join(path.dirname(page), link))
  // A link to a generated file would be dead on code hosting sites, which have only committed files.
  const missing = links.filter((link) => GENERATED.test(link) || !existsSync(path.join(ROOT, link)))
  const words = [...text.matchAll(NPM_SCRIPT)]
    .map(([, word = '']) => word)
    .filter((word) => !(word in scripts))
  const spans = [...text.matchAll(/`[^`\n]+`/g)].join('\n')
  return [...missing, ...words.map((word) => `npm run ${word}`), ...missingIn(spans)]
}

function missingIn(text: string): string[] {
  const names = [...text.matchAll(NAME)].map(([name]) => name.replace(/[./]+$/, ''))
  return names.filter((name) => !GENERATED.test(name) && !known.some((file) => file.endsWith(`/${name}`)))
}
