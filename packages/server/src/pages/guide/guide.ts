/** The guide: every page that `contents.ts` lists, read once from the project's documents. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { CONTENTS, nameOf } from './contents.ts'
import { type Document, renderMarkdown } from './markdown.ts'

export type GuidePage = Document & {
  readonly name: string
  /** In the menu. */
  readonly label: string
  readonly source: string
}
export type GuideGroup = { readonly title: string; readonly pages: readonly GuidePage[] }

/** `folder` is that of the documents. A file that is not there is left out. */
export function readGuide(folder: string): GuideGroup[] {
  return CONTENTS.map(({ title, files }) => ({
    title,
    pages: Object.entries(files)
      .filter(([file]) => existsSync(path.join(folder, file)))
      .map(([file, label]) => ({ ...readPage(folder, file), label })),
  }))
}

function readPage(folder: string, file: string): Omit<GuidePage, 'label'> {
  const source = readFileSync(path.join(folder, file), 'utf8')
  const document = renderMarkdown(source, (href) => resolve(folder, file, href))
  return { ...document, name: nameOf(file), source }
}

const LISTED = new Set(CONTENTS.flatMap(({ files }) => Object.keys(files)))
const ABSOLUTE = /^(https?:|mailto:|#|\/)/

/** Other pages of the guide, pictures, and addresses elsewhere; a link to code or to a decision keeps its words alone. */
function resolve(folder: string, from: string, href: string): string | undefined {
  if (ABSOLUTE.test(href)) return href
  const [file = '', fragment] = href.split('#')
  const target = path.posix.join(path.posix.dirname(from), file)
  if (target.startsWith('images/')) return target
  if (!LISTED.has(target) || !existsSync(path.join(folder, target))) return undefined
  return fragment === undefined ? nameOf(target) : `${nameOf(target)}#${fragment}`
}

const SUMMARY =
  'Scriptward licenses and protects Lua and Luau scripts on your own machine: obfuscation, keys, devices, live sessions, webhooks, keys for ads.'

/** `llms.txt` as llmstxt.org describes it: links to the Markdown of every page, and to the description of the API. */
export function describeForModels(groups: readonly GuideGroup[], base: string): string {
  const sections = groups.map(({ title, pages }) => {
    const lines = pages.map((page) => `- [${page.title}](${base}/guide/${page.name}.md)`)
    return `## ${title}\n\n${lines.join('\n')}\n`
  })
  const api = `## API\n\n- [OpenAPI document](${base}/openapi.json): every operation, with examples\n`
  return `# Scriptward\n\n> ${SUMMARY}\n\n${[...sections, api].join('\n')}`
}

/** One entry for each section, for the search in the browser. */
export function searchEntries(groups: readonly GuideGroup[]): object[] {
  return groups.flatMap(({ pages }) =>
    pages.flatMap(({ name, title, sections }) =>
      sections.map(({ id, heading, text }) => ({ id: `${name}#${id}`, title, heading, text })),
    ),
  )
}
