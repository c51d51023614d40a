/**
 * Renders the project's own documentation. Must not be used for untrusted Markdown: links are rewritten, but
 * HTML isn't sanitized.
 */
import { Marked, type Token, type Tokens } from 'marked'
import { escapeText } from '../html.ts'

type Heading = { readonly id: string; readonly text: string; readonly depth: number }
/** The plain text below a heading. */
type Section = { readonly id: string; readonly heading: string; readonly text: string }
export type Document = {
  readonly title: string
  readonly body: string
  readonly headings: readonly Heading[]
  readonly sections: readonly Section[]
}

/** Returns the target of a link on the rendered page, or undefined to keep only the link's text. */
export type Resolve = (href: string) => string | undefined

export function renderMarkdown(source: string, resolve: Resolve): Document {
  const headings: Heading[] = []
  const marked = new Marked({ renderer: rendererOf(resolve, headings) })
  const tokens = marked.lexer(source)
  // The renderer collects the headings.
  const body = scrollTables(marked.parser(tokens))
  return { title: headings[0]?.text ?? '', body, headings, sections: sectionsOf(tokens, headings) }
}

/** Lets wide tables scroll in narrow windows. Code is escaped, so the tags can only come from tables. */
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
      // Desktop screenshots are too small to read on a phone, so each links to its full-size version.
      return `<a href="${source}"><img src="${source}" alt="${escapeText(text)}" loading="lazy" /></a>`
    },
    code({ text, lang }: Tokens.Code) {
      const title = /title="([^"]+)"/.exec(lang ?? '')?.[1]
      const caption = title === undefined ? '' : `<figcaption>${escapeText(title)}</figcaption>`
      // Blocks without a language are command output.
      const kind = (lang ?? '') === '' ? 'code output' : 'code'
      return `<figure class="${kind}">${caption}<pre tabindex="0"><code>${escapeText(text)}\n</code></pre></figure>\n`
    },
    html: () => '',
  }
}

type Inline = { parseInline(tokens: Token[]): string }

/** Creates the same slugs as GitHub, so that links to headings work in both places. */
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
