// Divides the statements of a function into regions that every host can compile: jumps may not be too long. What is too
// long even alone stays a statement of the host whose blocks are divided in turn.

import type { Block, Offset, Statement } from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'
import { regionOf } from './lower-loops.ts'
import type { Measure } from './measure.ts'
import { Body } from './region-builder.ts'

/** Statements as one region, or as several that run one after the other. */
export function lowerRegions(body: Body, statements: readonly Statement[], at: Offset): readonly Statement[] {
  const { measureOf } = body.shared
  const { policy } = body
  const regions: (readonly Statement[])[] = []
  let group: Statement[] = []
  let weight = 0
  let size = 0
  const flush = () => {
    if (group.length > 0) regions.push(regionOf(body, group, group[0]?.at ?? at, false))
    group = []
    weight = 0
    size = 0
  }
  for (const each of statements) {
    const measure = measureOf(each)
    const own = measure.weight + 1
    if (weight + own > policy.region || size + measure.size > LONGEST_REGION) flush()
    const isLong = own > policy.region || measure.size > LONGEST_REGION
    const alone = isLong
      ? ((measure.size > LONGEST ? null : divided(body, each)) ?? straight(body, each, measure))
      : null
    if (alone) regions.push(alone)
    else {
      group.push(each)
      weight += own
      size += measure.size
    }
  }
  flush()
  if (regions.length < 2) return regions[0] ?? []
  // Each has locals of its own, of which a function may have only so many.
  return regions.map((each) => nodesAt(at).do(each))
}

/** LuaJIT jumps over 32,767 instructions at most. Regions are shorter, since loops and branches may stand around them. */
const LONGEST = 30_000
const LONGEST_REGION = 26_000
const HEAVIEST_REGION = 2500

/** What even divided is too long to be jumped over: as it is, but for the places of variables. */
function straight(body: Body, node: Statement, { weight, size }: Measure): readonly Statement[] | null {
  if (weight < HEAVIEST_REGION && size <= LONGEST_REGION) return null
  const inner = new Body(body.shared, body)
  if (CONTROL.has(node.kind)) inner.push(weight, inner.mapped(node))
  else body.shared.lower(inner, [node])
  if (inner.isBranched) return null
  const { instructions, end } = inner.entry
  const last = end?.kind === 'return' ? [...end.before, end.statement] : []
  return [...instructions.flatMap((each) => each.statements), ...last]
}

const CONTROL: ReadonlySet<string> = new Set(['If', 'Do', 'While', 'Repeat', 'NumericFor', 'GenericFor'])

function divided(body: Body, node: Statement): readonly Statement[] | null {
  const inside = (block: Block): Block => {
    const mark = body.registers.mark
    const statements = lowerRegions(body, block.statements, block.at)
    body.registers.release(mark)
    return nodesAt(block.at).block(statements)
  }
  const isPlain = (...values: readonly (Statement | { kind: string } | null)[]) =>
    values.every((value) => value === null || body.shared.measureOf(value as never).functions === 0)
  switch (node.kind) {
    case 'Do':
      return [{ ...node, body: inside(node.body) }]
    case 'If':
      if (!isPlain(...node.clauses.map((each) => each.condition))) return null
      return [
        {
          ...node,
          clauses: node.clauses.map((each) => ({
            ...each,
            condition: body.mapped(each.condition),
            body: inside(each.body),
          })),
          otherwise: node.otherwise && inside(node.otherwise),
        },
      ]
    case 'While':
      if (!isPlain(node.condition)) return null
      return [{ ...node, condition: body.mapped(node.condition), body: inside(node.body) }]
    case 'NumericFor':
      if (!isPlain(node.start, node.limit, node.step)) return null
      return [
        {
          ...node,
          start: body.mapped(node.start),
          limit: body.mapped(node.limit),
          step: node.step && body.mapped(node.step),
          body: inside(node.body),
        },
      ]
    case 'GenericFor':
      if (!isPlain(...node.values)) return null
      return [{ ...node, values: node.values.map((each) => body.mapped(each)), body: inside(node.body) }]
    default:
      return null
  }
}
