/**
 * Runs the startup code of an output and reads the values in its locals. Calls the output's own functions to
 * decrypt constants, and to find which string has a given hash.
 */

import type { Bytes, SymbolId } from '../../src/syntax/ast.ts'
import type { RunLua } from '../attack.ts'
import { fromHex, toHex } from '../recorded.ts'
import { callAtSeam } from '../seam.ts'
import { RUN } from './questions.ts'

/**
 * A table that a local with this name holds after startup or, if `key` is not null, the function at that
 * numeric key of the table.
 */
export type Held = { readonly local: string; readonly key: number | null }

/** A Lua value; null stands for nil. */
export type Value = number | string | boolean | null | Held

export class Oracle {
  /** Maps the names of the startup code's locals to the numbers and tables in them. */
  readonly locals = new Map<string, Value>()
  /**
   * Strings found so far. They are tried on hashes, because strings that the script compares often occur
   * elsewhere too.
   */
  words: ReadonlySet<Bytes> = new Set()
  /** Names of the script's top-level locals. */
  readonly #names: ReadonlyMap<SymbolId, Bytes>
  readonly #entries = new Map<string, Map<number, Value>>()
  readonly #answering = new Set<string>()
  readonly #answers = new Map<string, Value | undefined>()
  /** Number of strings that were already tried on a hash without success, by query. */
  readonly #tried = new Map<string, number>()
  readonly #open = new Set<string>()
  readonly #code: Bytes
  readonly #run: RunLua

  constructor(code: Bytes, names: ReadonlyMap<SymbolId, Bytes>, run: RunLua) {
    this.#code = callAtSeam(code, '__seam')
    this.#names = names
    this.#run = run
  }

  /** Whether there are queries without an answer. */
  get hasQuestions(): boolean {
    return this.#open.size > 0
  }

  /** Runs the startup code and answers the pending queries. */
  async round(): Promise<void> {
    const open = [...this.#open]
    this.#open.clear()
    const questions = open.map((query, i) => `${i} ${query}\n`).join('')
    const words = [...this.words].map((each) => `s${toHex(each)}\n`).join('')
    const output = await this.#run(RUN, [this.#code, questions, words])
    for (const query of open) {
      if (query.startsWith('crack')) this.#tried.set(query, this.words.size)
      else this.#answers.set(query, undefined)
    }
    for (const line of output.split('\n')) this.#read(line.split(' '), open)
  }

  #read(
    [kind = '', first = '', second = '', third = '', fourth = '']: readonly string[],
    open: readonly string[],
  ): void {
    if (kind === 'local') this.locals.set(first, readValue(second) ?? { local: first, key: null })
    if (kind === 'answers') this.#answering.add(first)
    if (kind === 'entry') this.#enter(first, Number(second), readValue(third))
    const query = open[Number(first)]
    if (query === undefined) return
    if (kind === 'answer') this.#answers.set(query, readValue(second))
    if (kind === 'item') {
      this.#answers.set(query, { local: query, key: null })
      this.#enter(query, Number(second), readValue(third))
    }
    if (kind === 'nested') {
      const table = `${query} ${second}`
      this.#enter(query, Number(second), { local: table, key: null })
      this.#enter(table, Number(third), readValue(fourth))
    }
  }

  #enter(table: string, key: number, value: Value | undefined): void {
    const entries = this.#entries.get(table) ?? new Map<number, Value>()
    this.#entries.set(table, entries)
    entries.set(key, value ?? { local: table, key })
  }

  /** Returns the value at a numeric key of a table; undefined if it is not known yet. */
  index(table: string, key: number): Value | undefined {
    const value = this.#entries.get(table)?.get(key)
    if (value !== undefined) return value
    return this.#answering.has(table) ? this.#ask(`index ${table} ${key}`) : null
  }

  /**
   * Returns the result of a startup function; undefined if an argument is not a number or the result is not
   * known yet.
   */
  call({ local, key }: Held, args: readonly (Value | undefined)[]): Value | undefined {
    if (!args.every((each) => typeof each === 'number')) return undefined
    return this.#ask(['call', local, key, ...args].join(' '))
  }

  /**
   * Returns the table of strings and numbers that one of the script's functions returns; undefined if there
   * is no such table or it is not known yet.
   */
  callScript(symbol: SymbolId, args: readonly (Value | undefined)[]): Value | undefined {
    const name = this.#names.get(symbol)
    if (name === undefined || args.length === 0) return undefined
    const spelled = args.map((each) =>
      typeof each === 'number' ? `${each}` : typeof each === 'string' ? `s${toHex(each)}` : '',
    )
    return spelled.includes('') ? undefined : this.#ask(['script', name, ...spelled].join(' '))
  }

  /**
   * Returns the string that one of the script's functions hashes to this number, given the other arguments;
   * undefined if no known string has this hash.
   */
  crack(symbol: SymbolId, hash: number, others: readonly (Value | undefined)[]): Value | undefined {
    const name = this.#names.get(symbol)
    if (name === undefined || others.some((each) => typeof each !== 'number')) return undefined
    const query = ['crack', name, hash, ...others].join(' ')
    const answer = this.#answers.get(query)
    if (answer === undefined && this.words.size > (this.#tried.get(query) ?? 0)) this.#open.add(query)
    return answer
  }

  #ask(query: string): Value | undefined {
    if (!this.#answers.has(query)) this.#open.add(query)
    return this.#answers.get(query)
  }
}

/** Parses a value. Returns undefined for a table, a function or a missing answer. */
function readValue(text: string): Value | undefined {
  if (text.startsWith('number')) return Number(text.slice(6))
  if (text.startsWith('string')) return fromHex(text.slice(6))
  if (text === 'true' || text === 'false') return text === 'true'
  return text === 'nil' ? null : undefined
}
