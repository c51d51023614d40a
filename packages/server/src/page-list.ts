/** Every page. A page that isn't listed does not exist; nothing else registers one. */

import type { Page } from './api/page.ts'
import { adPages } from './features/ads/endpoints/ads.ts'
import { ownPages } from './features/customer-page/endpoints.ts'
import { startPages } from './features/public-pages/start.ts'
import type { ProviderGateway } from './platform/ad-providers/gateway.ts'

export function listPages(providers: ProviderGateway): Page[] {
  return [...startPages, ...ownPages, ...adPages(providers)]
}
