/**
 * Replaces globals with lookups in the environment table by a string key. `encrypt-strings` later hides the
 * keys. A global is replaced only where a direct access would certainly use the same environment.
 */

import type { PassContext } from '../pass-context.ts'
import { RunFrequency } from '../semantics/run-frequency.ts'
import type { Target as Host } from '../semantics/target.ts'
import { instantiate } from '../semantics/template.ts'
import type { Chunk, Expression, GlobalName, Node, SymbolId } from '../syntax/ast.ts'
import { nodesAt, withPrologue } from '../syntax/nodes.ts'
import { rewrite } from '../syntax/walk.ts'
import { definePass, type PassResult } from './pass.ts'

export const hideGlobals = definePass({
  name: 'hide-globals',
  summary: 'Hides the names of globals.',
  settings: [
    {
      id: 'reach',
      name: 'Reach',
      description:
        'Accesses to hide. cold: in the main chunk outside loops; warm: also in functions outside loops; hot: all.',
      type: 'choice',
      choices: ['cold', 'warm', 'hot'],
      default: 'hot',
    },
    {
      id: 'slowLuau',
      name: 'Slower Luau',
      description:
        "Hides globals even if this makes Luau call library functions more slowly. When off, globals aren't hidden in Luau scripts that call library functions inside functions or loops.",
      type: 'boolean',
      default: false,
    },
  ],
  reads: [],
  writes: ['environment'],
  run(chunk, context, settings) {
    const reach = FREQUENCIES.indexOf(settings.reach as string)
    const { touchesEnvironments, callsLibraryOften, direct } = survey(chunk, context.frozen)
    if (touchesEnvironments) {
      context.report.warnUnprotected('globals are not hidden: the script uses function environments')
      return { chunk }
    }
    const canBeLuau = context.target === 'any' || context.target === 'luau'
    if (canBeLuau && !settings.slowLuau && callsLibraryOften) return { chunk }
    return hide(chunk, context, reach, direct)
  },
})

/**
 * Each hidden target needs two more registers than a direct one, and all targets of a statement need them at
 * the same time. Lua 5.1 and LuaJIT have 250 registers per function.
 */
const MAX_HIDDEN_TARGETS = 16

const FREQUENCIES = ['cold', 'warm', 'hot']

/**
 * If a script contains one of these names, it may run a function in an environment other than the chunk's.
 */
const ENVIRONMENT_WORDS = new Set(['getfenv', 'setfenv', '_ENV', 'module', 'debug'])

/** Whether the environment can be read, and what that costs. */
type Survey = {
  readonly touchesEnvironments: boolean
  /**
   * Reading the environment in Luau disables fast calls to library functions in the entire script. This is
   * expensive if the script calls library functions inside loops or functions.
   */
  readonly callsLibraryOften: boolean
  /** The targets of statements that have too many of them to hide their globals. */
  readonly direct: ReadonlySet<Node>
}

function survey(chunk: Chunk, frozen: ReadonlySet<Node>): Survey {
  const runs = new RunFrequency(chunk)
  const direct = new Set<Node>()
  const found = { touchesEnvironments: false, callsLibraryOften: false, direct }
  const look = (name: string): undefined => {
    if (ENVIRONMENT_WORDS.has(name)) found.touchesEnvironments = true
  }
  rewrite(chunk, {
    ...runs.visitors,
    GlobalName: (node) => (frozen.has(node) ? undefined : look(node.name)),
    StringLiteral: (node) => look(node.value),
    MethodCall: (node) => look(node.method),
    Assign({ targets }) {
      if (targets.length > MAX_HIDDEN_TARGETS) for (const target of targets) direct.add(target)
    },
    Call(node) {
      if (runs.frequency !== 'cold' && isLibraryName(node.callee)) found.callsLibraryOften = true
    },
  })
  return found
}

function isLibraryName(callee: Expression): boolean {
  if (callee.kind === 'GlobalName') return true
  return callee.kind === 'Index' && callee.object.kind === 'GlobalName'
}

function hide(
  chunk: Chunk,
  context: PassContext,
  reach: number,
  direct: ReadonlySet<Node>,
): PassResult<'environment'> {
  const capacity = context.capacityOf(chunk)
  if (!capacity.hasLocals(chunk, 1)) return { chunk }
  const environment = context.symbols.fresh()
  const runs = new RunFrequency(chunk)
  let count = 0
  let hasDirect = false
  const replace = (node: GlobalName): Expression | undefined => {
    if (node.name === 'arg' || context.frozen.has(node) || FREQUENCIES.indexOf(runs.frequency) > reach)
      return undefined
    if (direct.has(node)) {
      hasDirect = true
      return undefined
    }
    if (!capacity.hasUpvalues(runs.function, 1)) return undefined
    count += 1
    const make = nodesAt(node.at)
    return make.index(make.use(environment), make.string(node.name))
  }
  const hidden = rewrite(chunk, { ...runs.visitors, GlobalName: replace })
  if (hasDirect) {
    context.report.warnUnprotected(
      `some globals are not hidden: a statement assigns more than ${MAX_HIDDEN_TARGETS} variables at once`,
    )
  }
  if (count === 0) return { chunk }
  context.report.counts.globals += count
  return { chunk: withPrologue(hidden, capture(environment, context, chunk.at)), state: { environment } }
}

// Lua 5.2 and later have no `getfenv`. Their environment is the `_ENV` variable.
const CAPTURE: Readonly<Record<Host, string>> = {
  any: 'local environment = getfenv and getfenv() or _ENV',
  lua51: 'local environment = getfenv()',
  luajit: 'local environment = getfenv()',
  luau: 'local environment = getfenv()',
  lua54: 'local environment = _ENV',
}

function capture(environment: SymbolId, context: PassContext, at: number) {
  const made = instantiate(CAPTURE[context.target], {}, context.symbols, at)
  return made.map((each) =>
    each.kind === 'Local' ? { ...each, bindings: [nodesAt(at).bind(environment)] } : each,
  )
}
