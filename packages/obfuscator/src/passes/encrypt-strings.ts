// Takes the strings out of the chunk into one table of ciphertexts; each is decrypted when it is first needed and kept.
// Field names that run often stay, since hosts look constant names up much faster.

import { type Degree, Heat } from '../semantics/heat.ts'
import type {
  Chunk,
  Expression,
  Index,
  KeyedItem,
  Node,
  NumberLiteral,
  Offset,
  Statement,
  StringLiteral,
  SymbolId,
} from '../syntax/ast.ts'
import { NOWHERE } from '../syntax/sites.ts'
import { rewrite, together, type Visitors } from '../syntax/walk.ts'
import { Seal } from '../vm/seal.ts'
import { nodesAt } from './build.ts'
import { Hoisting } from './hoist-strings.ts'
import { withPrologue } from './lower-luau.ts'
import type { Pass, Work, WorkFacts } from './pass.ts'
import { type Cipher, createCipher } from './string-cipher.ts'
import { instantiate } from './template.ts'
import { vary } from './vary.ts'

export const encryptStrings: Pass = {
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
  run(chunk, work, settings) {
    const room = work.facts.room(chunk)
    if (!room.hasLocals(chunk, 1)) {
      work.facts.warn('strings are not encrypted: the main chunk has no local variable left for their table')
      return chunk
    }
    const isWanted = settings.fields === undefined ? onlyInsisted(work.facts) : () => true
    const plain = work.facts.target === 'luau' ? rewrite(chunk, { InterpolatedString: formatted }) : chunk
    const vault = new Vault(work)
    const hoisting = new Hoisting(plain, vault.read, work.symbols, work.facts.room(plain))
    const keepsName = fieldRule((settings.fields as string | undefined) ?? 'none', work.facts.environment)
    const read: Read = (node) => {
      const number = vault.take(node)
      return number === 0 ? undefined : hoisting.read(number, node.at)
    }
    const replacing = replacingBy(read, plain, { keepsName, isWanted }, work.facts)
    const hidden = rewrite(plain, together(replacing, hoisting.visitors))
    if (vault.isEmpty) return chunk
    vault.shuffle()
    work.facts.counts.strings += vault.count
    const { checks } = work.facts
    work.facts.checks = null
    const prologue = checks
      ? vault.sealedPrologue(new Seal(checks, work, variedShare(work.facts)))
      : vault.prologue(chunk.at)
    return withPrologue(hidden, prologue)
  },
}

/** What programs look up often; other keys are texts that say something. */
const NAME = /^[A-Za-z_]\w*$/

/** The share of the prologue's integers that are sums: a small script is promised to stay small, to others they add little. */
function variedShare({ sourceSize }: WorkFacts): number {
  return Math.min(MOST_VARIED, LEAST_VARIED + sourceSize / SIZE_OF_ALL)
}

const [LEAST_VARIED, MOST_VARIED] = [0.2, 1]
/** With sums for all, the prologue is longer by a third of this. */
const SIZE_OF_ALL = 2000

const FIELD_REACH: Readonly<Record<string, number>> = { none: 0, cold: 1, warm: 2, hot: 3 }
const HEAT_LEVEL = { cold: 1, warm: 2, hot: 3 } as const

// LuaJIT refuses a function with 65,536 constants, and one prototype holds the ciphertexts.
const MAX_STRINGS = 60_000

/** An index that is not settled yet. */
type Movable = { -readonly [K in keyof NumberLiteral]: NumberLiteral[K] }

/** The strings that were taken out, in the order of their numbers. */
class Vault {
  readonly #numbers = new Map<string, number>()
  readonly #indexes: Movable[] = []
  /** The local that holds the table of strings. */
  readonly symbol: number
  readonly #work: Work
  #cipher: Cipher
  count = 0

  constructor(work: Work) {
    this.#work = work
    this.symbol = work.symbols.fresh()
    this.#cipher = createCipher(work.random)
  }

  get isEmpty(): boolean {
    return this.#numbers.size === 0
  }

  get isFull(): boolean {
    return this.#numbers.size >= MAX_STRINGS
  }

  /** The number of the string; 0 when it stays, since there are too many. */
  take({ value }: StringLiteral): number {
    const number = this.#numbers.get(value) ?? (this.isFull ? 0 : this.#numbers.size + 1)
    if (number === 0) return 0
    this.#numbers.set(value, number)
    this.count += 1
    return number
  }

  /** The expression that gives a string when the chunk runs, by the number of `take` until `shuffle`. */
  readonly read = (number: number, at: Offset): Expression => {
    const index: Movable = { kind: 'NumberLiteral', at, value: number }
    this.#indexes.push(index)
    const make = nodesAt(at)
    return make.index(make.use(this.symbol), index)
  }

  /** Gives the strings another order in every build, once it is known how many they are. */
  shuffle(): void {
    const places = this.#work.random.shuffle(Array.from({ length: this.#numbers.size }, (_, i) => i + 1))
    const placeOf = (number: number) => places[number - 1] as number
    for (const index of this.#indexes) index.value = placeOf(index.value)
    const moved = [...this.#numbers].map(([text, number]) => [text, placeOf(number)] as const)
    this.#numbers.clear()
    for (const [text, place] of moved.toSorted((a, b) => a[1] - b[1])) this.#numbers.set(text, place)
  }

  prologue(at: number): readonly Statement[] {
    const make = nodesAt(at)
    const texts = [...this.#numbers].map(([text, number]) =>
      make.string(this.#cipher.encrypt(text, this.#cipher.keyOf(number))),
    )
    const holes = { strings: this.symbol, ciphertexts: make.table(texts), ...this.#cipher.holes(at) }
    const { random, symbols, facts } = this.#work
    const decryption = instantiate(this.#cipher.numbered, holes, symbols, at)
    return [make.local([this.symbol]), ...vary(decryption, random, variedShare(facts), facts.sealed)]
  }

  /** The same, tied to what the output checks of itself. */
  sealedPrologue(seal: Seal): readonly Statement[] {
    const make = nodesAt(NOWHERE)
    const [offset, finish] = [this.#work.symbols.fresh(), this.#work.symbols.fresh()]
    const opening = seal.opening()
    const after = seal.afterStream(0)
    const { alphabet, numberedMixed, ...cipher } = this.#cipher
    const texts = [...this.#numbers].map(([text, number]) =>
      cipher.encrypt(text, cipher.keyOf(number) + after.mix),
    )
    for (const each of [alphabet, ...texts]) seal.add(each)
    const ciphertexts = make.table(texts.map((each) => make.string(each)))
    const holes = { offset, finish }
    const strings = seal.make(numberedMixed, {
      ...{ strings: this.symbol, ciphertexts, ...holes },
      ...cipher.holes(NOWHERE),
    })
    const closing = seal.closingStrings(after, holes)
    return [
      make.local([this.symbol]),
      make.do([make.local([offset, finish]), ...opening, ...strings, ...seal.ending(), closing]),
    ]
  }
}

/** Of a pass that is off, only what the author asked for is wanted. */
function onlyInsisted({ insisted }: WorkFacts): (node: StringLiteral) => boolean {
  return (node) => insisted.has(node)
}

/** Says of an access to a field, or of an item of a constructor, whether its name stays as it is. */
type KeepsName = (node: Index | KeyedItem, degree: Degree) => boolean

/** Which names stay, and which strings are taken at all. */
type Rules = { readonly keepsName: KeepsName; readonly isWanted: (node: StringLiteral) => boolean }

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

function replacingBy(read: Read, chunk: Chunk, rules: Rules, facts: WorkFacts): Visitors {
  const { keepsName, isWanted } = rules
  const { sealed, insisted } = facts
  const room = facts.room(chunk)
  const heat = new Heat(chunk)
  const kept = new Set<Node>()
  const noteField = (node: Index | KeyedItem): undefined => {
    const isField = node.key.kind === 'StringLiteral' && NAME.test(node.key.value) && !insisted.has(node.key)
    if (isField && keepsName(node, heat.degree)) kept.add(node.key)
  }
  const roomy = new Map<Node, boolean>()
  const hasRoom = (): boolean => {
    const known = roomy.get(heat.function) ?? room.hasUpvalues(heat.function, 1)
    roomy.set(heat.function, known)
    return known
  }
  return {
    ...heat.visitors,
    Index: { enter: noteField },
    KeyedItem: { enter: noteField },
    StringLiteral(node) {
      // Deleted, since a walk comes here soon after it came to the field: so the set stays small in a large script.
      const isKept = kept.delete(node)
      if (isKept || node.value === '' || !isWanted(node) || sealed.has(node)) return undefined
      return hasRoom() ? read(node) : undefined
    },
  }
}

/** What Luau's own compiler makes of an interpolated string. */
export function formatted(node: Extract<Expression, { kind: 'InterpolatedString' }>): Expression {
  const value = node.strings.map((text) => text.replaceAll('%', '%%')).join('%*')
  const object: StringLiteral = { kind: 'StringLiteral', at: node.at, value }
  return { kind: 'MethodCall', at: node.at, object, method: 'format', args: node.values.map(single) }
}

function single(value: Expression): Expression {
  const isMany = value.kind === 'Call' || value.kind === 'MethodCall' || value.kind === 'Vararg'
  return isMany ? { kind: 'Paren', at: value.at, inner: value } : value
}
