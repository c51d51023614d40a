/** Markdown of the project's own documents as HTML. It is not for text from outside: links are rewritten, nothing is cleaned. */
import { Marked, type Token, type Tokens } from 'marked'
import { escapeText } from '../html.ts'

type Heading = { readonly id: string; readonly text: string; readonly depth: number }
/** What stands below one heading, as plain text. */
type Section = { readonly id: string; readonly heading: string; readonly text: string }
export type Document = {
  readonly title: string
  readonly body: string
  readonly headings: readonly Heading[]
  readonly sections: readonly Section[]
}

/** Where a link of the document leads on the page; undefined where there is no such page, and its words remain. */
export type Resolve = (href: string) => string | undefined

export function renderMarkdown(source: string, resolve: Resolve): Document {
  const headings: Heading[] = []
  const marked = new Marked({ renderer: rendererOf(resolve, headings) })
  const tokens = marked.lexer(source)
  // The renderer collects the headings.
  const body = scrollTables(marked.parser(tokens))
  return { title: headings[0]?.text ?? '', body, headings, sections: sectionsOf(tokens, headings) }
}

/** On a narrow window a wide table scrolls by itself. The text of blocks is escaped, so only tables are met. */
function scrollTables(body: string): string {
  let count = 0
  return body
    .replaceAll(
      '<table>',
      () => `<div class="table" role="region" aria-label="Table ${++count}" tabindex="0"><table>`,
    )
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<th></th>', '<td></td>')
}

function rendererOf(resolve: Resolve, headings: Heading[]) {
  return {
    heading(this: { parser: Inline }, { tokens, depth, text }: Tokens.Heading) {
      const id = slugOf(text, headings)
      headings.push({ id, text: plainText(tokens), depth })
      return `<h${depth} id="${id}"><a href="#${id}">${this.parser.parseInline(tokens)}</a></h${depth}>\n`
    },
    link(this: { parser: Inline }, { href, tokens }: Tokens.Link) {
      const words = this.parser.parseInline(tokens)
      const target = resolve(href)
      return target === undefined ? words : `<a href="${escapeText(target)}">${words}</a>`
    },
    image({ href, text }: Tokens.Image) {
      const source = escapeText(resolve(href) ?? href)
      // A picture of a desk is too small to read on a telephone.
      return `<a href="${source}"><img src="${source}" alt="${escapeText(text)}" loading="lazy" /></a>`
    },
    code({ text, lang }: Tokens.Code) {
      const title = /title="([^"]+)"/.exec(lang ?? '')?.[1]
      const caption = title === undefined ? '' : `<figcaption>${escapeText(title)}</figcaption>`
      // What a command prints has no language.
      const kind = (lang ?? '') === '' ? 'code output' : 'code'
      return `<figure class="${kind}">${caption}<pre tabindex="0"><code>${escapeText(text)}\n</code></pre></figure>\n`
    },
    html: () => '',
  }
}

type Inline = { parseInline(tokens: Token[]): string }

/** As code forges do it, so that a document's own links to its headings work there and here. */
function slugOf(text: string, headings: readonly Heading[]): string {
  const slug = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')
  const same = headings.filter(({ id }) => id === slug || id.startsWith(`${slug}-`)).length
  return headings.some(({ id }) => id === slug) ? `${slug}-${same}` : slug
}

function sectionsOf(tokens: readonly Token[], headings: readonly Heading[]): Section[] {
  const texts: string[][] = headings.map(() => [])
  let at = -1
  for (const token of tokens) {
    if (token.type === 'heading') at += 1
    else texts[at]?.push(plainText([token]))
  }
  return headings.map(({ id, text }, n) => ({ id, heading: text, text: (texts[n] ?? []).join(' ') }))
}

function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === 'html') return ''
      if (token.type === 'table') return tableText(token as Tokens.Table)
      if (token.type === 'list')
        return (token as Tokens.List).items.map((item) => plainText(item.tokens)).join(' ')
      if ('tokens' in token && token.tokens !== undefined) return plainText(token.tokens)
      return 'text' in token ? String(token.text) : ''
    })
    .join('')
}

const tableText = ({ header, rows }: Tokens.Table): string =>
  [header, ...rows].map((cells) => cells.map(({ tokens }) => plainText(tokens)).join(' ')).join(' ')
