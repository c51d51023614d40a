/**
 * A writer that runs until the server is killed. It tracks the expected state of the project after the
 * restart. After a request without a response, two states are allowed: the one before the request and the one
 * after it, but nothing in between.
 */
import { setTimeout } from 'node:timers/promises'
import { type Body, type Caller, Lost } from './caller.ts'
import { type Deed, deeds, type Place } from './deeds.ts'
import { differences, NEW, type State } from './state.ts'
import { readView } from './view.ts'

/** Users whose keys expire together and are extended together. */
const COHORT = 200
const EXPIRES = 4_000_000_000_000
const FIRST_SOURCE = 'return "first"'

export class Writer {
  readonly #place: Place
  /** The possible states. One of them must match the actual state. */
  #possible: readonly [State, ...State[]]
  #unanswered: Deed | undefined
  #spare: { readonly key: string; readonly note: string } | undefined
  #acknowledged = 0
  #isWriting = false

  private constructor(place: Place, state: State) {
    this.#place = place
    this.#possible = [state]
  }

  static async create(caller: Caller, name: string): Promise<Writer> {
    const webhook = 'https://hooks.example.com/crash'
    const webhooks = { information_webhook: webhook, blacklist_webhook: webhook, execution_webhook: webhook }
    const project = String((await caller.post('/v1/projects/new', { name, ...webhooks })).project_id)
    const users = Array.from({ length: COHORT }, (_, index) => ({
      key_expires: EXPIRES,
      chat_id: `${name} ${index}`,
      note: `${name} cohort`,
    }))
    await caller.post(`/projects/${project}/users/import`, { users })
    const add = async (note: string, chat_id: string) =>
      String((await caller.post(`/projects/${project}/users/new`, { note, chat_id })).user_key)
    const subject = await add(`${name} subject`, '1')
    const runner = await add(`${name} runner`, '2')
    const body = { name, script: FIRST_SOURCE }
    const script = String((await caller.post(`/projects/${project}/scripts/new`, body)).script_id)
    return new Writer({ name, project, script, subject, runner }, firstState(name))
  }

  get acknowledged(): number {
    return this.#acknowledged
  }

  /** True until a request gets no response. */
  get isWriting(): boolean {
    return this.#isWriting
  }

  /**
   * `first` is the index of the writer's first action. It differs between writers, so that they perform
   * different actions.
   */
  async run(caller: Caller, first: number): Promise<void> {
    this.#isWriting = true
    try {
      for (let count = first; ; count += 1) await this.#step(caller, count)
    } catch (error) {
      if (!(error instanceof Lost)) throw error
    } finally {
      this.#isWriting = false
    }
  }

  /**
   * Retries the unanswered request if it may be retried, and returns the differences from the expected state.
   */
  async verify(caller: Caller): Promise<string[]> {
    const deed = this.#unanswered
    if (deed?.repeats) {
      await deed.send(caller)
      this.#possible = [deed.after]
    }
    const { state, keys } = await readView(caller, this.#place)
    const wrong = this.#possible.map((possible) => differences(state, possible))
    const spare = this.#spare
    const isGone = spare !== undefined && deed === undefined && !keys.has(spare.key)
    const found = wrong.some((one) => one.length === 0) ? [] : (wrong[0] ?? [])
    const missing = isGone ? [`the acknowledged user ${spare.note} is gone`] : []
    return [...found, ...missing].map((words) => `${this.#place.name}: ${words}`)
  }

  async #step(caller: Caller, count: number): Promise<void> {
    const [state] = this.#possible
    const { name } = this.#place
    const tag = `${name} ${count}`
    const plan = deeds[count % deeds.length]
    const deed = plan?.({ at: this.#place, state, tag, spare: this.#spare })
    // Yields to the other writers if there is nothing to do.
    if (!deed) return setTimeout(1)
    this.#possible = [state, deed.after]
    this.#unanswered = deed
    const answer = await deed.send(caller)
    this.#possible = [deed.after]
    this.#unanswered = undefined
    this.#acknowledged += 1
    this.#keepSpare(deed.after, answer, tag)
  }

  /** The most recent user whose creation was acknowledged, unless a later change deleted the user. */
  #keepSpare({ groups }: State, { user_key: key }: Body, note: string): void {
    if (typeof key === 'string') this.#spare = { key, note }
    else if (!groups.some((group) => group.note === this.#spare?.note)) this.#spare = undefined
  }
}

function firstState(name: string): State {
  const linked = { ...NEW, linked: true, count: 1 }
  return {
    name,
    groups: [
      { ...linked, note: `${name} cohort`, count: COHORT, expires: EXPIRES },
      { ...linked, note: `${name} subject` },
      { ...linked, note: `${name} runner` },
    ],
    projects: [],
    versions: 1,
    source: FIRST_SOURCE,
    executions: 0,
    events: { 'users.imported': 1, 'user.created': 2 },
  }
}
