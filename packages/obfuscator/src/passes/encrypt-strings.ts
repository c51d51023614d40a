/**
 * Moves the strings of the chunk to a table of ciphertexts. The table decrypts each string on first use and
 * caches it. Field names in hot code stay in the code, because hosts look up constant names much faster. See
 * `strings/string-pool.ts` for the table and `strings/string-cipher.ts` for the cipher.
 */

import { IntegrityKey } from '../anti-tamper/integrity-key.ts'
import { toFormatCall } from '../lower/interpolated-strings.ts'
import type { PassContext, SourceFacts } from '../pass-context.ts'
import { type Frequency, RunFrequency } from '../semantics/run-frequency.ts'
import { LookupHoister } from '../strings/hoist-lookups.ts'
import { StringPool } from '../strings/string-pool.ts'
import type { Chunk, Expression, Index, KeyedItem, Node, StringLiteral, SymbolId } from '../syntax/ast.ts'
import { withPrologue } from '../syntax/nodes.ts'
import { combineVisitors, rewrite, type Visitors } from '../syntax/walk.ts'
import { definePass } from './pass.ts'

export const encryptStrings = definePass({
  name: 'encrypt-strings',
  summary: 'Encrypts strings, and field names in rarely run code.',
  settings: [
    {
      id: 'fields',
      name: 'Field names',
      description:
        'Field names to encrypt, if any. cold: in the main chunk outside loops; warm: also in functions outside loops; hot: all.',
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
      context.report.warnUnprotected(
        'strings are not encrypted: the main chunk has no room for another local variable',
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
          new IntegrityKey(checks, context, {
            share,
            usesEnvironment: environment !== null && context.target !== 'lua54',
          }),
        )
      : pool.prologue(chunk.at, share)
    return { chunk: withPrologue(hidden, prologue), state: { checks: null } }
  },
})

/**
 * Matches keys that are valid names, which programs look up often. Other keys are treated like ordinary
 * strings.
 */
const NAME = /^[A-Za-z_]\w*$/

/**
 * Returns the fraction of the prologue's integers to rewrite as sums. The fraction is lower for small
 * scripts, because the sums would make them noticeably larger.
 */
function variedShare({ size }: SourceFacts): number {
  return Math.min(MAX_VARIED, MIN_VARIED + size / SIZE_OF_ALL)
}

const [MIN_VARIED, MAX_VARIED] = [0.2, 1]
/**
 * At about this source size, all integers become sums. The sums then add about a third of the source size to
 * the prologue.
 */
const SIZE_OF_ALL = 2000

const FIELD_REACH: Readonly<Record<string, number>> = { none: 0, cold: 1, warm: 2, hot: 3 }
const FREQUENCY_LEVEL = { cold: 1, warm: 2, hot: 3 } as const

/** Whether the name of a field access or table item stays unencrypted. */
type KeepsName = (node: Index | KeyedItem, frequency: Frequency) => boolean

/** Decides which names stay in the code and which strings are encrypted. */
type Rules = {
  readonly keepsName: KeepsName
  readonly isWanted: (node: StringLiteral) => boolean
  readonly insisted: ReadonlySet<Node>
}

/** Names of globals are always hidden once globals are fields of the environment. */
function fieldRule(reach: string, environment: SymbolId | null): KeepsName {
  const level = FIELD_REACH[reach] ?? 0
  return (node, frequency) => {
    const object = node.kind === 'Index' ? node.object : null
    if (object?.kind === 'LocalName' && object.symbol === environment) return false
    return FREQUENCY_LEVEL[frequency] > level
  }
}

/** Returns the replacement for a string, or undefined to keep the string. */
type Read = (node: StringLiteral) => Expression | undefined

function replacingBy(read: Read, chunk: Chunk, rules: Rules, context: PassContext): Visitors {
  const { keepsName, isWanted, insisted } = rules
  const capacity = context.capacityOf(chunk)
  const runs = new RunFrequency(chunk)
  const kept = new Set<Node>()
  const noteField = (node: Index | KeyedItem): undefined => {
    const isField = node.key.kind === 'StringLiteral' && NAME.test(node.key.value) && !insisted.has(node.key)
    if (isField && keepsName(node, runs.frequency)) kept.add(node.key)
  }
  const hasUpvalueIn = new Map<Node, boolean>()
  const hasUpvalue = (): boolean => {
    const known = hasUpvalueIn.get(runs.function) ?? capacity.hasUpvalues(runs.function, 1)
    hasUpvalueIn.set(runs.function, known)
    return known
  }
  return {
    ...runs.visitors,
    Index: { enter: noteField },
    KeyedItem: { enter: noteField },
    StringLiteral(node) {
      // The key is visited soon after its field, so deleting it here keeps the set small.
      const isKept = kept.delete(node)
      if (isKept || node.value === '' || !isWanted(node) || context.frozen.has(node)) return undefined
      return hasUpvalue() ? read(node) : undefined
    },
  }
}
