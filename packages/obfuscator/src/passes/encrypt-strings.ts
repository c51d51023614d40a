// Takes the strings out of the chunk into one table of ciphertexts; each is decrypted when it is first needed and kept.
// Field names that run often stay, since hosts look constant names up much faster.

import { IntegrityKey } from '../anti-tamper/integrity-key.ts'
import { toFormatCall } from '../lower/interpolated-strings.ts'
import type { PassContext, SourceFacts } from '../pass-context.ts'
import { type Degree, Heat } from '../semantics/heat.ts'
import { LookupHoister } from '../strings/hoist-lookups.ts'
import { StringPool } from '../strings/string-pool.ts'
import type { Chunk, Expression, Index, KeyedItem, Node, StringLiteral, SymbolId } from '../syntax/ast.ts'
import { withPrologue } from '../syntax/nodes.ts'
import { combineVisitors, rewrite, type Visitors } from '../syntax/walk.ts'
import { definePass } from './pass.ts'

export const encryptStrings = definePass({
  name: 'encrypt-strings',
  summary: 'Encrypts strings, and field names where the code runs seldom.',
  settings: [
    {
      id: 'fields',
      name: 'Field names',
      description:
        'Which field names are encrypted: none, those of the main chunk outside loops, those of functions too, or all.',
      type: 'choice',
      choices: ['none', 'cold', 'warm', 'hot'],
      default: 'cold',
    },
  ],
  hidesInsisted: true,
  reads: ['insisted', 'environment', 'checks'],
  writes: ['checks'],
  run(chunk, context, settings, { insisted, environment, checks }) {
    if (!context.capacityOf(chunk).hasLocals(chunk, 1)) {
      context.report.warn(
        'strings are not encrypted: the main chunk has no local variable left for their table',
      )
      return { chunk }
    }
    const isWanted = (node: StringLiteral) => settings.fields !== undefined || insisted.has(node)
    const plain = context.target === 'luau' ? rewrite(chunk, { InterpolatedString: toFormatCall }) : chunk
    const pool = new StringPool(context)
    const hoisting = new LookupHoister(plain, pool.read, context.symbols, context.capacityOf(plain))
    const keepsName = fieldRule((settings.fields as string | undefined) ?? 'none', environment)
    const read: Read = (node) => {
      const number = pool.add(node)
      return number === 0 ? undefined : hoisting.read(number, node.at)
    }
    const replacing = replacingBy(read, plain, { keepsName, isWanted, insisted }, context)
    const hidden = rewrite(plain, combineVisitors(replacing, hoisting.visitors))
    if (pool.isEmpty) return { chunk }
    pool.shuffle()
    context.report.counts.strings += pool.count
    const share = variedShare(context.source)
    const prologue = checks
      ? pool.checkedPrologue(
          new IntegrityKey(checks, context, { share, usesEnvironment: environment !== null }),
        )
      : pool.prologue(chunk.at, share)
    return { chunk: withPrologue(hidden, prologue), state: { checks: null } }
  },
})

/** What programs look up often; other keys are texts that say something. */
const NAME = /^[A-Za-z_]\w*$/

/** The share of the prologue's integers that are sums: a small script is promised to stay small, to others they add little. */
function variedShare({ size }: SourceFacts): number {
  return Math.min(MAX_VARIED, MIN_VARIED + size / SIZE_OF_ALL)
}

const [MIN_VARIED, MAX_VARIED] = [0.2, 1]
/** With sums for all, the prologue is longer by a third of this. */
const SIZE_OF_ALL = 2000

const FIELD_REACH: Readonly<Record<string, number>> = { none: 0, cold: 1, warm: 2, hot: 3 }
const HEAT_LEVEL = { cold: 1, warm: 2, hot: 3 } as const

/** Says of an access to a field, or of an item of a constructor, whether its name stays as it is. */
type KeepsName = (node: Index | KeyedItem, degree: Degree) => boolean

/** Which names stay, and which strings are taken at all. */
type Rules = {
  readonly keepsName: KeepsName
  readonly isWanted: (node: StringLiteral) => boolean
  readonly insisted: ReadonlySet<Node>
}

/** The names of globals are hidden wherever they were made fields of the environment. */
function fieldRule(reach: string, environment: SymbolId | null): KeepsName {
  const level = FIELD_REACH[reach] ?? 0
  return (node, degree) => {
    const object = node.kind === 'Index' ? node.object : null
    if (object?.kind === 'LocalName' && object.symbol === environment) return false
    return HEAT_LEVEL[degree] > level
  }
}

/** What stands in the place of a string; nothing: it stays. */
type Read = (node: StringLiteral) => Expression | undefined

function replacingBy(read: Read, chunk: Chunk, rules: Rules, context: PassContext): Visitors {
  const { keepsName, isWanted, insisted } = rules
  const capacity = context.capacityOf(chunk)
  const heat = new Heat(chunk)
  const kept = new Set<Node>()
  const noteField = (node: Index | KeyedItem): undefined => {
    const isField = node.key.kind === 'StringLiteral' && NAME.test(node.key.value) && !insisted.has(node.key)
    if (isField && keepsName(node, heat.degree)) kept.add(node.key)
  }
  const hasUpvalueIn = new Map<Node, boolean>()
  const hasUpvalue = (): boolean => {
    const known = hasUpvalueIn.get(heat.function) ?? capacity.hasUpvalues(heat.function, 1)
    hasUpvalueIn.set(heat.function, known)
    return known
  }
  return {
    ...heat.visitors,
    Index: { enter: noteField },
    KeyedItem: { enter: noteField },
    StringLiteral(node) {
      // Deleted, since a walk comes here soon after it came to the field: so the set stays small in a large script.
      const isKept = kept.delete(node)
      if (isKept || node.value === '' || !isWanted(node) || context.frozen.has(node)) return undefined
      return hasUpvalue() ? read(node) : undefined
    },
  }
}
