/**
 * Rejects globals that start with a prefix used by Scriptward or another service but are not in the macro
 * table. They would be nil at run time. Names that the script itself assigns are accepted.
 */

import type { PassContext } from '../pass-context.ts'
import type { Chunk, GlobalName, Logical } from '../syntax/ast.ts'
import { rewrite } from '../syntax/walk.ts'
import { assignedNames } from './assigned-names.ts'
import { macroNamed, macroTable, PREFIXES, refusalOf, variableNamed } from './macro-table.ts'
import type { Notices } from './notices.ts'

/** This prefix is so short that it also occurs in unrelated names. */
const COMMON_PREFIX = 'la_'

export function checkNames(chunk: Chunk, context: PassContext, notices: Notices): void {
  const own = assignedNames(chunk)
  const optional = new Set<GlobalName>()
  rewrite(chunk, {
    Logical: { enter: (node: Logical) => (isChoice(node) ? void optional.add(node.left) : undefined) },
    GlobalName(node) {
      const { name, at } = node
      const isOther = !PREFIXES.some((prefix) => name.startsWith(prefix)) || own.has(name)
      if (isOther || macroNamed(name) || variableNamed(name)) return
      const cure = refusalOf(name)
      const nearest = cure === null ? nearestTo(name) : null
      const isDoubtful = cure === null && nearest === null && name.startsWith(COMMON_PREFIX)
      if (optional.has(node) || isDoubtful) {
        notices.add(at, `${name} is nil unless something outside the script sets it`)
      } else if (cure === null) context.diagnostics.report(at, 'foreignUnknown', name, nearest)
      else context.diagnostics.report(at, 'foreignRefused', name, cure)
    },
  })
}

/** Matches `NAME or …`, which works even if the name is nil. */
function isChoice(node: Logical): node is Logical & { left: GlobalName } {
  return node.operator === 'or' && node.left.kind === 'GlobalName'
}

/** Returns the most similar known name with the same prefix; null if no name is similar enough. */
function nearestTo(name: string): string | null {
  let best: string | null = null
  let least = Math.max(2, Math.floor(name.length / 4)) + 1
  for (const each of macroTable) {
    if (each.kind === 'refused' || each.name.slice(0, 3) !== name.slice(0, 3)) continue
    const distance = editsBetween(name.toLowerCase(), each.name.toLowerCase())
    if (distance >= least) continue
    least = distance
    best = each.name
  }
  return best
}

/** If the lengths of two names differ by more than this, one is not a typo of the other. */
const MAX_LENGTH = 40

/** Returns the Levenshtein distance of two names. */
function editsBetween(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > MAX_LENGTH) return MAX_LENGTH
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? MAX_LENGTH
}
