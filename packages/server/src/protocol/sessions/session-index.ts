/** Indexes sessions, so that listing one owner's sessions doesn't scan all of them. */
import type { Session, SessionFilter } from './session.ts'

/**
 * Each index costs about 40 bytes per session. `customer_id` has no index, because it is rarely used as a
 * filter.
 */
const INDEXED = ['project_id', 'script_id', 'user_key'] as const
type Indexed = (typeof INDEXED)[number]

/** A session's indexed fields never change. */
type Entry = { readonly session: Session }

/** All entries with the same value of a field. */
type Same<E> = { readonly value: string; readonly entries: Set<E> }

export class SessionIndex<E extends Entry> {
  readonly #byId = new Map<string, E>()
  readonly #byInstance = new Map<string, E>()
  readonly #sets = new Map<Indexed, Map<string, Same<E>>>(INDEXED.map((member) => [member, new Map()]))

  get size(): number {
    return this.#byId.size
  }

  find(id: string): E | undefined {
    return this.#byId.get(id)
  }

  ofInstance(exec: string): E | undefined {
    return this.#byInstance.get(exec)
  }

  /**
   * Returns the session with strings that are shared between entries, because each session was read from the
   * database separately.
   */
  sharing(session: Session): Session {
    const [sibling] = this.#sets.get('project_id')?.get(session.project_id)?.entries ?? []
    return {
      ...session,
      customer_id: sibling?.session.customer_id ?? session.customer_id,
      project_id: this.#shared('project_id', session.project_id),
      script_id: this.#shared('script_id', session.script_id),
      user_key: session.user_key && this.#shared('user_key', session.user_key),
    }
  }

  add(entry: E): void {
    const { session } = entry
    this.#byId.set(session.id, entry)
    this.#byInstance.set(session.exec, entry)
    for (const [member, value] of indexedOf(session)) this.#entriesWith(member, value).add(entry)
  }

  /** Returns false if the entry is missing or has been replaced. */
  remove(entry: E): boolean {
    const { session } = entry
    if (this.#byId.get(session.id) !== entry) return false
    this.#byId.delete(session.id)
    if (this.#byInstance.get(session.exec) === entry) this.#byInstance.delete(session.exec)
    for (const [member, value] of indexedOf(session)) {
      const entries = this.#entriesWith(member, value)
      entries.delete(entry)
      if (entries.size === 0) this.#sets.get(member)?.delete(value)
    }
    return true
  }

  /** Returns matching entries in insertion order. */
  list(filter: SessionFilter): E[] {
    const wanted = Object.entries(filter) as [keyof SessionFilter, unknown][]
    const found: E[] = []
    for (const entry of this.#candidates(filter))
      if (wanted.every(([member, value]) => entry.session[member] === value)) found.push(entry)
    return found
  }

  /** Candidates from the most selective index. */
  #candidates(filter: SessionFilter): Iterable<E> {
    const sets = INDEXED.flatMap((member) => {
      const value = filter[member]
      return typeof value === 'string' ? [this.#sets.get(member)?.get(value)?.entries ?? new Set<E>()] : []
    })
    return sets.sort((a, b) => a.size - b.size)[0] ?? this.#byId.values()
  }

  #entriesWith(member: Indexed, value: string): Set<E> {
    const byValue = this.#sets.get(member) ?? new Map<string, Same<E>>()
    const same = byValue.get(value) ?? { value, entries: new Set() }
    byValue.set(value, same)
    return same.entries
  }

  #shared(member: Indexed, value: string): string {
    return this.#sets.get(member)?.get(value)?.value ?? value
  }
}

function indexedOf(session: Session): [Indexed, string][] {
  return INDEXED.flatMap((member) => {
    const value = session[member]
    return value === null ? [] : [[member, value] as [Indexed, string]]
  })
}
