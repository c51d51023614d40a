/** Static files of the public pages, including logos. File names change with their content. */

import type { Page } from '../../api/page.ts'
import { findAsset } from '../../pages/assets.ts'
import { renderProblem } from '../../pages/problem-page.ts'
import { findLogoFile } from '../projects/brand.ts'

const FOR_EVER = { 'cache-control': 'public, max-age=31536000, immutable' }

export function assetsPage(base: string): Page {
  return {
    name: 'assets',
    method: 'GET',
    path: `${base}assets/:file`,
    base,
    isPublic: true,
    async handle({ params, ...frame }, deps) {
      const { file = '' } = params
      const found = findAsset(file) ?? (await findLogoFile(deps, file))
      if (found === undefined) return { status: 404, text: renderProblem(frame, 'not_found') }
      return { status: 200, ...found, headers: FOR_EVER }
    },
  }
}
