/** The layout of every page: the document, the heading, and the language menu. */
import { ICON, SCRIPT, STYLE } from './assets.ts'
import { type Brand, linksOf, ownerOf, styleOf } from './brand.ts'
import { html, Markup, type Piece } from './html.ts'
import { LANGUAGE_NAMES, LANGUAGES, type Language } from './language.ts'
import { say } from './words.ts'

export type Frame = {
  readonly language: Language
  /** The assets' location relative to the page, or null for a standalone document without the script. */
  readonly assets: string | null
  /** Branding of the page's project. */
  readonly brand?: Brand | undefined
}

export type Contents = {
  /** Title of the browser tab. Defaults to the heading. */
  readonly title?: string
  /** Small line above the heading, with the page's owner. */
  readonly above?: string
  readonly heading: string
  readonly body: Piece
  /** Number of seconds after which a browser without JavaScript reloads the page. */
  readonly refreshSeconds?: number
  /** Other query parameters to keep when the language changes. */
  readonly query?: string
}

const STYLE_ELEMENT = new Markup(`<style>${STYLE}</style>`)

export function renderFrame({ language, assets, brand }: Frame, contents: Contents): string {
  const { heading, title = heading, above, body, refreshSeconds } = contents
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
${assets !== null && html`<link rel="icon" type="image/svg+xml" href="${assets}${ICON.name}">`}
${STYLE_ELEMENT}${styleOf(brand)}
${assets !== null && html`<script defer src="${assets}${SCRIPT.name}"></script>`}
${refreshSeconds !== undefined && html`<noscript><meta http-equiv="refresh" content="${refreshSeconds}"></noscript>`}
</head>
<body>
<main>
${ownerOf(brand, above)}
<h1>${heading}</h1>
${body}
</main>
<footer>
${linksOf(brand, language)}
<nav aria-label="${say(language, 'language')}">${LANGUAGES.map((one) => languageLink(one, language, contents.query))}</nav>
<p>Scriptward</p>
</footer>
</body>
</html>
`.text
}

function languageLink(one: Language, current: Language, query = ''): Markup {
  const name = LANGUAGE_NAMES[one]
  if (one === current) return html`<span aria-current="true" lang="${one}">${name}</span>`
  return html`<a href="?${query}lang=${one}" lang="${one}" hreflang="${one}">${name}</a>`
}
