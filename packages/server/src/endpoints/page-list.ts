/** Every page. One that is not here does not exist; nothing else registers one. */
import type { ProviderGateway } from '../adproviders/gateway.ts'
import type { Page } from './page.ts'
import { adPages } from './pages/ads.ts'
import { ownPages } from './pages/self-service.ts'
import { startPages } from './pages/start.ts'

export function listPages(providers: ProviderGateway): Page[] {
  return [...startPages, ...ownPages, ...adPages(providers)]
}
