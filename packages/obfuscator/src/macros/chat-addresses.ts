/** Warns about addresses of chat channels in the text of a script: each reader of one can write there, or delete the channel. */

import type { PassContext } from '../pass-context.ts'
import type { Chunk } from '../syntax/ast.ts'
import { rewrite } from '../syntax/walk.ts'
import type { Notices } from './notices.ts'

/** The path that chat platforms, and those who pass on to them, have in their webhook addresses. */
const PATH = '/api/webhooks/'
const ADDRESS = /https?:\/\/[^/]+\/api\/webhooks\/\d/

export function warnOfAddresses(chunk: Chunk, { source }: PassContext, notices: Notices): void {
  if (!source.mentions(PATH)) return
  rewrite(chunk, {
    StringLiteral({ at, value }) {
      if (!ADDRESS.test(value)) return
      notices.add(
        at,
        'the address of a chat channel is in the script, where its readers can use and delete it: send by WARD_WEBHOOK, with which the service keeps it',
      )
    },
  })
}
