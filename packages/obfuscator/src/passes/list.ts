/**
 * All passes, in the order that they run. Options turn passes on and configure them, but never change the
 * order. The comments list the state that each pass provides for later passes, which `list.lua.test.ts`
 * verifies.
 */

import { encodeNumbers } from './encode-numbers.ts'
import { encryptStrings } from './encrypt-strings.ts'
import { hideGlobals } from './hide-globals.ts'
import { integrity } from './integrity.ts'
import { lockValues } from './lock-values.ts'
import { lowerLuau } from './lower-luau.ts'
import { macros } from './macros.ts'
import { makeRoom } from './make-room.ts'
import type { Pass } from './pass.ts'
import { splitData } from './split-data.ts'
import { virtualize } from './virtualize.ts'

/** Passes that always run. */
export const requiredPasses: readonly Pass[] = [
  // Runs first, on the syntax tree as the author wrote it, so that diagnostics match the source. Provides the
  // literals to hide, and whether some functions stay native.
  macros,
  // Runs second, so that later passes handle only Lua 5.1.
  lowerLuau,
  // Runs before any pass that adds locals to the main chunk, and after the lowering of exports and classes,
  // which must stay at the top level.
  makeRoom,
]

export const optionalPasses: readonly Pass[] = [
  // Runs before `encrypt-strings`, because it turns names into strings that must be encrypted. Provides the
  // local that holds the environment.
  hideGlobals,
  // Runs after `hide-globals`, so that it can lock the names of globals, and before any pass that moves
  // constants. Provides the plaintexts of the locks.
  lockValues,
  // Runs before the first pass that binds the output to the integrity checks. Provides the checks to
  // `virtualize`, or to `encrypt-strings` if `virtualize` does not run.
  integrity,
  // Runs after `hide-globals`, when names of globals are constants, and before the passes for code that stays
  // native. Consumes the checks. Provides the watermark slots, and whether all code was virtualized.
  virtualize,
  // Runs before `encrypt-strings`, so that indexes into the string table stay plain numbers, because hot code
  // uses them.
  encodeNumbers,
  // Runs after every pass that creates strings, so that its table contains all strings. Consumes the checks
  // if `virtualize` did not.
  encryptStrings,
  // Runs last, when all remaining strings are ciphertext or part of the decryption. Provides the data
  // segment.
  splitData,
]
