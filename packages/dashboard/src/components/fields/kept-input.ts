/** The unsaved input of one form, kept in the session storage of the browser tab. */

/** Drafts share 5 MB of session storage with the browser tab's other data. */
const MAX_LENGTH = 1_000_000

type Content = Record<string, unknown>
type Note = {
  readonly value: unknown
  /** The saved value, or the initial one. */
  readonly first: unknown
  /** Whether the value must not or cannot be stored. */
  readonly isUnkept: boolean
  readonly reset: () => void
}
type Entry = Note & { readonly isDirty: boolean }
/** An open confirmation, and the action that follows if the user agrees. */
export type Question = { readonly about: 'leave' | 'discard'; readonly onYes: () => void }

export class KeptInput {
  readonly form: string
  readonly #key: string
  readonly #entries = new Map<string, Entry>()
  readonly #listeners = new Set<() => void>()
  #content: Content
  #isRestored: boolean
  #isStored = true
  #question: Question | undefined

  constructor(form: string, key: string) {
    this.form = form
    this.#key = key
    this.#content = read(key)
    this.#isRestored = Object.keys(this.#content).length > 0
  }

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
  readonly isRestored = () => this.#isRestored
  readonly question = () => this.#question
  readonly isDirty = () => this.#some(({ isDirty }) => isDirty)
  /** Whether leaving the form would lose input. */
  readonly isLossy = () => this.#some(({ isDirty, isUnkept }) => isDirty && (isUnkept || !this.#isStored))

  /** Returns the kept value, or the initial one. Only changed fields of an object are kept. */
  valueOf<T>(name: string, first: T): T {
    const kept = this.#content[name]
    if (kept === undefined) return first
    return (isRecord(kept) && isRecord(first) ? { ...first, ...kept } : kept) as T
  }

  /** Called with the current value of an input, initially and after each change. */
  note(name: string, given: Note): void {
    const before = this.#entries.get(name)
    if (before && Object.is(before.value, given.value) && isSame(before.first, given.first)) {
      this.#entries.set(name, { ...given, isDirty: before.isDirty })
      return
    }
    const changed = changedIn(given.value, given.first)
    this.#entries.set(name, { ...given, isDirty: changed !== undefined })
    const isNew = !Object.is(before?.value, given.value)
    if (!given.isUnkept && (isNew || changed === undefined)) this.#keep(name, changed)
    this.#tell()
  }

  /** Called when an input unmounts. Its unsaved value is kept. */
  drop(name: string): void {
    this.#entries.delete(name)
    this.#tell()
  }

  /** Called after the input is saved. */
  forget(then?: () => void): void {
    this.#content = {}
    for (const [name, entry] of this.#entries) this.#entries.set(name, { ...entry, isDirty: false })
    this.#store()
    this.#tell()
    then?.()
  }

  /** Called after this value of an input is saved, even if the form has been closed. Later input is kept. */
  forgetSent(name: string, sent: unknown): void {
    const rest = changedIn(this.#content[name], sent)
    this.#keep(name, isRecord(rest) && Object.keys(rest).length === 0 ? undefined : rest)
    this.#tell()
  }

  /** Resets the form to the saved values, and asks first if there is unsaved input. */
  discard(then?: () => void): void {
    const discard = () => {
      for (const { reset } of this.#entries.values()) reset()
      this.forget(then)
    }
    if (this.isDirty()) this.#ask({ about: 'discard', onYes: discard })
    else discard()
  }

  /** Leaves the form, and asks first if that would lose input. */
  leave(then: () => void): void {
    if (this.isLossy()) this.#ask({ about: 'leave', onYes: then })
    else then()
  }

  answer(isYes: boolean): void {
    const asked = this.#question
    this.#question = undefined
    this.#tell()
    if (isYes) asked?.onYes()
  }

  #ask(question: Question): void {
    this.#question = question
    this.#tell()
  }

  #keep(name: string, changed: unknown): void {
    if (changed === undefined && !(name in this.#content)) return
    const { [name]: _, ...others } = this.#content
    this.#content = changed === undefined ? others : { ...others, [name]: changed }
    this.#store()
  }

  #store(): void {
    const isEmpty = Object.keys(this.#content).length === 0
    if (isEmpty) this.#isRestored = false
    this.#isStored = write(this.#key, isEmpty ? undefined : JSON.stringify(this.#content))
  }

  #some(is: (entry: Entry) => boolean): boolean {
    return [...this.#entries.values()].some(is)
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }
}

/** Returns undefined if nothing changed. For an object, returns only the changed fields. */
function changedIn(value: unknown, first: unknown): unknown {
  if (isSame(value, first)) return undefined
  if (!(isRecord(value) && isRecord(first))) return value
  return Object.fromEntries(Object.entries(value).filter(([name, each]) => !isSame(each, first[name])))
}

export function isSame(one: unknown, other: unknown): boolean {
  return Object.is(one, other) || JSON.stringify(one) === JSON.stringify(other)
}

function isRecord(value: unknown): value is Content {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function read(key: string): Content {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? '{}') as Content
  } catch {
    return {}
  }
}

/** Returns whether the text was stored. The form has to work even if the storage is full. */
function write(key: string, text: string | undefined): boolean {
  try {
    if (text !== undefined && text.length <= MAX_LENGTH) {
      sessionStorage.setItem(key, text)
      return true
    }
    sessionStorage.removeItem(key)
  } catch {
    sessionStorage.removeItem(key)
  }
  return text === undefined
}
