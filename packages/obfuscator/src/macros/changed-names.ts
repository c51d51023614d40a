/**
 * Warns about names that behave differently in protected code. Functions copied with `string.dump` lose the
 * upvalues that the protection relies on. Garry's Mod replaces `DEFINE_BASECLASS` only in readable files.
 */

import type { PassContext } from '../pass-context.ts'
import type { Call, Chunk, Expression, Node, SymbolId } from '../syntax/ast.ts'
import { rewrite } from '../syntax/walk.ts'
import type { Notices } from './notices.ts'

const LIBRARY = 'string'
const DUMP = 'dump'
const BASE_CLASS = 'DEFINE_BASECLASS'

/** Functions that compile strings into functions. Code inside strings is not protected. */
const COMPILERS = new Set(['load', 'loadstring', 'loadfile'])

export function warnOfChangedNames(chunk: Chunk, { source, target }: PassContext, notices: Notices): void {
  if (source.mentions(BASE_CLASS)) warnOfBaseClass(chunk, notices)
  if (target !== 'luau' && source.mentions(DUMP)) warnOfDump(chunk, notices)
}

function warnOfBaseClass(chunk: Chunk, notices: Notices): void {
  rewrite(chunk, {
    GlobalName({ at, name }) {
      if (name !== BASE_CLASS) return
      notices.add(
        at,
        "Garry's Mod does not replace DEFINE_BASECLASS in protected code, so it is nil there: choose the dialect gmod, which replaces it",
      )
    },
  })
}

function warnOfDump(chunk: Chunk, notices: Notices): void {
  const libraries = new Set<SymbolId>()
  const harmless = new Set<Node>()
  rewrite(chunk, {
    Binding({ symbol, name }) {
      if (name === LIBRARY) libraries.add(symbol)
    },
    Call: {
      enter(node) {
        if (isCompiled(node.args[0])) harmless.add(node.callee)
      },
    },
    Index(node, original) {
      const { at, object, key } = node
      if (key.kind !== 'StringLiteral' || key.value !== DUMP || harmless.has(original)) return
      if (!isLibrary(object, libraries)) return
      notices.add(
        at,
        'string.dump: the copy of a protected function usually fails when it is loaded and run, because it lacks the variables that hold its strings and code: keep functions that are dumped in a file that is not protected',
      )
    },
  })
}

function isLibrary(node: Expression, libraries: ReadonlySet<SymbolId>): boolean {
  if (node.kind === 'LocalName') return libraries.has(node.symbol)
  return node.kind === 'GlobalName' && node.name === LIBRARY
}

function isCompiled(node: Call['args'][number] | undefined): boolean {
  const inner = node?.kind === 'Paren' ? node.inner : node
  return inner?.kind === 'Call' && inner.callee.kind === 'GlobalName' && COMPILERS.has(inner.callee.name)
}
