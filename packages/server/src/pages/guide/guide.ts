/** The guide: every page that `contents.ts` lists, read from the project's documentation. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { CONTENTS, nameOf } from './contents.ts'
import { type Document, renderMarkdown } from './markdown.ts'
import { SYNONYMS } from './synonyms.ts'

export type GuidePage = Document & {
  readonly name: string
  /** The label in the menu. */
  readonly label: string
  readonly source: string
}
export type GuideGroup = { readonly title: string; readonly pages: readonly GuidePage[] }

/**
 * Where the guide is published: on a server, or as a static site without the server's other pages and its
 * API.
 */
export type Publication = 'server' | 'site'

/** Reads the pages from `folder`. An installed package may lack some of the files. */
export function readGuide(folder: string, publication: Publication = 'server'): GuideGroup[] {
  return CONTENTS.map(({ title, files }) => ({
    title,
    pages: Object.entries(files)
      .filter(([file]) => existsSync(path.join(folder, file)))
      .map(([file, label]) => ({ ...readPage(folder, file, publication), label })),
  }))
}

function readPage(folder: string, file: string, publication: Publication): Omit<GuidePage, 'label'> {
  const source = readFileSync(path.join(folder, file), 'utf8')
  const document = renderMarkdown(source, (href) => resolve({ folder, publication }, file, href))
  return { ...document, name: addressOf(file, publication), source }
}

/** Static web servers derive the content type from the file extension. */
function addressOf(file: string, publication: Publication): string {
  return publication === 'site' ? `${nameOf(file)}.html` : nameOf(file)
}

const LISTED = new Set(CONTENTS.flatMap(({ files }) => Object.keys(files)))
const ABSOLUTE = /^(https?:|mailto:|#|\/)/

/**
 * Returns undefined for links to code and decisions, which the guide doesn't publish. They become plain text.
 */
function resolve(
  { folder, publication }: { readonly folder: string; readonly publication: Publication },
  from: string,
  href: string,
): string | undefined {
  if (publication === 'site' && href.startsWith('/')) return undefined
  if (ABSOLUTE.test(href)) return href
  const [file = '', fragment] = href.split('#')
  const target = path.posix.join(path.posix.dirname(from), file)
  if (target.startsWith('images/')) return target
  if (!LISTED.has(target) || !existsSync(path.join(folder, target))) return undefined
  const address = addressOf(target, publication)
  return fragment === undefined ? address : `${address}#${fragment}`
}

const SUMMARY =
  'Scriptward licenses and protects Lua and Luau scripts on your own server: obfuscation, license keys, devices, live sessions, webhooks, keys for ads.'

/**
 * `llms.txt`, as specified by llmstxt.org: links to the Markdown of every page, and to the OpenAPI document.
 */
export function describeForModels(groups: readonly GuideGroup[], base: string): string {
  const sections = groups.map(({ title, pages }) => {
    const lines = pages.map((page) => `- [${page.title}](${base}/guide/${page.name}.md)`)
    return `## ${title}\n\n${lines.join('\n')}\n`
  })
  const api = `## API\n\n- [OpenAPI document](${base}/openapi.json): every operation, with examples\n`
  return `# Scriptward\n\n> ${SUMMARY}\n\n${[...sections, api].join('\n')}`
}

/** The data for searching in the browser: one entry per section, and the synonyms. */
export function searchData(groups: readonly GuideGroup[]): object {
  const sections = groups.flatMap(({ pages }) =>
    pages.flatMap((page) =>
      page.sections.map(({ id, heading, text }) => {
        const { name, title } = page
        return { id: `${name}#${id}`, name, title, heading, text }
      }),
    ),
  )
  return { sections, synonyms: SYNONYMS }
}
