/**
 * Replaces `WARD_SERVER(function … end)` and `WARD_SERVER({ … })` with calls by number. The function or table
 * moves to the server, together with the constants and functions that nothing else uses.
 */

import { macroOf } from '../macros/macro-names.ts'
import type { PassContext } from '../pass-context.ts'
import type { Bytes, Call, Chunk, Expression, FunctionExpression, SymbolId } from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'
import { rewrite } from '../syntax/walk.ts'
import { Captures } from './captures.ts'
import { chooseFunctions } from './choose-functions.ts'
import { dropUnused } from './drop-unused.ts'
import { printServerFunction } from './print-function.ts'
import { ScriptUses } from './script-uses.ts'
import { MAX_ALL_FUNCTIONS_BYTES, MAX_SERVER_CODE, type ServerCode } from './server-code.ts'
import { type Suggestion, suggestFunctions } from './suggestions.ts'
import { readEntries } from './table-entries.ts'
import { refuseTableUses } from './table-uses.ts'

export type Moved = {
  readonly chunk: Chunk
  readonly serverCode: readonly ServerCode[]
  readonly suggestions: readonly Suggestion[]
}

const MAX_CACHE_SECONDS = 86_400

export function moveToServer(unmarked: Chunk, context: PassContext): Moved {
  const chunk = chooseFunctions(unmarked, context)
  const { left, serverCode } = move(chunk, context)
  return { chunk: left, serverCode, suggestions: suggestFunctions(chunk, left, context) }
}

/** The rest of the script, and the code that moved to the server. */
type Parted = { readonly left: Chunk; readonly serverCode: readonly ServerCode[] }

function move(chunk: Chunk, context: PassContext): Parted {
  const uses = isMarked(context) ? new ScriptUses(chunk) : null
  if (uses === null || uses.calls.length === 0) return { left: chunk, serverCode: [] }
  if (context.serverCode !== 'move') return { left: withoutMacro(chunk), serverCode: [] }
  return new Move(chunk, context, uses).run()
}

function isMarked({ source, serverNames }: PassContext): boolean {
  return serverNames.length > 0 || source.mentions('WARD_SERVER')
}

function withoutMacro(chunk: Chunk): Chunk {
  return rewrite(chunk, {
    Call: ({ callee, args }) => (macroOf(callee) === 'server' ? args[0] : undefined),
  })
}

class Move {
  readonly #chunk: Chunk
  readonly #context: PassContext
  readonly #uses: ScriptUses
  readonly #moved: ServerCode[] = []
  readonly #replaced = new Map<Call, Expression>()
  readonly #captured = new Set<SymbolId>()
  #bytes = 0

  constructor(chunk: Chunk, context: PassContext, uses: ScriptUses) {
    this.#chunk = chunk
    this.#context = context
    this.#uses = uses
  }

  run(): Parted {
    const { diagnostics } = this.#context
    for (const call of this.#uses.calls) this.#take(call)
    if (!diagnostics.isEmpty) return { left: this.#chunk, serverCode: [] }
    const replaced = rewrite(this.#chunk, { Call: { enter: (node) => this.#replaced.get(node) } })
    const { chunk, kept } = dropUnused(replaced, this.#captured)
    this.#warnOfKept(kept)
    return { left: chunk, serverCode: this.#moved }
  }

  #take(call: Call): void {
    const { diagnostics, ward } = this.#context
    const { callee, args } = call
    if (callee.kind !== 'GlobalName') return
    const { name, at } = callee
    const [code] = args
    if ((code?.kind !== 'FunctionExpression' && code?.kind !== 'Table') || args.length > 2)
      diagnostics.report(at, 'serverArguments', name)
    else if (ward === null) diagnostics.report(at, 'serverNeedsService', name)
    else if (this.#moved.length === MAX_SERVER_CODE) diagnostics.report(at, 'serverTooMany', MAX_SERVER_CODE)
    else this.#move(call, code, ward)
  }

  #move(
    call: Call,
    code: Extract<Expression, { kind: 'FunctionExpression' | 'Table' }>,
    ward: SymbolId,
  ): void {
    const { diagnostics } = this.#context
    const name = this.#uses.names.get(call) ?? null
    const named = { name: name === null ? null : printable(name), place: diagnostics.placeOf(call.at) }
    if (code.kind === 'Table') {
      refuseTableUses(this.#chunk, this.#uses, call, this.#context)
      this.#moved.push({ kind: 'table', ...named, entries: readEntries(code, diagnostics) })
    } else this.#moved.push({ kind: 'function', ...named, ...this.#printed(code) })
    const make = nodesAt(call.at)
    const member = code.kind === 'Table' ? 'server_table' : 'server'
    const stub = make.index(make.use(ward), make.string(member))
    this.#replaced.set(call, make.call(stub, make.number(this.#moved.length), ...this.#cache(call.args[1])))
  }

  #printed(func: FunctionExpression): { readonly source: string; readonly lines: readonly string[] } {
    const captures = new Captures(this.#context, this.#uses)
    captures.takeMain(func)
    if (!this.#context.diagnostics.isEmpty) return { source: '', lines: [] }
    for (const symbol of captures.values.keys()) this.#captured.add(symbol)
    const script = { chunk: this.#chunk, context: this.#context, uses: this.#uses }
    const printed = printServerFunction(func, captures, script)
    this.#bytes += printed.source.length
    if (this.#bytes > MAX_ALL_FUNCTIONS_BYTES)
      this.#context.diagnostics.report(func.at, 'serverAllTooLarge', MAX_ALL_FUNCTIONS_BYTES)
    return printed
  }

  /**
   * Returns the cache argument of the call: a number of seconds, or `true`. Empty if results are not cached.
   */
  #cache(options: Expression | undefined): readonly Expression[] {
    if (!options) return []
    const { diagnostics } = this.#context
    const [item] = options.kind === 'Table' && options.items.length === 1 ? options.items : []
    const isCache =
      item?.kind === 'KeyedItem' && item.key.kind === 'StringLiteral' && item.key.value === 'cache'
    const value = isCache ? item.value : null
    if (value?.kind === 'StringLiteral' && value.value === 'run') return [nodesAt(value.at).boolean(true)]
    const seconds = value?.kind === 'NumberLiteral' ? value.value : 0
    if (value && seconds >= 1 && seconds <= MAX_CACHE_SECONDS) return [value]
    diagnostics.report(options.at, 'serverOptions', MAX_CACHE_SECONDS)
    return []
  }

  #warnOfKept(kept: ReadonlySet<SymbolId>): void {
    for (const symbol of kept) {
      const { name = '', at = 0, value } = this.#uses.declarations.get(symbol) ?? {}
      if (!value || !/^(Table|FunctionExpression|StringLiteral|NumberLiteral)$/.test(value.kind)) continue
      const place = this.#context.diagnostics.placeOf(at)
      this.#context.report.warn(
        `${place}: '${printable(name)}' is copied to the server, but the script uses it too, so it also stays in the script`,
      )
    }
  }
}

function printable(name: Bytes): string {
  return name.replace(/[^\x20-\x7e]/g, '?').slice(0, 40)
}
