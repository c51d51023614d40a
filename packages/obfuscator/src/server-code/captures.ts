/**
 * Checks a function that moves to the server. Collects the constants and functions that it uses from
 * enclosing scopes, because they are copied to the server as well.
 */

import { macroOf } from '../macros/macro-names.ts'
import type { PassContext } from '../pass-context.ts'
import type {
  Binary,
  Call,
  CompoundAssign,
  Expression,
  FunctionExpression,
  GlobalName,
  Index,
  LocalName,
  Node,
  SymbolId,
  Target,
  Unary,
} from '../syntax/ast.ts'
import { rewrite } from '../syntax/walk.ts'
import { changedBy, type Declaration, rootOf, type ScriptUses } from './script-uses.ts'
import { cureOf, hasMember, isOnServer, isPure, SERVER_WARD } from './server-library.ts'

const BITWISE: ReadonlySet<string> = new Set(['&', '|', '~', '<<', '>>'])
const UNFIT = 'is not a constant'
/**
 * Maximum number of captured variables. Limits recursion, because checking a function includes checking the
 * functions that it uses.
 */
const MAX_CAPTURED = 500
const TOO_MANY = `is one of more than ${MAX_CAPTURED} variables that the function uses`

export class Captures {
  /** The variables to copy to the server together with the function, with their values. */
  readonly values = new Map<SymbolId, Expression>()
  usesWard = false
  readonly #context: PassContext
  readonly #uses: ScriptUses
  readonly #own = new Set<SymbolId>()
  readonly #refused = new Set<SymbolId>()
  readonly #settled = new Set<Node>()

  constructor(context: PassContext, uses: ScriptUses) {
    this.#context = context
    this.#uses = uses
  }

  /** Collects what the function uses, and reports everything that is not available on the server. */
  takeMain(func: FunctionExpression): void {
    const parameters = new Set(func.parameters.map(({ symbol }) => symbol))
    this.#refuseChanges(func, parameters)
    this.#refuseReturnedFunctions(func)
    this.#take(func)
  }

  #take(func: FunctionExpression): void {
    const { diagnostics } = this.#context
    const refuseBitwise = ({ operator, at }: Binary | CompoundAssign | Unary): undefined => {
      if (BITWISE.has(operator)) diagnostics.report(at, 'serverOperator', operator)
    }
    rewrite(func, {
      Binding: (node) => void this.#own.add(node.symbol),
      LocalName: (node) => this.#local(node),
      GlobalName: (node) => this.#global(node),
      NumberLiteral: (node) => {
        if (this.#context.varied.has(node)) diagnostics.report(node.at, 'varyOnServer')
      },
      Index: { enter: (node) => this.#index(node) },
      Assign: { enter: ({ targets }) => targets.forEach((each) => void this.#target(each)) },
      CompoundAssign: {
        enter: (node) => {
          refuseBitwise(node)
          return this.#target(node.target)
        },
      },
      Binary: refuseBitwise,
      Unary: refuseBitwise,
      Call: {
        enter: (node) => {
          if (macroOf(node.callee) !== 'server') return undefined
          diagnostics.report(node.at, 'serverNested')
          return false
        },
      },
    })
  }

  #local(node: LocalName): undefined {
    const { symbol, at } = node
    if (this.#settled.has(node) || this.#own.has(symbol) || this.#refused.has(symbol)) return
    if (symbol === this.#context.ward) this.#context.diagnostics.report(at, 'serverWardValue')
    else if (!this.values.has(symbol)) this.#capture(symbol, at)
  }

  #capture(symbol: SymbolId, at: number): void {
    const declared = this.#uses.declarations.get(symbol)
    const value = declared && this.#movable(declared.value)
    const reason = declared ? this.#reasonAgainst(symbol, declared) : UNFIT
    const isFull = this.values.size === MAX_CAPTURED
    if (value && reason === null && !isFull) {
      // The entry is added before the check, because a function can call itself.
      this.values.set(symbol, value)
      if (this.#isConstant(value)) return
      this.values.delete(symbol)
    }
    this.#refuse(symbol, at, reason ?? (isFull ? TOO_MANY : UNFIT))
  }

  #refuse(symbol: SymbolId, at: number, reason: string): void {
    const { diagnostics } = this.#context
    this.#refused.add(symbol)
    const { name, at: declaredAt } = this.#uses.declarations.get(symbol) ?? { name: '', at }
    diagnostics.report(at, 'serverCapture', name, diagnostics.placeOf(declaredAt), reason)
  }

  /** Unwraps a server function, so that its copy is called directly on the server. */
  #movable(value: Expression | null): Expression | null {
    if (value?.kind !== 'Call' || macroOf(value.callee) !== 'server') return value
    return value.args[0] ?? null
  }

  #reasonAgainst(symbol: SymbolId, { value }: Declaration): string | null {
    const { assigned, changed, shared } = this.#uses
    const placeOf = (at: number) => this.#context.diagnostics.placeOf(at)
    const assignedAt = assigned.get(symbol)
    if (assignedAt !== undefined) return `is assigned at ${placeOf(assignedAt)}`
    if (value === null) return 'has another value in each call'
    if (value.kind !== 'Table') return null
    const changedAt = changed.get(symbol)
    if (changedAt !== undefined) return `is changed at ${placeOf(changedAt)}`
    const sharedAt = shared.get(symbol)
    return sharedAt === undefined ? null : `could be changed through its use at ${placeOf(sharedAt)}`
  }

  #isConstant(node: Expression): boolean {
    const all = (...parts: readonly Expression[]) => parts.every((part) => this.#isConstant(part))
    switch (node.kind) {
      case 'NilLiteral':
      case 'BooleanLiteral':
      case 'Int64Literal':
      case 'ImaginaryLiteral':
      case 'StringLiteral':
        return true
      case 'NumberLiteral':
        // A varied number differs between the copies of the script, so the server doesn't have it.
        return !this.#context.varied.has(node)
      case 'InterpolatedString':
        return all(...node.values)
      case 'Unary':
        return all(node.operand)
      case 'Binary':
      case 'Logical':
        return all(node.left, node.right)
      case 'IfExpression':
        return all(node.condition, node.consequent, node.otherwise)
      case 'Paren':
        return all(node.inner)
      case 'Table':
        return node.items.every(
          (item) => (item.kind === 'PositionalItem' ? true : all(item.key)) && all(item.value),
        )
      case 'FunctionExpression':
        this.#take(node)
        return true
      case 'LocalName':
        this.#local(node)
        return true
      case 'GlobalName':
        return isOnServer(node.name) && !this.#uses.globals.has(node.name)
      case 'Index':
        if (node.object.kind === 'GlobalName') return this.#isLibrary(node)
        return all(node.object, node.key)
      case 'Call':
        return this.#isPureCall(node) && all(...node.args)
      default:
        return false
    }
  }

  #isLibrary({ object, key }: Index): boolean {
    if (object.kind !== 'GlobalName' || key.kind !== 'StringLiteral') return false
    return isOnServer(object.name) && hasMember(object.name, key.value)
  }

  #isPureCall({ callee: called }: Call): boolean {
    const callee = this.#aliased(called)
    if (callee.kind === 'GlobalName') return callee.name === 'tostring' || callee.name === 'tonumber'
    if (callee.kind !== 'Index' || callee.object.kind !== 'GlobalName') return false
    return callee.key.kind === 'StringLiteral' && isPure(callee.object.name, callee.key.value)
  }

  /** Returns the library function that a variable such as `local rep = string.rep` refers to. */
  #aliased(callee: Expression): Expression {
    if (callee.kind !== 'LocalName' || this.#uses.assigned.has(callee.symbol)) return callee
    this.#local(callee)
    return this.#uses.declarations.get(callee.symbol)?.value ?? callee
  }

  #global({ name, at }: GlobalName): undefined {
    const isOwn = this.#uses.globals.has(name)
    if (isOwn || !isOnServer(name)) this.#context.diagnostics.report(at, 'serverGlobal', name, cureOf(name))
  }

  #index({ object, key, at }: Index): void {
    const { diagnostics, ward } = this.#context
    const member = key.kind === 'StringLiteral' ? key.value : null
    if (object.kind === 'GlobalName' && member !== null && !hasMember(object.name, member)) {
      diagnostics.report(at, 'serverMember', `${object.name}.${member}`)
    }
    if (object.kind !== 'LocalName' || object.symbol !== ward) return
    this.usesWard = true
    this.#settled.add(object)
    if (member === null) diagnostics.report(at, 'serverWardValue')
    else if (!SERVER_WARD.has(member)) diagnostics.report(at, 'serverWardField', member)
  }

  #target(target: Target): void {
    const { diagnostics, ward } = this.#context
    if (target.kind === 'GlobalName') diagnostics.report(target.at, 'serverState', target.name)
    const root = target.kind === 'Index' ? rootOf(target) : null
    if (root !== null && root === ward) diagnostics.report(target.at, 'serverState', 'ward')
  }

  /**
   * Rejects changes to an argument. The server works on a copy of it, so the changes would not reach the
   * caller.
   */
  #refuseChanges(func: FunctionExpression, parameters: ReadonlySet<SymbolId>): void {
    const refuse = (node: Expression | undefined): void => {
      const root = node ? rootOf(node) : null
      if (!node || root === null || !parameters.has(root)) return
      const name = func.parameters.find(({ symbol }) => symbol === root)?.name ?? ''
      this.#context.diagnostics.report(node.at, 'serverParameter', name)
    }
    const target = (node: Target): void => (node.kind === 'Index' ? refuse(node) : undefined)
    rewrite(func, {
      Assign: { enter: ({ targets }) => targets.forEach(target) },
      CompoundAssign: { enter: (node) => target(node.target) },
      Call: { enter: (node) => refuse(changedBy(node)) },
    })
  }

  #refuseReturnedFunctions(func: FunctionExpression): void {
    rewrite(func.body, {
      FunctionExpression: { enter: () => false },
      Return: {
        enter: ({ values }) => {
          const found = values.find(({ kind }) => kind === 'FunctionExpression')
          if (found) this.#context.diagnostics.report(found.at, 'serverReturnsFunction')
        },
      },
    })
  }
}
