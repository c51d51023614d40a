/** In Lua 5.4 each file has an `_ENV` of its own: what one assigns to it must not change the globals of the others. */

import { PREFIXES } from '../macros/macro-table.ts'
import type { Symbols } from '../semantics/symbols.ts'
import type { Chunk, Expression, GlobalName } from '../syntax/ast.ts'
import { nodesAt, withPrologue } from '../syntax/nodes.ts'
import { rewrite } from '../syntax/walk.ts'

const ENVIRONMENT = '_ENV'

/**
 * Gives a file that assigns `_ENV` a local instead, whose fields are its globals. Names of macros stay.
 *
 * @param file a resolved tree.
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
