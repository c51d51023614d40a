/**
 * The passes in the order in which they run. Options turn passes on and set them; they never change the
 * order. What a pass hands on to later ones is named here and checked by `list.lua.test.ts`.
 */

import { encodeNumbers } from './encode-numbers.ts'
import { encryptStrings } from './encrypt-strings.ts'
import { hideGlobals } from './hide-globals.ts'
import { integrity } from './integrity.ts'
import { lockValues } from './lock-values.ts'
import { lowerLuau } from './lower-luau.ts'
import { macros } from './macros.ts'
import { padParameters } from './pad-parameters.ts'
import type { Pass } from './pass.ts'
import { splitData } from './split-data.ts'
import { varyStatements } from './vary-statements.ts'
import { virtualize } from './virtualize.ts'

/** Macros and lowering always run. */
export const requiredPasses: readonly Pass[] = [
  // First, while the tree is as the author wrote it, so that diagnostics fit the source. Hands on what the
  // author wants hidden and which functions stay native.
  macros,
  // Next, so that every later pass sees only Lua 5.1.
  lowerLuau,
]

export const optionalPasses: readonly Pass[] = [
  // Before `encrypt-strings`, since it turns names into strings that must be encrypted. Hands on the
  // environment local.
  hideGlobals,
  // After `hide-globals`, whose names it locks too, and before any pass that takes constants. Hands on the
  // texts of the locks.
  lockValues,
  // Before the first pass that binds the output to the checks. Hands on the checks, to `virtualize` or else
  // to `encrypt-strings`.
  integrity,
  // After `hide-globals`, so that names of globals are constants, and before the passes for code that stays
  // native. Uses up the checks; hands on whether all code was virtualised, and the watermark slots.
  virtualize,
  // After `virtualize`, which decides by the author's own forms, and before literals are hidden, since it
  // compares them.
  varyStatements,
  // Before `encrypt-strings`, so that indexes into the string table stay plain: they stand in hot code.
  encodeNumbers,
  // After every pass that makes strings, so that all of them are in its table. Uses up the checks if
  // `virtualize` did not.
  encryptStrings,
  // After every pass that makes functions, so that generated functions look like the author's.
  padParameters,
  // Last: all remaining strings are now ciphertext or part of the decryption. Hands on the data segment.
  splitData,
]
