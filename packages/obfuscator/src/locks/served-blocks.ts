/**
 * Blocks whose constants and control flow are encrypted with key streams that only the server has, and the
 * Lua function that decrypts them. `lock-values.ts` selects the blocks, and `lock-keystream.ts` defines the
 * key streams. Later, `virtualize` adds the instruction words of the blocks, and the plaintexts are encrypted
 * again.
 */

import {
  CHECK_BYTES,
  FIRST_LETTER,
  HEAD_BYTES,
  type SealedText,
  type Service,
  sealLock,
} from '../lock-keystream.ts'
import type { PassContext } from '../pass-context.ts'
import { createRandom, type Random } from '../random.ts'
import { instantiate } from '../semantics/template.ts'
import type {
  Block,
  Chunk,
  Expression,
  FunctionExpression,
  Node,
  NumberLiteral,
  Offset,
  Statement,
  StringLiteral,
  SymbolId,
} from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'
import { rewrite } from '../syntax/walk.ts'
import type { Variables } from '../vm/variables.ts'
import { uncovered } from './compile-function.ts'
import { CompiledFunctions } from './compiled-functions.ts'
import { type Lease, LeasedWords } from './leased-words.ts'
import { type Lifted, liftConstants } from './lift-constants.ts'
import { BLOCK_HEAD, LockText, NUMBER_BYTES, WORD_OFFSET } from './lock-text.ts'
import type { LockedBlocks } from './locked-blocks.ts'

/**
 * The lock for cold code that can't wait for a key. Its key is sent together with the grant. All other locks
 * are numbered from 1: one lock for each WARD_ENCFUNC function, and one for the cold code of every other
 * function.
 */
const COLD_LOCK = 0

/**
 * Each lock costs the server 20 µs per run, and costs the script one heartbeat when the script fetches the
 * key. The server issues this many keys in about a minute.
 */
const MAX_AUTOMATIC_LOCKS = 64

const MAX_SEED = 2 ** 31

/** LuaJIT allows 65,536 constants per function, and the table indexes count toward that limit. */
const MAX_VALUES = 20_000

/** The nodes of the output that belong to one lock: the size of its key stream, and its ciphertext. */
type SealedLock = { readonly size: NumberLiteral; readonly text: StringLiteral }

export class ServedBlocks {
  readonly #context: PassContext
  readonly #service: Service
  readonly #compared: LockedBlocks
  readonly #open: SymbolId
  readonly #compiled: CompiledFunctions
  readonly #locks: LockText[]
  readonly #leases = new Map<SymbolId, LeasedWords>()
  readonly #lockOf = new Map<Node, number>()
  readonly #automatic = new Set<number>()
  #sealed: readonly SealedLock[] = []
  #values = 0

  constructor(context: PassContext, service: Service, compared: LockedBlocks) {
    this.#context = context
    this.#service = service
    this.#compared = compared
    this.#open = context.symbols.fresh()
    this.#compiled = new CompiledFunctions(context)
    this.#locks = [new LockText(context.random)]
  }

  /**
   * @param owner the function that contains the block; null if that function can't wait for a key.
   * @param roomy functions with room for another local.
   */
  serveCold(block: Block, owner: Node | null, roomy: ReadonlySet<Node>): Block {
    if (this.#values >= MAX_VALUES) return block
    return this.#serve(block, owner === null ? COLD_LOCK : this.#automaticLock(owner), roomy)
  }

  /**
   * Encrypts a function with its own lock.
   *
   * @param around the variables of the chunk.
   */
  serveFunction(node: FunctionExpression, roomy: ReadonlySet<Node>, around: Variables): Expression {
    const { report, diagnostics } = this.#context
    report.counts.served += 1
    const lock = this.#newLock()
    const found = uncovered(node, this.#context)
    if (found !== null) {
      report.warnUnprotected(
        `${diagnostics.placeOf(node.at)}: this WARD_ENCFUNC hides its strings and numbers, but not its statements, because of ${found}`,
      )
      return { ...node, body: this.#serve(node.body, lock, roomy) }
    }
    return this.#compile(rewrite(node, this.#compared.inPlace), lock, around)
  }

  #compile(node: FunctionExpression, lock: number, around: Variables): Expression {
    const { words, constants, create } = this.#compiled.compile(node, around, this.#own())
    const leased = new LeasedWords(lock)
    leased.reserve(words)
    const place = this.#locks[lock]?.add(constants, leased) ?? 0
    this.#countLocked(constants)
    return create(this.#number(lock), this.#number(place))
  }

  /**
   * Creates the random number generator for a lock's contents. The generator is separate, because the locked
   * code determines how many random values it needs, and this must not influence the rest of the output.
   */
  #own(): Random {
    return createRandom(this.#context.random.int(0, MAX_SEED), 'lock')
  }

  #newLock(): number {
    return this.#locks.push(new LockText(this.#own())) - 1
  }

  /**
   * Returns the lock of a function. If the maximum number of locks has been reached, the function shares the
   * lock with the least content.
   */
  #automaticLock(owner: Node): number {
    const known = this.#lockOf.get(owner)
    if (known !== undefined) return known
    const lock = this.#automatic.size < MAX_AUTOMATIC_LOCKS ? this.#newLock() : this.#smallestLock()
    this.#automatic.add(lock)
    this.#lockOf.set(owner, lock)
    return lock
  }

  #smallestLock(): number {
    return [...this.#automatic].reduce((a, b) => (this.#sizeOf(b) < this.#sizeOf(a) ? b : a))
  }

  #sizeOf(lock: number): number {
    return this.#locks[lock]?.size ?? 0
  }

  countIn(block: Block): number {
    let count = 0
    rewrite(block, {
      LocalName: ({ symbol }) => {
        if (symbol === this.#open) count += 1
      },
    })
    return count
  }

  /**
   * Returns the lease if the statement declares the local for the instruction stream of a locked block;
   * otherwise null.
   */
  leaseOf(node: Statement): Lease | null {
    if (node.kind !== 'Local') return null
    const words = this.#leases.get(node.bindings[0]?.symbol as SymbolId)
    return words ? { node, words } : null
  }

  #serve(block: Block, lock: number, roomy: ReadonlySet<Node>): Block {
    const { symbols } = this.#context
    const slots = symbols.fresh()
    const words = new LeasedWords(lock)
    const inner = rewrite(block, {
      ...this.#compared.inPlace,
      FunctionExpression: (node, original) =>
        roomy.has(original) ? this.#leased(node, slots, words) : undefined,
    })
    const lifted = liftConstants(inner, { context: this.#context, slots, takesAll: true })
    const place = this.#locks[lock]?.add(lifted.values, words) ?? 0
    this.#countLocked(lifted.values)
    this.#values += lifted.values.length
    const make = nodesAt(block.at)
    const opened = make.call(make.use(this.#open), this.#number(lock), this.#number(place))
    const lease = this.#lease(slots, words, block.at)
    return make.block([make.local([slots], [opened]), lease, ...lifted.block.statements])
  }

  #countLocked(values: readonly Lifted[]): void {
    const { counts } = this.#context.report
    const { size } = new Set(values)
    counts.strings += size
    counts.locked += size
  }

  /** Adds a local to the function, for the instruction stream of the enclosing locked block. */
  #leased(node: FunctionExpression, slots: SymbolId, words: LeasedWords): FunctionExpression {
    const [first] = node.body.statements
    if (!first || this.leaseOf(first)) return node
    const statements = [this.#lease(slots, words, node.at), ...node.body.statements]
    return { ...node, body: { ...node.body, statements } }
  }

  #lease(slots: SymbolId, words: LeasedWords, at: Offset): Statement {
    const make = nodesAt(at)
    const stream = this.#context.symbols.fresh()
    this.#leases.set(stream, words)
    return make.local([stream], [make.index(make.use(slots), this.#number(0))])
  }

  #number(value: number): NumberLiteral {
    const node: NumberLiteral = nodesAt(0).number(value)
    this.#context.frozen.add(node)
    return node
  }

  /** The ciphertexts of the locks, in lock order; empty if there are no locked blocks. */
  get texts(): readonly SealedText[] {
    return this.#sealed.map(({ text }, lock) => ({
      text: text.value,
      isAutomatic: this.#automatic.has(lock),
    }))
  }

  /** Declares the function that decrypts locks; returns no statements if there are no locked blocks. */
  prologue(at: Offset): readonly Statement[] {
    if (this.#leases.size === 0 && !this.#compiled.isUsed) return []
    const make = nodesAt(at)
    this.#sealed = this.#seal()
    const holes = {
      open: this.#open,
      channel: this.#service.channel,
      locks: make.table(this.#sealed.map(({ size, text }) => make.table([size, text]))),
    }
    return [
      make.local([this.#open]),
      ...instantiate(LUA, holes, this.#context.symbols, at),
      ...this.#compiled.prologue(this.#open, at),
    ]
  }

  /**
   * Encrypts the plaintexts of the locks again, because they now include the words that `virtualize` added.
   * Replaces the ciphertexts in the chunk.
   */
  seal(chunk: Chunk): Chunk {
    const before = this.#sealed
    if (before.length === 0) return chunk
    const after = this.#seal()
    const changed = new Map<Node, Expression>()
    before.forEach(({ size, text }, i) => {
      const made = after[i] as SealedLock
      changed.set(size, made.size).set(text, made.text)
    })
    this.#sealed = after
    const replace = (node: Node): Expression | undefined => changed.get(node)
    return rewrite(chunk, { NumberLiteral: replace, StringLiteral: replace })
  }

  #seal(): readonly SealedLock[] {
    return this.#locks.map(({ bytes }, lock) => {
      const letters = new Uint8Array(2 * bytes.length)
      sealLock(bytes, this.#service.pad(lock, HEAD_BYTES + bytes.length), letters, 0)
      const text = nodesAt(0).string(Array.from(letters, (code) => String.fromCharCode(code)).join(''))
      this.#context.frozen.add(text)
      return { size: this.#number(HEAD_BYTES + bytes.length), text }
    })
  }
}

const LUA = `
  do
    local byte, char, letters, kinds = (' ').byte, (' ').char, {}, locks
    local fetch, fail, numeric, wrong = channel, error, tonumber, 'scriptward: this code runs only with a key from its server'
    for i = 0, 255 do letters[i] = char(i) end
    local function read(text, pad, place)
      local high, low = byte(text, 2 * place + 1, 2 * place + 2)
      return (high * 16 + low - ${17 * FIRST_LETTER} - byte(pad, place + ${HEAD_BYTES + 1})) % 256
    end
    local function number(text, pad, place)
      return (read(text, pad, place) * 256 + read(text, pad, place + 1)) * 256 + read(text, pad, place + 2)
    end
    local function decrypt(text, pad, place, count)
      local large, small = '', ''
      for i = place, place + count - 1 do
        small = small .. letters[read(text, pad, i)]
        if #small > 255 then large, small = large .. small, '' end
      end
      return large .. small
    end
    open = function(lock, place)
      local kind = kinds[lock + 1]
      local size, text = kind[1], kind[2]
      local pad = fetch and fetch(lock, size)
      local found = kind[place + 3]
      if found then return found end
      if not pad or #pad ~= size or number(text, pad, size - ${HEAD_BYTES + CHECK_BYTES}) + number(text, pad, size - ${HEAD_BYTES + CHECK_BYTES - NUMBER_BYTES}) > 0 then fail(wrong, 0) end
      local words, from = {}, number(text, pad, place)
      for i = 1, number(text, pad, place + ${NUMBER_BYTES}) do
        words[i] = number(text, pad, from + ${NUMBER_BYTES} * i - ${NUMBER_BYTES}) - ${WORD_OFFSET}
      end
      found = { [0] = words }
      local at = place + ${BLOCK_HEAD}
      for i = 1, number(text, pad, place + ${2 * NUMBER_BYTES}) do
        local length = number(text, pad, at + 1)
        local value = decrypt(text, pad, at + ${1 + NUMBER_BYTES}, length)
        if read(text, pad, at) > 0 then value = numeric(value) end
        found[i] = value
        at = at + ${1 + NUMBER_BYTES} + length
      end
      kind[place + 3] = found
      return found
    end
  end`
