/**
 * Limits the membership lookups that this process sends to Discord. Concurrent lookups of the same account
 * share one request, each project has a limited number of open requests, and a failure pauses the project's
 * lookups.
 */

/** A bot sends its requests one after another, so more open lookups would only wait. */
const MAX_OPEN = 8
const PAUSE_MS = 15_000

type Question = { readonly projectId: string; readonly chatId: string; readonly now: number }
/** Undefined if Discord didn't respond. */
type Answer = boolean | undefined

type ProjectState = {
  readonly open: Map<string, Promise<Answer>>
  /**
   * Number of responses. If it increased during a request that failed, Discord was responding and the queue
   * was merely long, so the project is not paused.
   */
  answers: number
  failedAt: number | undefined
}

export class MemberQuestions {
  readonly #projects = new Map<string, ProjectState>()

  /** Resolves to undefined immediately if the project is paused or has too many open lookups. */
  async ask({ projectId, chatId, now }: Question, send: () => Promise<Answer>): Promise<Answer> {
    const state = this.#projects.get(projectId) ?? { open: new Map(), answers: 0, failedAt: undefined }
    const same = state.open.get(chatId)
    if (same) return same
    if (state.open.size >= MAX_OPEN || isPaused(state, now)) return undefined
    this.#projects.set(projectId, state)
    const question = this.#send(state, now, send)
    state.open.set(chatId, question)
    try {
      return await question
    } finally {
      state.open.delete(chatId)
      if (state.open.size === 0 && state.failedAt === undefined) this.#projects.delete(projectId)
    }
  }

  async #send(state: ProjectState, now: number, send: () => Promise<Answer>): Promise<Answer> {
    const { answers } = state
    const answer = await send()
    if (answer !== undefined) {
      state.answers += 1
      state.failedAt = undefined
    } else if (state.answers === answers) {
      state.failedAt = now
    }
    return answer
  }
}

function isPaused({ failedAt }: ProjectState, now: number): boolean {
  return failedAt !== undefined && Math.abs(now - failedAt) < PAUSE_MS
}
