/** Compiles a locked function to the machine's bytecode, if the machine can run it. */

import type { PassContext } from '../pass-context.ts'
import type { Random } from '../random.ts'
import { MARK_NATIVE } from '../semantics/function-marks.ts'
import type { Expression, FunctionExpression, GenericFor } from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'
import { rewrite } from '../syntax/walk.ts'
import { collectVariables } from '../vm/variables.ts'
import { Assembler, type Bytecode, createLabel } from './bytecode.ts'
import { compileStatements } from './compile-statements.ts'
import { type Compilation, FunctionFrame, isMany, type Place, type VariableKey } from './function-frame.ts'
import type { Machine } from './machine.ts'

/** @param upvalues the locations of the variables and globals that the function uses but does not declare. */
export function compileFunction(
  node: FunctionExpression,
  upvalues: ReadonlyMap<VariableKey, Place>,
  { machine, random }: { readonly machine: Machine; readonly random: Random },
): Bytecode {
  const shared: Compilation = { code: new Assembler(machine), variables: variablesOf(node), pending: [] }
  const start = createLabel()
  shared.pending.push({ node, start, frame: new FunctionFrame(shared, node, upvalues) })
  for (const each of shared.pending) {
    shared.code.place(each.start)
    compileBody(each.frame, each.node)
  }
  return shared.code.finish(random)
}

function compileBody(frame: FunctionFrame, { parameters, body }: FunctionExpression): void {
  const first = frame.allocate(parameters.length)
  for (const [i, { symbol }] of parameters.entries()) frame.declare(symbol, first + i)
  compileStatements(frame, body.statements)
  if (body.statements.at(-1)?.kind !== 'Return') frame.emit('leave', 1, 0)
}

function variablesOf(node: FunctionExpression) {
  const make = nodesAt(node.at)
  return collectVariables({
    kind: 'Chunk',
    at: node.at,
    body: make.block([make.return(node)]),
    symbolCount: 0,
    nesting: 0,
    directives: [],
    functionEnds: new Map(),
  })
}

/**
 * Hosts limit how many values `unpack` can return. The machine uses `unpack` to fill tables and to make
 * calls.
 */
const MAX_ITEMS = 2000

/** Names that a script can use to change the environment of a function. */
const ENVIRONMENT_WORDS = ['fenv', '_ENV', 'module', 'debug']

/** Lua 5.1 declares this local in vararg functions that don't use `...`. */
const IMPLICIT = 'arg'

/** Returns why the machine can't run a function; null if it can. */
export function uncovered(
  node: FunctionExpression,
  { target, source: { mentions }, varied }: Pick<PassContext, 'target' | 'source' | 'varied'>,
): string | null {
  let found: string | null = null
  const note = (what: string): undefined => {
    found ??= what
  }
  if (node.attributes.some((each) => each === 'native' || each === MARK_NATIVE))
    return 'a mark that keeps it native'
  const touchesEnvironments = ENVIRONMENT_WORDS.some(mentions)
  rewrite(node, {
    Goto: () => note("'goto'"),
    Label: () => note("'goto'"),
    Binding: ({ attribute }) => (attribute === 'close' ? note("'<close>'") : undefined),
    // The contents of a lock are the same for all keys, so a number in the lock can't differ between keys.
    NumberLiteral: (number) => (varied.has(number) ? note('a number of WARD_VARY') : undefined),
    Int64Literal: () => note('64-bit integers'),
    ImaginaryLiteral: () => note('complex numbers'),
    GlobalName({ name }) {
      if (name === IMPLICIT) note(`'${IMPLICIT}'`)
      if (touchesEnvironments) note('function environments')
    },
    Table: ({ items }) => (items.length > MAX_ITEMS ? note('a large table') : undefined),
    Call: ({ args }) => (args.length > MAX_ITEMS ? note('a large call') : undefined),
    GenericFor: (loop) =>
      target === 'lua54' && mayClose(loop) ? note("a 'for' loop that may close a value") : undefined,
  })
  return found
}

/** Functions that return fewer than four values, so that the host has no value to close. */
const PLAIN_ITERATORS = new Set(['pairs', 'ipairs', 'gmatch', 'wrap'])

/** Whether a Lua 5.4 loop may get a fourth value. The host closes that value at the end of the loop. */
function mayClose({ values }: GenericFor): boolean {
  const last = values.at(-1)
  if (values.length > 3) return true
  if (!last || values.length === 3 || !isMany(last)) return false
  const name = last.kind === 'Call' ? nameOf(last.callee) : last.kind === 'MethodCall' ? last.method : null
  return name === null || !PLAIN_ITERATORS.has(name)
}

function nameOf(callee: Expression): string | null {
  if (callee.kind === 'GlobalName') return callee.name
  return callee.kind === 'Index' && callee.key.kind === 'StringLiteral' ? callee.key.value : null
}
