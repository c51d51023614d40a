// Reads of the string table inside loops are done once before the outermost loop of their function and kept in
// locals, which every host reads as fast as a constant. Which strings are in the table is `encrypt-strings`'.

import type { Room } from '../semantics/room.ts'
import type { Symbols } from '../semantics/symbols.ts'
import type { Chunk, Expression, FunctionExpression, Index, Statement, SymbolId } from '../syntax/ast.ts'
import { rewrite } from '../syntax/walk.ts'
import { nodesAt } from './build.ts'

/** A loop with more strings than this reads the others from the table, so that it is not slow to start. */
const MOST = 12

type LoopNode = Extract<Statement, { kind: 'While' | 'Repeat' | 'NumericFor' | 'GenericFor' }>

/** One function of the walk: its loops that are open, and what the outermost of them needs. */
type Frame = { readonly canHold: boolean; loops: number; readonly needed: Map<number, SymbolId> }

/** @param table the symbol of the string table; every `Index` of it has a number as key. */
export function hoistStrings(chunk: Chunk, table: SymbolId, symbols: Symbols, room: Room): Chunk {
  const frames: Frame[] = []
  const push = (node: FunctionExpression | Chunk): undefined => {
    frames.push({ canHold: room.hasLocals(node, MOST), loops: 0, needed: new Map() })
  }
  push(chunk)
  const top = () => frames[frames.length - 1] as Frame
  const loop = {
    enter: (_: LoopNode): undefined => {
      top().loops += 1
    },
    leave: (node: LoopNode): Statement | undefined => {
      top().loops -= 1
      return top().loops === 0 ? preceded(node, table, top().needed) : undefined
    },
  }
  return rewrite(chunk, {
    FunctionExpression: { enter: push, leave: () => void frames.pop() },
    While: loop,
    Repeat: loop,
    NumericFor: loop,
    GenericFor: loop,
    Index(node) {
      const number = numberIn(node, table)
      return number > 0 && top().loops > 0 ? keep(node, number, top(), symbols) : undefined
    },
  })
}

function numberIn({ object, key }: Index, table: SymbolId): number {
  return object.kind === 'LocalName' && object.symbol === table && key.kind === 'NumberLiteral'
    ? key.value
    : 0
}

function keep(node: Index, number: number, frame: Frame, symbols: Symbols): Expression | undefined {
  if (!frame.canHold || (frame.needed.size >= MOST && !frame.needed.has(number))) return undefined
  const symbol = frame.needed.get(number) ?? symbols.fresh()
  frame.needed.set(number, symbol)
  return nodesAt(node.at).use(symbol)
}

function preceded(node: LoopNode, table: SymbolId, needed: Map<number, SymbolId>): Statement | undefined {
  if (needed.size === 0) return undefined
  const make = nodesAt(node.at)
  const values = [...needed.keys()].map((number) => make.index(make.use(table), make.number(number)))
  const locals = make.local([...needed.values()], values)
  needed.clear()
  return make.do([locals, node])
}
