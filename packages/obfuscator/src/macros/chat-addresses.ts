/**
 * Warns about Discord webhook URLs in a script's strings. Anyone who can read such a URL can post to the
 * channel or delete the webhook.
 */

import type { PassContext } from '../pass-context.ts'
import type { Chunk } from '../syntax/ast.ts'
import { rewrite } from '../syntax/walk.ts'
import type { Notices } from './notices.ts'

/** The URL path of webhooks on Discord and its proxies. */
const PATH = '/api/webhooks/'
const ADDRESS = /https?:\/\/[^/]+\/api\/webhooks\/\d/

export function warnOfAddresses(chunk: Chunk, { source }: PassContext, notices: Notices): void {
  if (!source.mentions(PATH)) return
  rewrite(chunk, {
    StringLiteral({ at, value }) {
      if (!ADDRESS.test(value)) return
      notices.add(
        at,
        'a Discord webhook URL is in the script, where anyone who reads it can use or delete the webhook: send with WARD_WEBHOOK, which keeps the URL on the server',
      )
    },
  })
}
