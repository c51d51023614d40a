/**
 * Follows the macros that authors write in their source, such as `WARD_JIT(function() … end)`. A macro only marks its argument;
 * the pass that reads the mark gives it a meaning.
 */

import { MacroExpansion } from '../macros/expand-macros.ts'
import { dropFallbacks } from '../macros/fallbacks.ts'
import { withPrologue } from '../syntax/nodes.ts'
import { rewrite } from '../syntax/walk.ts'
import { definePass } from './pass.ts'

/** Every macro name begins with one of these. */
const PREFIXES = ['WARD_', 'LPH_']

export const macros = definePass({
  name: 'macros',
  summary: 'Follows the macros in the source.',
  settings: [],
  reads: [],
  writes: ['insisted', 'keepsFunctions'],
  run(chunk, context) {
    if (!PREFIXES.some(context.source.mentions)) return { chunk }
    const expansion = new MacroExpansion(context)
    const expanded = rewrite(dropFallbacks(chunk), expansion.visitors())
    const { insisted, keepsFunctions } = expansion
    return {
      chunk: withPrologue(expanded, expansion.prologue(chunk)),
      state: { insisted, keepsFunctions },
    }
  },
})
