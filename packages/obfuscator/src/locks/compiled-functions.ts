/**
 * Locked functions whose body is bytecode in a lock. Generates the expressions that create these functions,
 * and the Lua code of the machine that runs them.
 */

import type { PassContext } from '../pass-context.ts'
import type { Random } from '../random.ts'
import { MARK_NATIVE } from '../semantics/function-marks.ts'
import type { Symbols } from '../semantics/symbols.ts'
import { instantiate } from '../semantics/template.ts'
import type {
  Expression,
  FunctionExpression,
  Node,
  Offset,
  Statement,
  SymbolId,
  Target,
} from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'
import { rewrite } from '../syntax/walk.ts'
import type { Variables } from '../vm/variables.ts'
import type { Bytecode } from './bytecode.ts'
import { compileFunction } from './compile-function.ts'
import { freeVariables, type Place, type VariableKey } from './function-frame.ts'
import { Machine } from './machine.ts'

/**
 * The bytecode to store in a lock, and `create`, which builds the expression that creates the function at run
 * time. `create` takes the number of the lock and the offset of the bytecode in the lock.
 */
export type CompiledFunction = Bytecode & { create(lock: Expression, place: Expression): Expression }

export class CompiledFunctions {
  readonly #context: PassContext
  readonly #machine: Machine
  /** The local that holds `machine`, the runtime function that creates a function from bytecode. */
  readonly #symbol: SymbolId
  #isUsed = false

  constructor(context: PassContext) {
    this.#context = context
    this.#machine = new Machine(context.target, context.random)
    this.#symbol = context.symbols.fresh()
  }

  get isUsed(): boolean {
    return this.#isUsed
  }

  /**
   * Compiles a function. A variable of an enclosing function is passed by value if it never changes.
   * Otherwise, two functions that read and write the variable are passed. Globals are also passed as two
   * functions each. The order of these arguments does not depend on the code.
   *
   * @param around the variables of the chunk.
   */
  compile(node: FunctionExpression, around: Variables, random: Random): CompiledFunction {
    this.#isUsed = true
    const make = nodesAt(node.at)
    const free = random.shuffle([...freeVariables(node)].toSorted((a, b) => (`${a}` < `${b}` ? -1 : 1)))
    const isShared = (key: VariableKey) => typeof key === 'string' || around.get(key)?.isAssigned === true
    const shared = free.filter(isShared)
    const values = free.filter((key): key is SymbolId => !isShared(key))
    const upvalues = new Map<VariableKey, Place>()
    for (const key of shared) upvalues.set(key, { index: upvalues.size + 1, isUpvalue: true, isCell: true })
    for (const key of values) upvalues.set(key, { index: upvalues.size + 1, isUpvalue: true, isCell: false })
    const accessors = make.table(
      shared.flatMap((key) => accessorsOf(targetOf(key, node.at), this.#context.symbols)),
    )
    return {
      ...compileFunction(node, upvalues, { machine: this.#machine, random }),
      create: (lock, place) =>
        make.call(
          make.use(this.#symbol),
          lock,
          place,
          accessors,
          ...values.map((symbol) => make.use(symbol)),
        ),
    }
  }

  /**
   * Declares the machine; returns no statements if no function needs it.
   * @param open the function that decrypts locks.
   */
  prologue(open: SymbolId, at: Offset): readonly Statement[] {
    if (!this.#isUsed) return []
    const { symbols, target, frozen } = this.#context
    const dialect = target === 'lua54' ? 'lua54' : 'any'
    const machine = instantiate(this.#machine.lua, { open, machine: this.#symbol }, symbols, at, dialect)
    // Encoding the literals in the machine would slow down every instruction.
    const freeze = (node: Node): undefined => void frozen.add(node)
    for (const each of machine) rewrite(each, { StringLiteral: freeze, NumberLiteral: freeze })
    return [nodesAt(at).local([this.#symbol]), ...machine]
  }
}

function targetOf(key: VariableKey, at: Offset): Target {
  return typeof key === 'number' ? nodesAt(at).use(key) : { kind: 'GlobalName', at, name: key }
}

/**
 * Builds the two functions that read and write a variable. Their parameters are those of `__index` and
 * `__newindex`.
 */
function accessorsOf(target: Target, symbols: Symbols): readonly Expression[] {
  const make = nodesAt(target.at)
  const [table, key, value] = [symbols.fresh(), symbols.fresh(), symbols.fresh()]
  const read = make.function(make.block([make.return(target)]))
  const write = make.function(make.block([make.assign(target, make.use(value))]))
  const parameters = [table, key, value].map((each) => make.bind(each))
  return [
    { ...read, attributes: [MARK_NATIVE] },
    { ...write, attributes: [MARK_NATIVE], parameters },
  ]
}
