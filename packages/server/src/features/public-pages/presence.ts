/** The information that a page request reveals about its visitor. */

import type { PageRequest } from '../../api/page.ts'
import { type Presence, presenceOf } from '../ads/visits/visitors.ts'

export const VISITOR_COOKIE = 'swv'
const BROWSER_HEADERS = [
  'user-agent',
  'accept-language',
  'sec-ch-ua',
  'sec-ch-ua-platform',
  'sec-ch-ua-mobile',
]

export function presenceFrom({ cookies, origin }: PageRequest): Presence {
  const browserTraits = BROWSER_HEADERS.map((name) => String(origin.headers[name] ?? ''))
  return presenceOf(cookies[VISITOR_COOKIE], origin.address, browserTraits)
}
