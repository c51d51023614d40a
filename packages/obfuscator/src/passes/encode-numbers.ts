/**
 * Rewrites numbers as sums with exactly the same value. In code that may run often, both terms are literals,
 * and every host folds them at compile time. In code that runs once, one term is a variable, which compilers
 * don't fold.
 */

import type { PassContext } from '../pass-context.ts'
import type { Random } from '../random.ts'
import type { Capacity } from '../semantics/capacity.ts'
import { RunFrequency } from '../semantics/run-frequency.ts'
import type { Chunk, Expression, Node, NumberLiteral } from '../syntax/ast.ts'
import { nodesAt, withPrologue } from '../syntax/nodes.ts'
import { rewrite } from '../syntax/walk.ts'
import { definePass } from './pass.ts'

export const encodeNumbers = definePass({
  name: 'encode-numbers',
  summary: 'Encodes whole numbers as sums, so that a text search does not find them.',
  settings: [
    {
      id: 'share',
      name: 'Share',
      description:
        'Share of numbers to encode, from 0 to 1. In large numeric tables, a smaller share is encoded to limit the output size.',
      type: 'share',
      default: 1,
    },
  ],
  hidesInsisted: true,
  reads: ['insisted'],
  writes: [],
  run(chunk, context, settings, { insisted }) {
    const sites = { telling: 0, all: 0 }
    const capacity = context.capacityOf(chunk, {
      NumberLiteral: (node) => {
        if (!isEncodable(node) || context.frozen.has(node)) return
        sites.all += 1
        if (node.value >= TELLING) sites.telling += 1
      },
    })
    const allowed = (context.source.size * GROWTH + FREE_BYTES) / BYTES_PER_SUM
    const share = Math.min(Number(settings.share ?? 0), allowed / Math.max(sites.telling, 1))
    const least = allowed > sites.all ? 0 : TELLING
    return { chunk: encode(chunk, context, { share, capacity, least, insisted }) }
  },
})

// Maximum growth of the output, as a fraction of the source size. The preset as a whole promises at most 1.3x
// plus 3 KB.
const GROWTH = 0.1
const FREE_BYTES = 512
const BYTES_PER_SUM = 9

/**
 * Smaller numbers reveal nothing. They are rewritten only if there is room, and only to make builds differ
 * from each other.
 */
const TELLING = 2

/** Matches integers whose sums are exact on every host, including hosts with 32-bit numbers. */
function isEncodable({ value }: NumberLiteral): boolean {
  return Number.isInteger(value) && value >= 0 && value < 1_000_000_000 && !Object.is(value, -0)
}

type Allowed = {
  readonly share: number
  readonly capacity: Capacity
  readonly least: number
  readonly insisted: ReadonlySet<Node>
}

function encode(chunk: Chunk, context: PassContext, { share, capacity, least, insisted }: Allowed): Chunk {
  const { random, report, frozen, symbols } = context
  const runs = new RunFrequency(chunk)
  const bounds = new Set<Node>()
  const base = capacity.hasLocals(chunk, 1)
    ? { symbol: symbols.fresh(), value: random.int(1000, 60_000) }
    : null
  let isBaseUsed = false
  const hidden = (node: NumberLiteral, isSlow: boolean): Expression => {
    if (!isSlow || base === null || !capacity.hasUpvalues(runs.function, 1)) return literalSum(node, random)
    isBaseUsed = true
    return offset(node, base)
  }
  const encoded = rewrite(chunk, {
    ...runs.visitors,
    // Hosts run loops faster if the bounds are literals.
    NumericFor: joined(runs.visitors.NumericFor, (node) => {
      for (const each of [node.start, node.limit, node.step]) if (each) bounds.add(each)
    }),
    NumberLiteral(node) {
      // In Lua 5.4, the sum would need integers above 2^53, and a product of two integers would wrap around.
      const isFloat54 = context.target === 'lua54' && node.value >= 2 ** 53
      if (insisted.has(node) && !frozen.has(node) && !isFloat54) {
        report.counts.numbers += 1
        return exact(node, (part) => hidden(part, true))
      }
      const isLeft = bounds.delete(node) || frozen.has(node) || node.value < least
      if (isLeft || !isEncodable(node) || !random.chance(share)) return undefined
      report.counts.numbers += 1
      return hidden(node, runs.frequency === 'cold')
    },
  })
  if (base === null || !isBaseUsed) return encoded
  const make = nodesAt(chunk.at)
  return withPrologue(encoded, [make.local([base.symbol], [make.number(base.value)])])
}

const PART = 2 ** 27

/**
 * Rewrites any number as products and a sum that evaluate to exactly the same bits: a 53-bit mantissa in two
 * parts, times a power of two.
 */
function exact(node: NumberLiteral, hide: (part: NumberLiteral) => Expression): Expression {
  const make = nodesAt(node.at)
  const { mantissa, exponent } = decompose(node.value)
  const high = make.number(Math.floor(mantissa / PART))
  const low = hide(make.number(mantissa % PART))
  const whole =
    high.value === 0 ? low : make.binary(make.binary(hide(high), '*', make.number(PART)), '+', low)
  return exponent === 0 ? whole : make.binary(whole, '*', make.number(2 ** exponent))
}

/** Decomposes a value into `mantissa * 2^exponent`. The mantissa is an integer below 2^53. */
function decompose(value: number): { readonly mantissa: number; readonly exponent: number } {
  let mantissa = value
  let exponent = 0
  for (; !Number.isInteger(mantissa); exponent -= 1) mantissa *= 2
  for (; mantissa >= 2 ** 53; exponent += 1) mantissa /= 2
  return { mantissa, exponent }
}

type LoopVisitor = RunFrequency['visitors']['NumericFor']

function joined(
  visitor: LoopVisitor,
  also: (node: Extract<Node, { kind: 'NumericFor' }>) => void,
): NonNullable<LoopVisitor> {
  if (!visitor || typeof visitor === 'function') return { enter: (node) => void also(node) }
  return {
    ...visitor,
    enter(node) {
      also(node)
      return visitor.enter?.(node)
    },
  }
}

function literalSum(node: NumberLiteral, random: Random): Expression {
  const make = nodesAt(node.at)
  const term = random.int(1, Math.min(9999, Math.max(99, node.value)))
  if (random.chance(0.5)) return make.binary(make.number(node.value + term), '-', make.number(term))
  if (node.value < 2) return make.binary(make.number(node.value + term), '-', make.number(term))
  const part = random.int(1, node.value - 1)
  return make.binary(make.number(part), '+', make.number(node.value - part))
}

function offset(node: NumberLiteral, base: { readonly symbol: number; readonly value: number }): Expression {
  const make = nodesAt(node.at)
  const difference = base.value - node.value
  if (difference >= 0) return make.binary(make.use(base.symbol), '-', make.number(difference))
  return make.binary(make.use(base.symbol), '+', make.number(-difference))
}
