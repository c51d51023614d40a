/**
 * In Lua 5.4, each file has its own `_ENV`. If one file assigns `_ENV`, the globals of the other files must
 * not change.
 */

import { PREFIXES } from '../macros/macro-table.ts'
import type { Symbols } from '../semantics/symbols.ts'
import type { Chunk, Expression, GlobalName } from '../syntax/ast.ts'
import { nodesAt, withPrologue } from '../syntax/nodes.ts'
import { rewrite } from '../syntax/walk.ts'

const ENVIRONMENT = '_ENV'

/**
 * In a file that assigns `_ENV`, replaces `_ENV` with a local, and the file's globals with fields of that
 * local. Macro names stay unchanged.
 *
 * @param file a resolved syntax tree.
 */
export function withOwnEnvironment(file: Chunk, symbols: Symbols): Chunk {
  if (!assignsEnvironment(file)) return file
  const environment = symbols.fresh()
  const replaced = rewrite(file, {
    GlobalName(node): Expression | undefined {
      const make = nodesAt(node.at)
      if (node.name === ENVIRONMENT) return make.use(environment)
      if (PREFIXES.some((prefix) => node.name.startsWith(prefix))) return undefined
      return make.index(make.use(environment), make.string(node.name))
    },
  })
  const global: GlobalName = { kind: 'GlobalName', at: file.at, name: ENVIRONMENT }
  return withPrologue(replaced, [nodesAt(file.at).local([environment], [global])])
}

function assignsEnvironment(file: Chunk): boolean {
  let found = false
  rewrite(file, {
    Assign({ targets }) {
      found ||= targets.some((each) => each.kind === 'GlobalName' && each.name === ENVIRONMENT)
      return undefined
    },
  })
  return found
}
