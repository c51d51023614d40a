/** Finds calls to `require` that name a file. Replaces those that refer to a file in the source tree. */

import { textOf } from '../source-bytes.ts'
import type { Call, Chunk, Expression, Kind, Offset, SymbolId } from '../syntax/ast.ts'
import { combineVisitors, rewrite, type Visitors } from '../syntax/walk.ts'
import { Instances } from './instances.ts'
import type { Request } from './module-path.ts'

export type Require = {
  readonly at: Offset
  /** Position of the expression that names the required file. */
  readonly nameAt: Offset
  readonly request: Request
  /** Whether the call always runs when its file runs. */
  readonly isCertain: boolean
}

/**
 * Returns the callee and the arguments that load a file in the source tree; undefined if the host must
 * resolve the call instead.
 */
export type Loader = (found: Require) => LoaderCall | undefined
type LoaderCall = { readonly callee: Expression; readonly args: readonly Expression[] }

/** `assigned` is the position of the first assignment to the `require` global; null if there is none. */
export type Replaced = { readonly chunk: Chunk; readonly assigned: Offset | null }

/** Constructs whose contents may run later, or may not run at all. */
const UNCERTAIN = [
  'FunctionExpression',
  'If',
  'IfExpression',
  'Logical',
  'While',
  'Repeat',
  'NumericFor',
  'GenericFor',
] as const satisfies readonly Kind[]

/** @param chunk a resolved syntax tree. */
export function replaceRequires(chunk: Chunk, load: Loader): Replaced {
  const { locals, require } = assignedIn(chunk)
  const instances = new Instances(locals)
  let uncertain = 0
  const around = {
    enter: () => {
      uncertain += 1
    },
    leave: () => {
      uncertain -= 1
      return undefined
    },
  }
  const count: Visitors = Object.fromEntries(UNCERTAIN.map((kind) => [kind, around]))
  const replace = (node: Call): Call | undefined => {
    const { argument, isGuarded } = argumentOf(node)
    const request = argument && requestOf(argument, instances)
    if (!request) return undefined
    const isCertain = uncertain === 0 && !isGuarded
    const found = load({ at: node.at, nameAt: argument.at, request, isCertain })
    if (!found) return undefined
    instances.spend(argument)
    const { callee, args } = found
    return isGuarded ? { ...node, args: [callee, ...args] } : { ...node, callee, args }
  }
  const replaced = rewrite(chunk, combineVisitors(count, { ...instances.visitors(), Call: replace }))
  return { chunk: instances.withoutSpent(replaced), assigned: require }
}

/** Returns the expression that names the file in `require(name)` or `pcall(require, name)`. */
function argumentOf({ callee, args }: Call): { argument: Expression | undefined; isGuarded: boolean } {
  const [first, second] = args
  if (isGlobal(callee, 'require') && args.length === 1) return { argument: first, isGuarded: false }
  const isGuarded = isGlobal(callee, 'pcall') && isGlobal(first, 'require') && args.length === 2
  return { argument: isGuarded ? second : undefined, isGuarded }
}

function requestOf(argument: Expression, instances: Instances): Request | null {
  if (argument.kind === 'StringLiteral') return { form: 'text', text: textOf(argument.value) }
  return instances.requestOf(argument)
}

type Assigned = { readonly locals: ReadonlySet<SymbolId>; require: Offset | null }

function assignedIn(chunk: Chunk): Assigned {
  const locals = new Set<SymbolId>()
  const assigned: Assigned = { locals, require: null }
  const note = (target: Expression): undefined => {
    if (target.kind === 'LocalName') locals.add(target.symbol)
    if (isGlobal(target, 'require')) assigned.require ??= target.at
  }
  rewrite(chunk, {
    Assign: ({ targets }) => targets.forEach(note) as undefined,
    CompoundAssign: ({ target }) => note(target),
  })
  return assigned
}

function isGlobal(node: Expression | undefined, name: string): boolean {
  return node?.kind === 'GlobalName' && node.name === name
}
