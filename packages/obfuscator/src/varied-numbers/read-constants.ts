/** Finds the numbers in a text that may be Lua code, including code that a tool has rewritten. */

const LEXEME =
  /--[^\n]*|"(?:[^"\\\n]|\\[\s\S])*"?|'(?:[^'\\\n]|\\[\s\S])*'?|(?<number>0[xX][\da-fA-F_]+|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|[A-Za-z_]\w*|(?<sign>[-+*/()])|[^\s]/g

/** Parentheses nested deeper than this are not evaluated. */
const MAX_DEPTH = 100

/**
 * The absolute values of all numbers, and of all sums and products of numbers, in ascending order. Parts
 * of larger expressions may add values that the program does not contain.
 */
export function readConstants(text: string): Float64Array {
  const found = new Set<number>()
  let run: (number | string)[] = []
  const end = () => {
    if (run.length > 0) new Folding(run, found).all()
    run = []
  }
  for (const { groups = {} } of text.matchAll(LEXEME)) {
    const { number, sign } = groups
    if (number !== undefined) run.push(Number(number.replaceAll('_', '')))
    else if (sign !== undefined) run.push(sign)
    else end()
  }
  end()
  return Float64Array.from(found).sort()
}

/** Evaluates a sequence of numbers and signs. */
class Folding {
  readonly #run: readonly (number | string)[]
  readonly #found: Set<number>
  #at = 0
  /**
   * The highest position reached so far. Everything before it has been evaluated, even if the expression
   * turned out to be incomplete.
   */
  #end = 0

  constructor(run: readonly (number | string)[], found: Set<number>) {
    this.#run = run
    this.#found = found
  }

  all(): void {
    for (let i = 0; i < this.#run.length; i = Math.max(i + 1, this.#end)) {
      this.#at = i
      this.#sum(0)
    }
  }

  #note(value: number): number {
    if (Number.isFinite(value)) this.#found.add(Math.abs(value))
    return value
  }

  #sum(depth: number): number | undefined {
    let value = this.#product(depth)
    for (let sign = this.#run[this.#at]; value !== undefined; sign = this.#run[this.#at]) {
      if (sign !== '+' && sign !== '-') return value
      const right = this.#behind(() => this.#product(depth))
      if (right === undefined) return value
      value = this.#note(sign === '+' ? value + right : value - right)
    }
    return undefined
  }

  #product(depth: number): number | undefined {
    let value = this.#single(depth)
    for (let sign = this.#run[this.#at]; value !== undefined; sign = this.#run[this.#at]) {
      if (sign !== '*' && sign !== '/') return value
      const right = this.#behind(() => this.#single(depth))
      if (right === undefined) return value
      value = this.#note(sign === '*' ? value * right : value / right)
    }
    return undefined
  }

  /** Reads the operand after a sign. If there is none, the position stays before the sign. */
  #behind(read: () => number | undefined): number | undefined {
    const before = this.#at
    this.#advance()
    const value = read()
    if (value === undefined) this.#at = before
    return value
  }

  #single(depth: number): number | undefined {
    const each = this.#run[this.#at]
    if (typeof each === 'number') {
      this.#advance()
      return this.#note(each)
    }
    if (depth === MAX_DEPTH) return undefined
    if (each === '-') {
      const value = this.#behind(() => this.#single(depth + 1))
      return value === undefined ? undefined : -value
    }
    if (each !== '(') return undefined
    const value = this.#behind(() => this.#sum(depth + 1))
    if (value === undefined || this.#run[this.#at] !== ')') return undefined
    this.#advance()
    return value
  }

  #advance(): void {
    this.#at += 1
    this.#end = Math.max(this.#end, this.#at)
  }
}
