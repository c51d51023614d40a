/**
 * Expands the macros in a source, such as `WARD_JIT(function() … end)`. A macro only marks its argument. The
 * pass that reads the mark implements the effect.
 */

import { FunctionAttributes } from '../macros/attributes.ts'
import { warnOfChangedNames } from '../macros/changed-names.ts'
import { warnOfAddresses } from '../macros/chat-addresses.ts'
import { MacroExpansion } from '../macros/expand-macros.ts'
import { dropFallbacks } from '../macros/fallbacks.ts'
import { PREFIXES } from '../macros/macro-table.ts'
import { takeMessages } from '../macros/messages.ts'
import { Notices } from '../macros/notices.ts'
import { checkNames } from '../macros/unknown-names.ts'
import { ServiceVariables } from '../macros/variables.ts'
import type { PassContext } from '../pass-context.ts'
import { moveToServer } from '../server-code/move-to-server.ts'
import type { Chunk } from '../syntax/ast.ts'
import { withPrologue } from '../syntax/nodes.ts'
import { rewrite } from '../syntax/walk.ts'
import { definePass } from './pass.ts'

export const macros = definePass({
  name: 'macros',
  summary: 'Applies macros in the source.',
  settings: [],
  reads: [],
  writes: ['insisted', 'keepsFunctions', 'messages', 'serverCode', 'suggestions'],
  run(chunk, context) {
    const notices = new Notices(context)
    if (!context.source.mentions('@') && !PREFIXES.some(context.source.mentions)) {
      warnOfAddresses(chunk, context, notices)
      warnOfChangedNames(chunk, context, notices)
      notices.report()
      const { chunk: moved, ...state } = moveToServer(chunk, context)
      return { chunk: moved, state }
    }
    const attributes = new FunctionAttributes(context, notices)
    const settled = attributes.take(settleNames(chunk, context, notices))
    const taken = takeMessages(settled, context)
    warnOfAddresses(taken.chunk, context, notices)
    warnOfChangedNames(taken.chunk, context, notices)
    const expansion = new MacroExpansion(context, notices)
    const expanded = rewrite(taken.chunk, expansion.visitors())
    const { chunk: moved, ...server } = moveToServer(expanded, context)
    const { insisted } = expansion
    const keepsFunctions = expansion.keepsFunctions || attributes.keepsFunctions
    notices.report()
    return {
      chunk: withPrologue(moved, expansion.prologue(chunk)),
      state: { insisted, keepsFunctions, messages: taken.messages, ...server },
    }
  },
})

/**
 * Resolves the names that start with a known prefix. After that, only macros and names that the script
 * assigns are left.
 */
function settleNames(chunk: Chunk, context: PassContext, notices: Notices): Chunk {
  const variables = new ServiceVariables(context, notices)
  const folded = dropFallbacks(variables.markExisting(chunk))
  checkNames(folded, context, notices)
  return variables.expand(folded)
}
