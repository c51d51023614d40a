/**
 * Counts server function calls since the last write. Counting a call is an in-memory addition, and a write
 * takes one row per function no matter how often it was called.
 */

export type FunctionId = { readonly project_id: string; readonly script_id: string; readonly name: string }
export type CountedCalls = FunctionId & {
  readonly calls: number
  readonly failures: number
  /** The most recent failure. */
  readonly failure: { readonly problem: string; readonly at: number } | null
}

export class CallCounter {
  #counts = new Map<string, CountedCalls>()

  countCall(id: FunctionId, failure: CountedCalls['failure']): void {
    this.#add({ ...id, calls: 1, failures: failure ? 1 : 0, failure })
  }

  /** Returns all counts and hands them over to the caller. */
  takeCounts(): CountedCalls[] {
    const taken = [...this.#counts.values()]
    this.#counts = new Map()
    return taken
  }

  /** Takes back counts that could not be written. */
  returnCounts(counts: readonly CountedCalls[]): void {
    for (const one of counts) this.#add(one)
  }

  #add(one: CountedCalls): void {
    const known = this.#counts.get(nameOf(one))
    const failure = (known?.failure?.at ?? 0) > (one.failure?.at ?? 0) ? known?.failure : one.failure
    this.#counts.set(nameOf(one), {
      ...one,
      calls: one.calls + (known?.calls ?? 0),
      failures: one.failures + (known?.failures ?? 0),
      failure: failure ?? known?.failure ?? null,
    })
  }
}

export function nameOf({ script_id, name }: Pick<FunctionId, 'script_id' | 'name'>): string {
  return `${script_id} ${name}`
}
