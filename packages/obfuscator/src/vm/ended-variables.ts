/**
 * Clears the registers of variables whose block has ended, so that the host can garbage-collect their values.
 * Only a call could observe the difference. Nothing is cleared if no call follows, and a loop without calls
 * is cleared only after it ends.
 */

import type { GenericFor, NumericFor, Offset, Repeat, Statement, While } from '../syntax/ast.ts'
import type { MeasureOf } from './measure.ts'
import type { Location } from './register-allocator.ts'

export type Loop = While | Repeat | NumericFor | GenericFor

/** The region under construction. */
export type RegionOfVariables = {
  readonly shared: { readonly measureOf: MeasureOf }
  readonly isClosed: boolean
  scope(inside: () => void): void
  clear(places: readonly Location[], at: Offset): void
}

export class EndedVariables {
  readonly #builder: RegionOfVariables
  /**
   * Registers of variables whose block is still open, and registers that were not cleared when their block
   * ended.
   */
  #held: Location[] = []
  /** Registers cleared at the end of a block. `break` and `continue` skip this clearing. */
  #skipped: Location[] = []
  /** Whether a call follows the statement that is currently being lowered. */
  #isWatched = false

  constructor(builder: RegionOfVariables) {
    this.#builder = builder
  }

  /** Whether other regions follow this one. */
  set isFollowed(isFollowed: boolean) {
    this.#isWatched = isFollowed
  }

  add(place: Location): void {
    this.#held.push(place)
  }

  /** Iterates over the statements of a block, and tracks whether a call follows the current one. */
  *watching(statements: readonly Statement[]): Iterable<[number, Statement]> {
    const { measureOf } = this.#builder.shared
    const around = this.#isWatched
    const last = around ? 0 : statements.findLastIndex((each) => measureOf(each).calls > 0)
    for (const [i, each] of statements.entries()) {
      this.#isWatched = around || i < last
      yield [i, each]
    }
    this.#isWatched = around
  }

  /** Lowers a block and clears its variables at the end. */
  block(statements: readonly Statement[], lower: () => void): void {
    const first = this.#held.length
    this.#builder.scope(lower)
    if (!this.#isWatched || this.#builder.isClosed) return
    const places = this.#held.splice(first)
    this.#skipped.push(...places)
    this.#clear(places, statements.at(-1)?.at ?? 0)
  }

  /** Lowers a loop, and clears the remaining registers after it. */
  loop(node: Loop, lower: () => void): void {
    const { measureOf } = this.#builder.shared
    const [held, skipped, around] = [this.#held.length, this.#skipped.length, this.#isWatched]
    const { calls, leaves } = measureOf(node.body)
    const test = node.kind === 'While' || node.kind === 'Repeat' ? measureOf(node.condition).calls : 0
    this.#isWatched = calls + test > 0
    lower()
    this.#isWatched = around
    const before = this.#skipped.splice(skipped)
    // The condition of a `repeat` can use the variables of the body, so the end of the body does not clear
    // them.
    const isLeft = leaves > 0 || node.kind === 'Repeat'
    const places = [...this.#held.splice(held), ...(isLeft ? before : [])]
    if (this.#isWatched) this.#clear(places, node.at)
    else this.#held.push(...places)
  }

  /** Initializes the state of a nested region, which starts at the current position. */
  passTo(inner: EndedVariables): void {
    inner.#isWatched = this.#isWatched
  }

  takeFrom(inner: EndedVariables): void {
    this.#held.push(...inner.#held)
    this.#skipped.push(...inner.#skipped)
  }

  #clear(places: readonly Location[], at: Offset): void {
    const known = new Map(places.map((place) => [`${place.symbol} ${place.index}`, place]))
    this.#builder.clear([...known.values()], at)
  }
}
