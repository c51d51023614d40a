/**
 * Blocks whose strings and integers are encrypted under pads that only the service hands out, and the
 * function of the output that decrypts them. `lock-values.ts` decides which blocks; `pads.ts` says where
 * pads come from.
 */

import { CHECK_BYTES, HEAD_BYTES, padSize, type Service } from '../pads.ts'
import type { PassContext } from '../pass-context.ts'
import { instantiate } from '../semantics/template.ts'
import type { Block, Bytes, Expression, Offset, Statement, SymbolId } from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'
import { rewrite } from '../syntax/walk.ts'
import { liftConstants } from './lift-constants.ts'
import {
  ALPHABET_SIZE,
  encodeBytes,
  FIRST_BYTE,
  ONE_SYMBOL_BYTES,
  printableCode,
} from './printable-encoding.ts'

/** The lock of all cold code. Functions of WARD_ENCFUNC have one each, from 1. */
const COLD_LOCK = 0

/** LuaJIT allows 65,536 constants in a function, and the main chunk holds these among others. */
const MAX_TEXTS = 20_000

/** One block: its lock, the offset of its texts in the pad of the lock, and its texts. */
type ServedBlock = { readonly lock: number; readonly from: number; readonly texts: readonly Bytes[] }

export class ServedBlocks {
  readonly #context: PassContext
  readonly #service: Service
  readonly #open: SymbolId
  readonly #blocks: ServedBlock[] = []
  readonly #sizes: number[] = [HEAD_BYTES]
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
    const lock = this.#sizes.length
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
    const lifted = liftConstants(block, { slots, base: baseOf(this.#service.pad(lock, HEAD_BYTES)) }, frozen)
    if (!lifted) return block
    const { texts } = lifted
    const from = this.#sizes[lock] ?? HEAD_BYTES
    this.#sizes[lock] = texts.reduce((sum, { length }) => sum + length, from)
    this.#blocks.push({ lock, from, texts })
    report.counts.strings += texts.length
    this.#texts += texts.length
    const make = nodesAt(block.at)
    const opened = make.call(make.use(this.#open), make.number(this.#blocks.length))
    return make.block([make.local([slots], [opened]), ...lifted.block.statements])
  }

  /** Bytes of the pad that each lock needs, by the number of the lock; empty without blocks. */
  get padSizes(): readonly number[] {
    return this.#blocks.length > 0 ? this.#sizes.map(padSize) : []
  }

  /** Declares the function; empty without blocks. */
  prologue(at: Offset): readonly Statement[] {
    if (this.#blocks.length === 0) return []
    const make = nodesAt(at)
    const pads = this.padSizes.map((size, lock) => this.#service.pad(lock, size))
    const freeze = <E extends Expression>(node: E): E => {
      this.#context.frozen.add(node)
      return node
    }
    const number = (value: number) => freeze(make.number(value))
    const blocks = this.#blocks.map(({ lock, from, texts }) => {
      const ciphertexts = encryptedFrom(from, texts, pads[lock] as Uint8Array)
      return make.table([number(lock), number(from), ...ciphertexts.map((each) => freeze(make.string(each)))])
    })
    const locks = pads.map((pad) => make.table([number(pad.length), number(checkOf(pad))]))
    const holes = {
      open: this.#open,
      channel: this.#service.channel,
      blocks: make.table(blocks),
      locks: make.table(locks),
    }
    return [make.local([this.#open]), ...instantiate(LUA, holes, this.#context.symbols, at)]
  }
}

/** The base number of integers, from the head of a pad. */
function baseOf(head: Uint8Array): number {
  return [0, 1, 2].reduce((sum, i) => sum * 256 + (head[i] ?? 0), 0)
}

/**
 * The check value of a pad, from its last bytes, which encrypt nothing else. A wrong pad is recognised by
 * it.
 */
function checkOf(pad: Uint8Array): number {
  return pad.subarray(-CHECK_BYTES).reduce((sum, byte) => sum * 256 + byte, 0)
}

function encryptedFrom(from: number, texts: readonly Bytes[], pad: Uint8Array): Bytes[] {
  let place = from
  return texts.map((text) => {
    let bytes = ''
    for (let i = 0; i < text.length; i++) {
      bytes += String.fromCharCode((text.charCodeAt(i) + (pad[place++] as number)) % 256)
    }
    return encodeBytes(bytes)
      .map((value) => String.fromCharCode(printableCode(value)))
      .join('')
  })
}

const LUA = `
  do
    local byte, char, letters, opened, list, kinds = (' ').byte, (' ').char, {}, {}, blocks, locks
    local fetch, fail, wrong = channel, error, 'scriptward: this part runs only with a key that its service hands out'
    for i = 0, 255 do letters[i] = char(i) end
    local function number(pad, first, last)
      local sum = 0
      for i = first, last do sum = sum * 256 + byte(pad, i) end
      return sum
    end
    local function decrypt(text, pad, place)
      local large, small, pending = '', '', 0
      for i = 1, #text do
        local value = byte(text, i)
        if value > 92 then value = value - 1 end
        if value > 34 then value = value - 1 end
        value = value - 32
        if pending == 0 and value > ${ONE_SYMBOL_BYTES - 1} then
          pending = ${ONE_SYMBOL_BYTES} + (value - ${ONE_SYMBOL_BYTES}) * ${ALPHABET_SIZE}
        else
          place = place + 1
          small = small .. letters[(value + pending + ${FIRST_BYTE} - byte(pad, place)) % 256]
          pending = 0
          if #small > 255 then large, small = large .. small, '' end
        end
      end
      return large .. small, place
    end
    open = function(number_)
      local block = list[number_]
      local kind = kinds[block[1] + 1]
      local size = kind[1]
      local pad = fetch and fetch(block[1], size)
      local found = opened[number_]
      if found then return found end
      if not pad or #pad ~= size or number(pad, size - ${CHECK_BYTES - 1}, size) ~= kind[2] then fail(wrong, 0) end
      local place = block[2]
      found = { [0] = number(pad, 1, 3) }
      for i = 3, #block do found[i - 2], place = decrypt(block[i], pad, place) end
      opened[number_] = found
      return found
    end
  end`
