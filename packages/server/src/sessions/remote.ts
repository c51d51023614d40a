/** Sessions that other processes hold, as they announced them; the latest announcement of a session counts. */
import { SessionIndex } from './index.ts'
import type { Session, SessionFilter } from './session.ts'

export type Remote = { session: Session; readonly process: string }

export class RemoteSessions {
  readonly #index = new SessionIndex<Remote>()
  readonly #ofProcess = new Map<string, Map<string, Remote>>()

  find(id: string): Remote | undefined {
    return this.#index.find(id)
  }

  ofInstance(exec: string): Remote | undefined {
    return this.#index.ofInstance(exec)
  }

  list(filter: SessionFilter): Session[] {
    return this.#index.list(filter).map((remote) => remote.session)
  }

  idsOf(process: string): string[] {
    return [...(this.#ofProcess.get(process)?.keys() ?? [])]
  }

  put(process: string, session: Session): void {
    this.drop(session.id)
    const remote = { session, process }
    this.#index.add(remote)
    const theirs = this.#ofProcess.get(process) ?? new Map<string, Remote>()
    this.#ofProcess.set(process, theirs.set(session.id, remote))
  }

  /** Returns what was there. */
  drop(id: string): Remote | undefined {
    const remote = this.#index.find(id)
    if (remote === undefined) return undefined
    this.#index.remove(remote)
    const theirs = this.#ofProcess.get(remote.process)
    theirs?.delete(id)
    if (theirs?.size === 0) this.#ofProcess.delete(remote.process)
    return remote
  }

  see(id: string, at: number): void {
    const remote = this.#index.find(id)
    if (remote !== undefined) remote.session = { ...remote.session, last_seen: at }
  }
}
