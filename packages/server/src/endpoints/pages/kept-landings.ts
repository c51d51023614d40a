/**
 * The landing page as everybody sees it who comes for the first time: rendered once for each text that it can have, with a
 * gap where the token of the visitor's form stands. What is shown to one visitor alone is never kept.
 */
import { renderVisitorPage } from '../../pages/visitor-page.ts'
import type { LandingView, VisitorView } from '../../pages/visitor-views.ts'

/** Stands for the token while the page is rendered. */
const GAP = '\u0001'
/** Of some 15 KB each. */
const MOST_KEPT = 500

type Around = { readonly before: string; readonly after: string }

/** Pages that were rendered, by all that stands on them. */
export class KeptLandings {
  readonly #kept = new Map<string, Around>()

  /** `renderVisitorPage`, from what is kept where that says the same. */
  render(view: VisitorView): string {
    if (!isForAll(view)) return renderVisitorPage(view)
    const around = this.#around(view)
    if (around === undefined) return renderVisitorPage(view)
    return `${around.before}${view.start.fields.csrf}${around.after}`
  }

  #around(view: LandingView): Around | undefined {
    const withGap = { ...view, now: 0, start: { ...view.start, fields: { csrf: GAP } } }
    const key = JSON.stringify(withGap)
    const kept = this.#kept.get(key)
    if (kept !== undefined) return kept
    const around = renderAround(withGap)
    if (this.#kept.size >= MOST_KEPT) this.#kept.clear()
    if (around !== undefined) this.#kept.set(key, around)
    return around
  }
}

/** Follows from the system, its checkpoints, the language and the address, and from nothing else but the token. */
function isForAll(view: VisitorView): view is LandingView {
  if (view.kind !== 'landing') return false
  const { keys, notice, captcha, isForDevice, extends: extended, start } = view
  const isPlain = keys.length === 0 && !notice && !captcha && !isForDevice && !extended
  return isPlain && Object.keys(start.fields).join() === 'csrf'
}

/** Undefined where a name has the sign of the gap in it. */
function renderAround(view: LandingView): Around | undefined {
  const text = renderVisitorPage(view)
  const [before = '', after, ...more] = text.split(GAP)
  if (after === undefined || more.length > 0) return undefined
  return { before, after }
}
