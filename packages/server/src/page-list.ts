/** Every page. A page that isn't listed doesn't exist, because nothing else registers pages. */

import type { Page } from './api/page.ts'
import { adPages } from './features/ads/endpoints/ads.ts'
import { backupPages } from './features/backups/pages.ts'
import { ownPages } from './features/customer-page/endpoints.ts'
import { startPages } from './features/public-pages/start.ts'

export function listPages(): Page[] {
  return [...startPages, ...ownPages, ...adPages(), ...backupPages]
}
