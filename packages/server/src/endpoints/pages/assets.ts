/** The files that the pages below one folder load; their names change with their content. */
import { findAsset } from '../../pages/assets.ts'
import { renderProblem } from '../../pages/problem-page.ts'
import type { Page } from '../page.ts'

const FOR_EVER = { 'cache-control': 'public, max-age=31536000, immutable' }

export function assetsPage(base: string): Page {
  return {
    name: 'assets',
    method: 'GET',
    path: `${base}assets/:file`,
    base,
    isPublic: true,
    async handle({ params, ...frame }) {
      const found = findAsset(params.file ?? '')
      if (found === undefined) return { status: 404, text: renderProblem(frame, 'not_found') }
      return { status: 200, text: found.text, contentType: found.contentType, headers: FOR_EVER }
    },
  }
}
