/**
 * Counts server function calls since the last write. Counting happens in memory, and a write updates one row
 * per function no matter how many times the function was called.
 */

/** `version` is 0 for a server function. */
export type FunctionId = {
  readonly project_id: string
  readonly script_id: string
  readonly version: number
  readonly name: string
}
export type CountedCalls = FunctionId & {
  readonly calls: number
  readonly failures: number
  /** CPU time in milliseconds. */
  readonly cpu_ms: number
  /** The most recent failure. */
  readonly failure: { readonly problem: string; readonly at: number } | null
}

export class CallCounter {
  #counts = new Map<string, CountedCalls>()

  countCall(id: FunctionId, cpu_ms: number, failure: CountedCalls['failure']): void {
    this.#add({ ...id, calls: 1, failures: failure ? 1 : 0, cpu_ms, failure })
  }

  /** Returns all counts and resets them. */
  takeCounts(): CountedCalls[] {
    const taken = [...this.#counts.values()]
    this.#counts = new Map()
    return taken
  }

  /** Adds back counts that could not be written. */
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
      cpu_ms: one.cpu_ms + (known?.cpu_ms ?? 0),
      failure: failure ?? known?.failure ?? null,
    })
  }
}

export function nameOf({ script_id, version, name }: Omit<FunctionId, 'project_id'>): string {
  return version === 0 ? `${script_id} ${name}` : `${script_id} ${version} ${name}`
}
