/** The HTML layout of a guide page. */
import { html, Markup } from '../html.ts'
import type { GuideGroup, GuidePage, Publication } from './guide.ts'

const OF_SERVER = html`<a class="quiet" href="../docs/">API</a>
      <a class="quiet" href="../dashboard/">Dashboard</a>`

/** A static site doesn't link to pages that only a server provides. */
export function renderGuidePage(
  groups: readonly GuideGroup[],
  page: GuidePage,
  publication: Publication = 'server',
): string {
  const pages = groups.flatMap((group) => group.pages)
  const at = pages.indexOf(page)
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${page.title} · Scriptward guide</title>
    <link rel="icon" href="icon.svg" type="image/svg+xml" />
    <link rel="alternate" href="${page.name}.md" type="text/markdown" />
    <link rel="stylesheet" href="tokens.css" />
    <link rel="stylesheet" href="guide.css" />
    <script type="module" src="guide.js"></script>
  </head>
  <body>
    <a class="skip" href="#content">Skip to content</a>
    <header>
      <a class="brand" href="${pages[0]?.name}"><img src="icon.svg" alt="" width="22" height="22" />Scriptward guide</a>
      ${publication === 'server' && OF_SERVER}
    </header>
    <div class="page">
      <nav aria-label="Pages">
        <button type="button" id="menu" aria-expanded="false" aria-controls="pages">All pages</button>
        <div id="pages">
          <label for="search">Search</label>
          <input id="search" type="search" autocomplete="off" spellcheck="false" />
          <p id="found" role="status"></p>
          <ul id="results"></ul>
          <div id="groups">${groups.map((group) => groupOf(group, page))}</div>
        </div>
      </nav>
      <main id="content" tabindex="-1">
        <article>${new Markup(page.body)}</article>
        ${endOf(pages[at - 1], pages[at + 1])}
      </main>
      ${innerContents(page)}
    </div>
  </body>
</html>
`.text
}

function groupOf({ title, pages }: GuideGroup, current: GuidePage): Markup {
  const item = (page: GuidePage) =>
    html`<li><a href="${page.name}"${new Markup(page === current ? ' aria-current="page"' : '')}>${page.label}</a></li>`
  return html`<h2>${title}</h2><ul>${pages.map(item)}</ul>`
}

function innerContents({ headings }: GuidePage): Markup | undefined {
  const parts = headings.filter(({ depth }) => depth === 2)
  if (parts.length < 2) return undefined
  const items = parts.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)
  return html`<aside aria-labelledby="on-page"><h2 id="on-page">On this page</h2><ul>${items}</ul></aside>`
}

function endOf(before: GuidePage | undefined, after: GuidePage | undefined): Markup {
  return html`<footer>
          ${before && html`<a rel="prev" href="${before.name}"><span>Previous</span>${before.label}</a>`}
          ${after && html`<a rel="next" href="${after.name}"><span>Next</span>${after.label}</a>`}
        </footer>`
}
