// The passes in the order in which they run. Options turn them on and set them; nothing reorders them.

import { encodeNumbers } from './encode-numbers.ts'
import { encryptStrings } from './encrypt-strings.ts'
import { evenParameters } from './even-parameters.ts'
import { hideGlobals } from './hide-globals.ts'
import { integrity } from './integrity.ts'
import { lockValues } from './lock-values.ts'
import { lowerLuau } from './lower-luau.ts'
import { macros } from './macros.ts'
import type { Pass } from './pass.ts'
import { splitData } from './split-data.ts'
import { varyStatements } from './vary-statements.ts'
import { virtualize } from './virtualize.ts'

/** What the author says, and what makes the tree run on the target; it cannot be turned off. */
export const requiredPasses: readonly Pass[] = [
  // While the tree is as the author wrote it, so that complaints are about what he sees.
  macros,
  // So that every other pass meets only what Lua 5.1 has.
  lowerLuau,
]

export const optionalPasses: readonly Pass[] = [
  // Before the strings, since it turns names into strings that must be encrypted.
  hideGlobals,
  // After the globals, whose names it locks; before what takes the rest of the constants.
  lockValues,
  // Before the streams are made, which it ties to what it checks.
  integrity,
  // After the globals, whose names are then constants; before the passes that take what stays as it is.
  virtualize,
  // After the streams, which choose by the forms that the author gave; before the literals that it looks for are hidden.
  varyStatements,
  // Before the strings, so that the indexes which those are reached by stay plain: they are in hot code.
  encodeNumbers,
  // After all passes that make literals, so that the strings of all are in its table.
  encryptStrings,
  // After all passes that make functions, so that those are like the author's.
  evenParameters,
  // Last, when every string that is left is a ciphertext or a part of the decryption.
  splitData,
]
