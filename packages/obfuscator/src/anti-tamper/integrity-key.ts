/**
 * The integrity checks that the output runs at startup. They cover checksums of the instruction stream and
 * the strings, the line numbers of the output's own code, and whether library functions are the host's
 * originals. All results are folded into one number, the integrity key, which decrypts the strings and
 * determines the layout of the stream. With a wrong key, the output cannot run, and there is no branch to
 * patch.
 */

import type { Checks, PassContext } from '../pass-context.ts'
import type { Random } from '../random.ts'
import type { Symbols } from '../semantics/symbols.ts'
import { type Holes, instantiate } from '../semantics/template.ts'
import type { Bytes, Node, Statement, SymbolId } from '../syntax/ast.ts'
import { NOWHERE } from '../syntax/line-map.ts'
import { nodesAt } from '../syntax/nodes.ts'
import { rewrite } from '../syntax/walk.ts'
import { varyGenerated } from '../vary/vary-generated.ts'
import { lookAtNatives } from './native-checks.ts'

/**
 * A polynomial checksum over words. For each word: multiply the sum by `factor`, add the word, and reduce the
 * result by `modulus`.
 */
export type StreamSum = { readonly modulus: number; readonly factor: number }

/**
 * The moduli are prime, so changing a character always changes the sum. They are less than half the range of
 * word values, so several values of a decoy word have the same sum.
 */
const STREAM_MODULI = [52_541, 55_331, 57_973, 59_621, 61_547, 63_601, 65_521]
const KEY_MODULI = [1_000_003, 1_000_033, 1_000_037, 1_000_039, 1_000_081, 1_000_099]

/** Functions that are native on every host and that no compatibility library replaces with Lua code. */
const CORE = ['setmetatable', "(' ').byte", "(' ').char", "(' ').sub"]
/**
 * This function is checked only if the output calls it anyway, because mentioning `getfenv` disables
 * optimizations in Luau.
 */
const ENVIRONMENT = 'getfenv'
/** Functions that compatibility libraries commonly replace. */
const REPLACED = ['tostring', 'pcall', "(' ').gsub", 'table and table.concat']

/** Locals that all sections of the prologue share. */
const SHARED = ['key', 'mix', 'total', 'sum', 'words', 'add']
const SHARED_BY_LINES = ['place', 'none', 'first', 'second', 'third']

/**
 * Bounds of `for` loops that raise an error on their own line, and patterns that find the line number after
 * the chunk name in the error message. `none` is a local that holds nil.
 */
const FAILING = ['none, 1', 'none, 2, 3', '1, none', '4, none, 2', '2, 3, none']
const LINES = ['^.*:(%d+): .*for', '^.*:(%d+): .+for', '.*:(%d+): .*for', '.*:(%d+): .+for']

/** Maximum number of lines by which the output may be longer than the source. */
const MAX_EXTRA_LINES = 9
/** Locals for the bytes that one call reads. */
const BYTES = ['p', 'q', 'r', 's', 't', 'u', 'v', 'w']
const GROUP = BYTES.length

type AfterStream = { readonly code: string; readonly mix: number }

type StreamTable = { readonly stream: SymbolId; readonly count: number; readonly lowest: number }

type KeyOptions = {
  /** Fraction of the integers in the prologue, from 0 to 1, whose spelling differs in every build. */
  readonly share: number
  /** Whether the output gets its environment from `getfenv`. */
  readonly usesEnvironment: boolean
}

export class IntegrityKey {
  readonly stream: StreamSum
  readonly #checks: Checks
  readonly #share: number
  readonly #random: Random
  readonly #symbols: Symbols
  readonly #frozen: Set<Node>
  readonly #natives: readonly string[]
  readonly #modulus: number
  readonly #lines: number
  readonly #weights: readonly number[]
  /** Number that is appended to every string, so that the last group of bytes needs no special case. */
  readonly #behind: number
  readonly #shared: Readonly<Record<string, SymbolId>>
  /** The values that `key` and `total` have at this point in the output's startup. */
  #key: number
  #total = 0

  constructor(
    checks: Checks,
    { symbols, source, frozen }: PassContext,
    { share, usesEnvironment }: KeyOptions,
  ) {
    const { random } = checks
    this.#share = share
    this.#checks = checks
    this.#random = random
    this.#symbols = symbols
    this.#frozen = frozen
    const natives = [...CORE, ...(usesEnvironment ? [ENVIRONMENT] : [])]
    this.#natives = { none: [], core: natives, all: [...natives, ...REPLACED] }[checks.natives] ?? []
    const modulus = random.pick(STREAM_MODULI)
    this.stream = { modulus, factor: random.int(1009, modulus - 1009) }
    this.#modulus = random.pick(KEY_MODULI)
    // A line number beyond the end of the source can't collide with a line of the author's code, and reveals
    // nothing about the source.
    this.#lines = source.lines + random.int(1, MAX_EXTRA_LINES)
    this.#weights = Array.from({ length: GROUP }, () => random.int(257, 9973))
    this.#behind = random.int(10 ** (GROUP - 2), 10 ** (GROUP - 1) - 1)
    this.#key = random.int(1009, this.#modulus - 1)
    const shared = [...SHARED, ...(checks.layout ? SHARED_BY_LINES : [])]
    this.#shared = Object.fromEntries(random.shuffle(shared).map((name) => [name, symbols.fresh()]))
  }

  /**
   * Instantiates Lua code that may use the shared locals. Later passes do not change these statements, and no
   * statement starts a new line.
   */
  instantiate(text: string, holes: Holes = {}): readonly Statement[] {
    const freeze = (node: Node): undefined => void this.#frozen.add(node)
    const made = instantiate(text, { ...this.#shared, ...holes }, this.#symbols, NOWHERE).map(nowhere)
    return varyGenerated(made, this.#random, this.#share, this.#frozen).map((each) =>
      rewrite(each, { StringLiteral: freeze }),
    )
  }

  /** Declares the shared locals, checks the library functions, and probes the current line. */
  opening(): readonly Statement[] {
    const start = `key, total, sum, words = ${this.#key}, 0, 0, {}`
    // The first line is probed before anything else, because code in front of the probe could be moved to
    // another line.
    const parts = [
      start,
      ...(this.#checks.layout ? [this.#placing(), `first = ${this.#probe()}`] : []),
      ...this.#random.shuffle([this.#adding(), this.#looking()]),
    ]
    const instantiate = nodesAt(NOWHERE)
    return [instantiate.local(Object.values(this.#shared)), ...this.instantiate(parts.join('\n'))]
  }

  /** Lua code that appends `word` to `words` and adds it to the checksum. */
  get keepWord(): string {
    const { modulus, factor } = this.stream
    return `words[count] = word sum = (sum * ${factor} + word) % ${modulus}`
  }

  /** Computes at build time what `add` computes in the output. */
  addText(text: Bytes): void {
    // The strings are not concatenated, because V8 would flatten the joined string again for every character.
    const behind = String(this.#behind)
    this.#total += text.length
    for (let at = 0; at < text.length; at += GROUP) {
      let value = this.#total * (this.#weights[0] as number)
      for (let i = 0; i < GROUP; i++) {
        const place = at + i - text.length
        const byte = place < 0 ? text.charCodeAt(at + i) : behind.charCodeAt(place)
        value += byte * (i === 0 ? 1 : (this.#weights[i] as number))
      }
      this.#total = value % this.#modulus
    }
  }

  /**
   * Generates the Lua code that folds the stream checksum and the line numbers into the key. @returns the
   * code, and `mix`, the offset of the strings' key streams.
   */
  afterStream(sum: number): AfterStream {
    const parts = [this.#fold('sum', sum), ...(this.#checks.layout ? this.#counting() : []), 'mix = key']
    return { code: parts.join('\n'), mix: this.#key }
  }

  /** Probes the line number again, after all other code on the line. */
  ending(): readonly Statement[] {
    return this.#checks.layout ? this.instantiate(`second = ${this.#probe()}`) : []
  }

  /**
   * Stores the words at their positions in the stream table, in a statement that starts on a new line.
   *
   * @param before the result of `afterStream`
   * @param words the table to fill, the number of words, and the lowest word, which is added to every word.
   */
  closing(before: AfterStream, { stream, count, lowest }: StreamTable): Statement {
    const code = `
      ${this.#distance(before, 'local at', count)}
      stream = {[0] = _VERSION ~= 'Luau'}
      for i = 1, #words do stream[i + at] = words[i] + mix ${signed(lowest - before.mix)} end`
    return this.#onLine(code, { stream })
  }

  /**
   * The counterpart of `closing` for code without an instruction stream. `offset` and `finish` are those of
   * `StringCipher.numberedCheckedLua`.
   */
  closingStrings(before: AfterStream, holes: Holes): Statement {
    return this.#onLine(`${this.#distance(before, 'offset', 0)} if finish then finish() end`, holes)
  }

  /**
   * Probes the last line and sets `target` to 0. If the output was modified, the absolute value of `target`
   * exceeds `least`.
   */
  #distance(before: AfterStream, target: string, least: number): string {
    const taken = this.#fold('total', this.#total)
    const step = least + this.#random.int(1000, 9000)
    return `
      ${this.#checks.layout ? `third = ${this.#probe()}` : ''}
      ${before.code}
      ${taken}
      ${target} = key * ${step} - ${this.#key * step}`
  }

  #onLine(code: string, holes: Holes): Statement {
    const { body, ...rest } = nodesAt(NOWHERE).do(this.instantiate(code, holes))
    return { ...rest, body, lines: this.#lines }
  }

  #fold(expression: string, value: number): string {
    const factor = this.#random.int(1009, 65_521)
    this.#key = (this.#key * factor + value) % this.#modulus
    const terms = this.#random.shuffle([`key * ${factor}`, expression])
    return `key = (${terms.join(' + ')}) % ${this.#modulus}`
  }

  #adding(): string {
    const [factor, ...weights] = this.#weights
    const terms = BYTES.map((byte, i) => (i === 0 ? byte : `${byte} * ${weights[i - 1]}`))
    const sum = this.#random.shuffle([`total * ${factor}`, ...terms]).join(' + ')
    return `
      do
        local byte = (' ').byte
        add = function(text)
          local size = #text
          text = text .. ${this.#behind}
          total = total + size
          for at = 1, size, ${GROUP} do
            local ${BYTES.join(', ')} = byte(text, at, at + ${GROUP - 1})
            total = (${sum}) % ${this.#modulus}
          end
        end
      end`
  }

  /** Folds the results of the native checks into the key. */
  #looking(): string {
    if (this.#natives.length === 0) return ''
    const [plain, factor] = [this.#random.int(1009, 99_991), this.#random.int(1009, 65_521)]
    for (const _ of this.#natives) this.#key = (this.#key * factor + plain) % this.#modulus
    return lookAtNatives(this.#natives, { random: this.#random, plain, factor, modulus: this.#modulus })
  }

  /**
   * Hosts prefix error messages with the chunk name and the line. The last number is the line, regardless
   * of what the chunk name contains.
   */
  #placing(): string {
    const moved = `line + ${this.#random.int(1009, 99_991)}`
    return `
      do
        local guard, match, number = pcall, (' ').match, tonumber
        place = function(probe)
          if not guard then return nil end
          local _, text = guard(probe)
          local isText, digits = guard(match, text, '${this.#random.pick(LINES)}')
          local isNumber, line = guard(number, isText and digits)
          ${this.#random.pick([`if isNumber and line then return ${moved} end`, `return isNumber and line and ${moved}`])}
        end
      end`
  }

  #probe(): string {
    return `place(function() for _ = ${this.#random.pick(FAILING)} do end end)`
  }

  /**
   * On hosts that report no line numbers, the check counts as passed. An unmodified output must always run.
   */
  #counting(): string[] {
    return [
      this.#fold('(first and second and second - first or 0)', 0),
      this.#fold(`(second and third and third - second or ${this.#lines})`, this.#lines),
    ]
  }
}

function signed(value: number): string {
  return value < 0 ? `- ${-value}` : `+ ${value}`
}

/** Copies a syntax tree and removes the source position of every node. */
function nowhere<T>(tree: T): T {
  if (Array.isArray(tree)) return tree.map(nowhere) as T
  if (typeof tree !== 'object' || tree === null) return tree
  const moved = Object.entries(tree).map(([key, value]) => [key, key === 'at' ? NOWHERE : nowhere(value)])
  return Object.fromEntries(moved) as T
}
