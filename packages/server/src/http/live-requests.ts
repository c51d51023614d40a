/**
 * Long-running requests: streams, and messages that wait for a session's response. Their callers are
 * reauthenticated twice a second by the same code that admitted them, so they end within a second of anything
 * that revokes access, even if another process or an operator command changed the database.
 */

import type { Endpoint } from '../api/endpoint.ts'
import { Refused, refuse } from '../api/refusals.ts'
import type { Deps } from '../deps.ts'
import type { Caller } from '../features/access/caller.ts'
import { authenticate, type Given, type Guarded } from './authenticate.ts'

export type LongCaller = Given & {
  /** The result of `viewOf` when the request started. */
  readonly view?: string
  readonly endpoint: Guarded & Pick<Endpoint, 'name' | 'failures' | 'produces'>
}

/**
 * Thrown if a list or CSV file ends early, because it would otherwise look complete. If nothing has been sent
 * yet, the client gets the error.
 */
export class EndedEarly extends Error {
  readonly refused: Refused

  constructor(refused: Refused) {
    super('the caller lost the right')
    this.refused = refused
  }
}

type LongRequest = {
  readonly caller: LongCaller
  readonly since: number
  readonly end: (refused: Refused) => void
}

/** Interval between checks. It leaves enough of one second for the check itself. */
export const REVIEW_MS = 500
const MAX_AGE_MS = 3_600_000
const DONE: IteratorResult<string, undefined> = { done: true, value: undefined }

export class LiveRequests {
  readonly #deps: Deps
  readonly #running = new Set<LongRequest>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /**
   * Returns the result of `work`, or the error for a caller who lost access. In that case, `work` continues.
   */
  async race<T>(caller: LongCaller, work: Promise<T>): Promise<T | Refused> {
    const { promise, resolve } = Promise.withResolvers<Refused>()
    const leave = this.#enter(caller, resolve)
    try {
      return await Promise.race([work, promise])
    } finally {
      leave()
    }
  }

  /**
   * Passes the parts through until the caller loses access, but for at most an hour. After that, events end,
   * and lists and CSV files throw {@link EndedEarly}.
   */
  guard(caller: LongCaller, parts: AsyncIterable<string>): AsyncIterableIterator<string, undefined> {
    const source = parts[Symbol.asyncIterator]()
    let ended: Refused | undefined
    const leave = this.#enter(caller, (refused) => {
      ended = refused
      source.return?.().catch(() => {})
    })
    const finish = () => {
      leave()
      if (ended && caller.endpoint.produces !== 'events') throw new EndedEarly(ended)
      return DONE
    }
    return {
      [Symbol.asyncIterator]() {
        return this
      },
      async next() {
        if (ended) return finish()
        const part = await source.next().catch((error: unknown) => {
          leave()
          throw error
        })
        return part.done || ended ? finish() : part
      },
      async return() {
        leave()
        await source.return?.()
        return DONE
      },
    }
  }

  /** Ends requests that are no longer allowed. Identical callers are looked up only once. */
  async review(): Promise<void> {
    const byCaller = Map.groupBy(this.#running, ({ caller }) => nameOf(caller))
    await Promise.all([...byCaller.values()].map((requests) => this.#reviewEqual(requests)))
  }

  async #reviewEqual(requests: readonly LongRequest[]): Promise<void> {
    const caller = requests[0]?.caller
    const refused = caller && (await this.#refusalOf(caller))
    const now = this.#deps.now()
    for (const { since, end } of requests) {
      if (refused) end(refused)
      else if (now - since >= MAX_AGE_MS) end(refuse('unavailable', { retry_after: 1 }))
    }
  }

  async #refusalOf({ endpoint, view, ...given }: LongCaller): Promise<Refused | undefined> {
    const admitted = await authenticate(this.#deps, lasting(endpoint), given)
    if (admitted instanceof Refused) return admitted
    if (view !== undefined && view !== viewOf(admitted.caller)) return refuse('forbidden')
    const { subject } = admitted
    if (subject === undefined || 'signIn' in subject || 'caller' in subject) return undefined
    const { plan_expires } = 'customer' in subject ? subject.customer : subject
    const isExpired = 'account_expired' in endpoint.failures && plan_expires <= this.#deps.now()
    return isExpired ? refuse('account_expired') : undefined
  }

  #enter(caller: LongCaller, end: LongRequest['end']): () => void {
    const request = { caller, since: this.#deps.now(), end }
    this.#running.add(request)
    return () => void this.#running.delete(request)
  }
}

/** Returns the same string for callers who see the same part of an account. */
export function viewOf(caller: Caller | undefined): string {
  return JSON.stringify([caller?.issuer?.id ?? null, [...(caller?.projects ?? ['all'])].sort()])
}

/**
 * Checks a waiting message without its session, because the message settles on its own when the session ends.
 */
function lasting(endpoint: Guarded): Guarded {
  return endpoint.auth === 'session' ? { ...endpoint, auth: 'customer', filtersByProject: true } : endpoint
}

function nameOf({ endpoint, credential, params, address, view }: LongCaller): string {
  return JSON.stringify([endpoint.name, credential, params, address, view])
}
