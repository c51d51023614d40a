/**
 * Measures what three attackers recover from one protected script: one who opens the file, one who hooks the
 * library, and one who uses a lifter. This module imports no Node.js modules and needs only Luau, so that the
 * playground can run the same attacks in the browser.
 */

import { bytesOf } from '../src/source-bytes.ts'
import type { Bytes } from '../src/syntax/ast.ts'
import type { Dialect } from '../src/syntax/dialect.ts'
import type { RunLua } from './attack.ts'
import { seenByHooks } from './hooking.ts'
import { liftWith, likenessOf } from './lift/lift.ts'
import { forLuau } from './luau.ts'
import { within } from './recorded.ts'
import { foldNumbers, readTree, wordsOf } from './tree.ts'
import { type Words, wordsWorthHiding } from './worth-hiding.ts'

/**
 * Strings, names and numbers of a source: either those worth hiding or those that an attacker recovered. In
 * strings and names, each character is one byte.
 */
export type Found = {
  readonly strings: readonly Bytes[]
  readonly names: readonly Bytes[]
  readonly numbers: readonly number[]
}

/**
 * `functions` is the number of recovered functions; partially recovered functions count as fractions.
 * `ofFunctions` is the total.
 */
export type Lifting = Found & { readonly functions: number; readonly ofFunctions: number }

/** Returns the strings, names and numbers of a source that reveal something about it. */
export function wordsIn(source: string, dialect: Dialect): Found {
  const { strings, names, numbers } = wordsWorthHiding(readTree(bytesOf(source), dialect))
  return { strings: [...strings], names: [...names], numbers: [...numbers] }
}

/**
 * Returns the strings, names and numbers that can be read in an output after folding its constant
 * expressions.
 */
export function readFile(wanted: Found, code: Bytes, dialect: Dialect): Found {
  const tree = readTree(code, dialect)
  const { strings, names } = wordsOf(tree)
  return {
    strings: within([code, ...strings], wanted.strings),
    names: wanted.names.filter((each) => names.has(each) || strings.has(each)),
    numbers: among(wanted.numbers, foldNumbers(tree).numbers),
  }
}

/** Returns the strings that hooks on the library and the environment see while the script runs. */
export async function hookLibrary(wanted: Found, code: Bytes, runLuau: RunLua): Promise<readonly Bytes[]> {
  return within(await seenByHooks(code, inLuau(runLuau)), wanted.strings)
}

/** @param source an unprotected script with the same functions as the output. */
export async function liftScript(
  wanted: Found,
  source: Bytes,
  code: Bytes,
  runLuau: RunLua,
): Promise<Lifting> {
  const run = inLuau(runLuau)
  const [plain, lifted] = [await liftWith(source, run), await liftWith(code, run)]
  const strings = within([...lifted.strings], wanted.strings)
  return {
    strings,
    names: wanted.names.filter((each) => lifted.strings.has(each)),
    numbers: among(wanted.numbers, lifted.numbers),
    functions: likenessOf(plain.functions, lifted.functions),
    ofFunctions: plain.functions.length,
  }
}

function inLuau(runLuau: RunLua): RunLua {
  return (script, files) => runLuau(forLuau(script), files)
}

/** A number also counts as found if its negation was found. */
function among(wanted: Iterable<number>, found: Words['numbers']): number[] {
  return [...wanted].filter((each) => found.has(each) || found.has(-each))
}
