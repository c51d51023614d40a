/**
 * Cache of landing pages for first-time visitors. Each page is rendered once, with a placeholder for the form
 * token. Pages with personal content are never cached.
 */
import { renderVisitorPage } from '../pages/visitor-page.ts'
import type { LandingView, VisitorView } from '../pages/visitor-views.ts'

/** Placeholder for the form token. */
const GAP = '\u0001'
/** Maximum number of cached pages. A page is about 15 KB. */
const MAX_PAGES = 500

type Around = { readonly before: string; readonly after: string }

/** Rendered pages, keyed by all their content except the form token. */
export class LandingCache {
  readonly #pages = new Map<string, Around>()

  /** Like `renderVisitorPage`, but cached if possible. */
  render(view: VisitorView): string {
    if (!isForAll(view)) return renderVisitorPage(view)
    const around = this.#around(view)
    if (around === undefined) return renderVisitorPage(view)
    return `${around.before}${view.start.fields.csrf}${around.after}`
  }

  #around(view: LandingView): Around | undefined {
    const withGap = { ...view, now: 0, start: { ...view.start, fields: { csrf: GAP } } }
    const key = JSON.stringify(withGap)
    const cached = this.#pages.get(key)
    if (cached !== undefined) return cached
    const around = renderAround(withGap)
    if (this.#pages.size >= MAX_PAGES) this.#pages.clear()
    if (around !== undefined) this.#pages.set(key, around)
    return around
  }
}

/** True if the view depends only on the system, its checkpoints, the language, the URL and the token. */
function isForAll(view: VisitorView): view is LandingView {
  if (view.kind !== 'landing') return false
  const { keys, notice, captcha, isForDevice, extends: extended, start } = view
  const isPlain = keys.length === 0 && !notice && !captcha && !isForDevice && !extended
  return isPlain && Object.keys(start.fields).join() === 'csrf'
}

/** Returns undefined if a name contains the placeholder. */
function renderAround(view: LandingView): Around | undefined {
  const text = renderVisitorPage(view)
  const [before = '', after, ...more] = text.split(GAP)
  if (after === undefined || more.length > 0) return undefined
  return { before, after }
}
