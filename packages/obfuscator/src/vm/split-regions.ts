/**
 * Splits the statements of a function into regions that every host can compile, because jump distances are
 * limited. A statement that is too long on its own stays native, and its blocks are split in turn.
 */

import type { Lease } from '../locks/leased-words.ts'
import type { Block, Offset, Statement } from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'
import { buildRegion } from './lower-loops.ts'
import type { Measure } from './measure.ts'
import { leasedPolicy } from './policy.ts'
import { RegionBuilder } from './region-builder.ts'

/** Lowers statements to a single region, or to several that run in sequence. */
export function lowerInRegions(
  builder: RegionBuilder,
  statements: readonly Statement[],
  at: Offset,
): readonly Statement[] {
  const { measureOf } = builder.shared
  const { policy } = builder
  const regions: (readonly Statement[])[] = []
  let group: Statement[] = []
  let weight = 0
  let size = 0
  const flush = (isFollowed: boolean) => {
    builder.ended.isFollowed = isFollowed
    if (group.length > 0) regions.push(buildRegion(builder, group, group[0]?.at ?? at, false))
    group = []
    weight = 0
    size = 0
  }
  for (const [i, each] of statements.entries()) {
    const lease = builder.shared.leaseOf(each)
    if (lease && lease.words.lock === builder.lease?.lock) continue
    if (lease) {
      flush(true)
      regions.push(lowerLeased(builder, lease, statements.slice(i + 1)))
      break
    }
    const measure = measureOf(each)
    const own = measure.weight + 1
    if (weight + own > policy.region || size + measure.size > MAX_REGION_SIZE) flush(true)
    const isLong = own > policy.region || measure.size > MAX_REGION_SIZE
    const alone = isLong
      ? ((measure.size > MAX_JUMP ? null : divided(builder, each)) ?? straight(builder, each, measure))
      : null
    if (alone) regions.push(alone)
    else {
      group.push(each)
      weight += own
      size += measure.size
    }
  }
  flush(regions.length > 0)
  if (regions.length < 2) return regions[0] ?? []
  // Each region has its own locals, and the number of locals per function is limited.
  return regions.map((each) => nodesAt(at).do(each))
}

/** Lowers the rest of a block to regions whose words are encrypted in a lock. */
export function lowerLeased(
  builder: RegionBuilder,
  { node, words }: Lease,
  rest: readonly Statement[],
): readonly Statement[] {
  const stream = node.bindings[0]?.symbol ?? builder.stream
  const inner = new RegionBuilder(builder.shared, {
    ...builder,
    stream,
    lease: words,
    policy: leasedPolicy(builder.policy),
  })
  const values = node.values.map((each) => builder.mapped(each))
  const regions = lowerInRegions(inner, rest, node.at)
  builder.ended.takeFrom(inner.ended)
  return [{ ...node, values }, ...regions]
}

/**
 * LuaJIT can jump over at most 32,767 instructions. Regions are shorter because loops and branches may
 * enclose them.
 */
const MAX_JUMP = 30_000
const MAX_REGION_SIZE = 26_000
const MAX_REGION_WEIGHT = 2500

/**
 * Handles a statement that is too long to jump over even if it is split. The statement stays native, except
 * that its variables move to registers. Returns null if the statement is shorter, or if it branches.
 */
function straight(
  builder: RegionBuilder,
  node: Statement,
  { weight, size }: Measure,
): readonly Statement[] | null {
  if (weight < MAX_REGION_WEIGHT && size <= MAX_REGION_SIZE) return null
  const inner = new RegionBuilder(builder.shared, builder)
  if (CONTROL.has(node.kind)) inner.push(weight, inner.mapped(node))
  else builder.shared.lower(inner, [node])
  if (inner.isBranched) return null
  const { instructions, end } = inner.entry
  const last = end?.kind === 'return' ? [...end.before, end.statement] : []
  return [...instructions.flatMap((each) => each.statements), ...last]
}

const CONTROL: ReadonlySet<string> = new Set(['If', 'Do', 'While', 'Repeat', 'NumericFor', 'GenericFor'])

function divided(builder: RegionBuilder, node: Statement): readonly Statement[] | null {
  const inside = (block: Block): Block => {
    const mark = builder.registers.mark
    const statements = lowerInRegions(builder, block.statements, block.at)
    builder.registers.release(mark)
    return nodesAt(block.at).block(statements)
  }
  const isPlain = (...values: readonly (Statement | { kind: string } | null)[]) =>
    values.every((value) => value === null || builder.shared.measureOf(value as never).functions === 0)
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
            condition: builder.mapped(each.condition),
            body: inside(each.body),
          })),
          otherwise: node.otherwise && inside(node.otherwise),
        },
      ]
    case 'While':
      if (!isPlain(node.condition)) return null
      return [{ ...node, condition: builder.mapped(node.condition), body: inside(node.body) }]
    case 'NumericFor':
      if (!isPlain(node.start, node.limit, node.step)) return null
      return [
        {
          ...node,
          start: builder.mapped(node.start),
          limit: builder.mapped(node.limit),
          step: node.step && builder.mapped(node.step),
          body: inside(node.body),
        },
      ]
    case 'GenericFor':
      if (!isPlain(...node.values)) return null
      return [{ ...node, values: node.values.map((each) => builder.mapped(each)), body: inside(node.body) }]
    default:
      return null
  }
}
