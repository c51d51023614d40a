/**
 * Blocks whose strings and integers are encrypted under pads that only the service hands out, and the
 * function of the output that decrypts them. `lock-values.ts` decides which blocks; `pads.ts` says where
 * pads come from.
 */

import { CHECK_BYTES, FIRST_LETTER, HEAD_BYTES, type Service, sealLock } from '../pads.ts'
import type { PassContext } from '../pass-context.ts'
import { instantiate } from '../semantics/template.ts'
import type { Block, Bytes, Expression, Offset, Statement, SymbolId } from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'
import { rewrite } from '../syntax/walk.ts'
import { liftConstants } from './lift-constants.ts'

/** The lock of all cold code. Functions of WARD_ENCFUNC have one each, from 1. */
const COLD_LOCK = 0

/** LuaJIT allows 65,536 constants in a function, and the main chunk holds these among others. */
const MAX_TEXTS = 20_000

/** Bytes at the start of a lock's text: the base of its integers. */
const BASE_BYTES = HEAD_BYTES

/** One block: its lock, and the offset and the lengths of its texts in the text of the lock. */
type ServedBlock = { readonly lock: number; readonly from: number; readonly lengths: readonly number[] }

export class ServedBlocks {
  readonly #context: PassContext
  readonly #service: Service
  readonly #open: SymbolId
  readonly #blocks: ServedBlock[] = []
  /** The texts of each lock, joined. */
  readonly #plains: Bytes[] = ['']
  #texts = 0

  constructor(context: PassContext, service: Service) {
    this.#context = context
    this.#service = service
    this.#open = context.symbols.fresh()
  }

  serveCold(block: Block): Block {
    return this.#texts < MAX_TEXTS ? this.#serve(block, COLD_LOCK) : block
  }

  /** Locks a function under a lock of its own. */
  serveFunction(body: Block): Block {
    const lock = this.#plains.length
    const served = this.#serve(body, lock)
    if (served === body) return body
    this.#context.report.counts.served += 1
    return served
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

  #serve(block: Block, lock: number): Block {
    const { frozen, report, symbols } = this.#context
    const slots = symbols.fresh()
    const lifted = liftConstants(block, { slots, base: baseOf(this.#service.pad(lock, BASE_BYTES)) }, frozen)
    if (!lifted) return block
    const { texts } = lifted
    const plain = this.#plains[lock] ?? ''
    this.#plains[lock] = plain + texts.join('')
    const lengths = texts.map(({ length }) => length)
    this.#blocks.push({ lock, from: BASE_BYTES + plain.length, lengths })
    report.counts.strings += texts.length
    this.#texts += texts.length
    const make = nodesAt(block.at)
    const opened = make.call(make.use(this.#open), make.number(this.#blocks.length))
    return make.block([make.local([slots], [opened]), ...lifted.block.statements])
  }

  /** The ciphertext of each lock, by its number; empty without blocks. */
  get texts(): readonly Bytes[] {
    return this.#blocks.length > 0 ? this.#plains.map((plain, lock) => this.#encrypt(plain, lock)) : []
  }

  #encrypt(texts: Bytes, lock: number): Bytes {
    const { pad } = this.#service
    const plain = new Uint8Array(BASE_BYTES + texts.length + CHECK_BYTES)
    plain.set(pad(lock, BASE_BYTES))
    for (let i = 0; i < texts.length; i++) plain[BASE_BYTES + i] = texts.charCodeAt(i)
    const letters = new Uint8Array(2 * plain.length)
    sealLock(plain, pad(lock, HEAD_BYTES + plain.length), letters, 0)
    return Array.from(letters, (code) => String.fromCharCode(code)).join('')
  }

  /** Declares the function; empty without blocks. */
  prologue(at: Offset): readonly Statement[] {
    if (this.#blocks.length === 0) return []
    const make = nodesAt(at)
    const freeze = <E extends Expression>(node: E): E => {
      this.#context.frozen.add(node)
      return node
    }
    const number = (value: number) => freeze(make.number(value))
    const blocks = this.#blocks.map(({ lock, from, lengths }) =>
      make.table([lock, from, ...lengths].map(number)),
    )
    const locks = this.texts.map((text) =>
      make.table([make.number(HEAD_BYTES + text.length / 2), freeze(make.string(text))]),
    )
    const holes = {
      open: this.#open,
      channel: this.#service.channel,
      blocks: make.table(blocks),
      locks: make.table(locks),
    }
    return [make.local([this.#open]), ...instantiate(LUA, holes, this.#context.symbols, at)]
  }
}

/** The base of integers, from the head of the build's pad. */
function baseOf(head: Uint8Array): number {
  return [0, 1, 2].reduce((sum, i) => sum * 256 + (head[i] ?? 0), 0)
}

const LUA = `
  do
    local byte, char, letters, opened, list, kinds = (' ').byte, (' ').char, {}, {}, blocks, locks
    local fetch, fail, wrong = channel, error, 'scriptward: this part runs only with a key that its service hands out'
    for i = 0, 255 do letters[i] = char(i) end
    local function decrypt(text, pad, from, count)
      local large, small = '', ''
      for i = from + 1, from + count do
        local high, low = byte(text, 2 * i - 1, 2 * i)
        small = small .. letters[(high * 16 + low - ${17 * FIRST_LETTER} - byte(pad, i + ${HEAD_BYTES})) % 256]
        if #small > 255 then large, small = large .. small, '' end
      end
      return large .. small
    end
    local function number(text)
      local sum = 0
      for i = 1, #text do sum = sum * 256 + byte(text, i) end
      return sum
    end
    open = function(number_)
      local block = list[number_]
      local kind = kinds[block[1] + 1]
      local size, text = kind[1], kind[2]
      local pad = fetch and fetch(block[1], size)
      local found = opened[number_]
      if found then return found end
      if not pad or #pad ~= size or number(decrypt(text, pad, size - ${HEAD_BYTES + CHECK_BYTES}, ${CHECK_BYTES})) > 0 then fail(wrong, 0) end
      local place = block[2]
      found = { [0] = number(decrypt(text, pad, 0, ${BASE_BYTES})) }
      for i = 3, #block do
        found[i - 2] = decrypt(text, pad, place, block[i])
        place = place + block[i]
      end
      opened[number_] = found
      return found
    end
  end`
