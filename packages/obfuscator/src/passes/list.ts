/**
 * All passes, in execution order. Options turn passes on and configure them; they never change
 * the order. The comments list what each pass hands on to later ones, which `list.lua.test.ts` verifies.
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

/** These always run. */
export const requiredPasses: readonly Pass[] = [
  // Runs first, on the syntax tree as the author wrote it, so that diagnostics match the source. Hands on
  // which literals to hide and which functions stay native.
  macros,
  // Runs next, so that later passes only handle Lua 5.1.
  lowerLuau,
  // Runs before any pass that adds locals to the main chunk, and after exports and classes were lowered, which must be
  // at the top level.
  makeRoom,
]

export const optionalPasses: readonly Pass[] = [
  // Runs before `encrypt-strings`, because it turns names into strings that must be encrypted. Hands on
  // the local that holds the environment.
  hideGlobals,
  // Runs after `hide-globals`, so that it can lock global names, and before any pass that moves
  // constants. Hands on the plaintexts of the locks.
  lockValues,
  // Runs before the first pass that binds the output to the integrity checks. Hands the checks to
  // `virtualize`, or to `encrypt-strings` if `virtualize` does not run.
  integrity,
  // Runs after `hide-globals`, so that names of globals are constants, and before the passes for code
  // that stays native. Consumes the checks. Hands on the watermark slots, and whether all code was
  // virtualized.
  virtualize,
  // Runs before `encrypt-strings`, so that indexes into the string table stay plain: they occur in hot
  // code.
  encodeNumbers,
  // Runs after every pass that creates strings, so that its table contains all of them. Consumes the checks
  // if `virtualize` did not.
  encryptStrings,
  // Runs last: all remaining strings are ciphertext or part of the decryption. Hands on the data segment.
  splitData,
]
