/**
 * Lets the start-up code of an output run, takes what it leaves in its locals, and has the output's own functions
 * answer: what they make of these numbers, and which word has this hash.
 */

import type { Bytes, SymbolId } from '../../src/syntax/ast.ts'
import type { Host } from '../attack.ts'
import { runHost } from '../host.ts'
import { callAtSeam } from '../seam.ts'
import { RUN } from './questions.ts'

/** A table that start-up left in a local of this name, or the function in it under a number. */
export type Held = { readonly local: string; readonly key: number | null }

/** A value of Lua; nil is null. */
export type Value = number | string | boolean | null | Held

export class Oracle {
  /** Numbers and tables in the locals of start-up, by name. */
  readonly locals = new Map<string, Value>()
  /** Texts that were found until now: what is compared often stands elsewhere too. */
  words: ReadonlySet<Bytes> = new Set()
  /** Names of the locals of the script that are in no function of it. */
  readonly #names: ReadonlyMap<SymbolId, Bytes>
  readonly #entries = new Map<string, Map<number, Value>>()
  readonly #answering = new Set<string>()
  readonly #answers = new Map<string, Value | undefined>()
  /** How many words were tried on a hash in vain. */
  readonly #tried = new Map<string, number>()
  readonly #open = new Set<string>()
  readonly #code: Bytes
  readonly #host: Host

  constructor(code: Bytes, names: ReadonlyMap<SymbolId, Bytes>, host: Host) {
    this.#code = callAtSeam(code, '__seam')
    this.#names = names
    this.#host = host
  }

  /** Whether something was asked that is not answered yet. */
  get hasQuestions(): boolean {
    return this.#open.size > 0
  }

  /** Runs start-up, and answers what was asked until now. */
  async round(): Promise<void> {
    const open = [...this.#open]
    this.#open.clear()
    const questions = open.map((query, i) => `${i} ${query}\n`).join('')
    const words = [...this.words].map((each) => `s${hexOf(each)}\n`).join('')
    const { output } = await runHost(this.#host, RUN, [this.#code, questions, words])
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

  /** What a table holds under a number; undefined: not known yet. */
  index(table: string, key: number): Value | undefined {
    const value = this.#entries.get(table)?.get(key)
    if (value !== undefined) return value
    return this.#answering.has(table) ? this.#ask(`index ${table} ${key}`) : null
  }

  /** What a function of start-up returns; undefined: not known yet. */
  call({ local, key }: Held, args: readonly (Value | undefined)[]): Value | undefined {
    if (!args.every((each) => typeof each === 'number')) return undefined
    return this.#ask(['call', local, key, ...args].join(' '))
  }

  /** The table of texts and numbers that a function of the script returns; undefined: none, or not known yet. */
  callScript(symbol: SymbolId, args: readonly (Value | undefined)[]): Value | undefined {
    const name = this.#names.get(symbol)
    if (name === undefined || args.length === 0) return undefined
    const spelled = args.map((each) =>
      typeof each === 'number' ? `${each}` : typeof each === 'string' ? `s${hexOf(each)}` : '',
    )
    return spelled.includes('') ? undefined : this.#ask(['script', name, ...spelled].join(' '))
  }

  /** The word that a function of the script turns into this number, given with others; undefined: none of those that are known. */
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

function hexOf(text: Bytes): string {
  return Buffer.from(text, 'latin1').toString('hex')
}

/** undefined: a table, a function, or no answer. */
function readValue(text: string): Value | undefined {
  if (text.startsWith('number')) return Number(text.slice(6))
  if (text.startsWith('string')) return Buffer.from(text.slice(6), 'hex').toString('latin1')
  if (text === 'true' || text === 'false') return text === 'true'
  return text === 'nil' ? null : undefined
}
