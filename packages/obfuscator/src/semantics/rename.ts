/**
 * Assigns every symbol its name in the output. This step is the last one, so that no pass can capture a name.
 * Names are as short as possible: two locals share a name if neither is visible where the other is.
 */

import type { Random } from '../random.ts'
import type { SymbolId } from '../syntax/ast.ts'
import type { Facts } from './facts.ts'

/** Returns the name of a symbol for the printer. */
export type NameOf = (symbol: SymbolId) => string

/**
 * All words that are reserved on any target, the `arg` local that Lua 5.1 creates, and names with a special
 * meaning.
 */
const RESERVED = [
  'and break do else elseif end false for function goto if in local nil not or repeat return then true until while',
  'arg const continue export type typeof self _ENV _G global',
].flatMap((line) => line.split(' '))

/**
 * Assigns names by depth: a symbol gets the first name that no other visible symbol uses. Globals that the
 * chunk uses are never shadowed.
 */
export function rename({ globals, depths }: Pick<Facts, 'globals' | 'depths'>, random: Random): NameOf {
  const spell = createSpelling(random, new Set([...RESERVED, ...globals]))
  return (symbol) => spell(depths[symbol] ?? 0)
}

const FIRST = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_'
const REST = `${FIRST}0123456789`

/**
 * Enumerates all available names, shortest first. The seed determines the order of names of the same length.
 */
function createSpelling(random: Random, taken: ReadonlySet<string>): (index: number) => string {
  const first = random.shuffle([...FIRST])
  const rest = random.shuffle([...REST])
  const known: string[] = []
  let counter = 0
  return (index) => {
    while (known.length <= index) {
      const name = nameAt(counter, first, rest)
      counter += 1
      if (!taken.has(name)) known.push(name)
    }
    return known[index] as string
  }
}

function nameAt(counter: number, first: readonly string[], rest: readonly string[]): string {
  let name = first[counter % first.length] as string
  let left = Math.floor(counter / first.length)
  while (left > 0) {
    left -= 1
    name += rest[left % rest.length] as string
    left = Math.floor(left / rest.length)
  }
  return name
}
