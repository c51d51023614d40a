/**
 * Requests that carry an `Idempotency-Key`: the first is done, and its answer is given again to every other one with the
 * same key and content, for a day and over restarts. The key is taken in the same transaction as the first change, so
 * that no crash can make a request that is sent again count twice.
 */
import { hash } from 'node:crypto'
import type { Deps } from '../deps.ts'
import { ANSWER_KEPT_MS } from '../domain/limits.ts'
import { Refused, refuse, refuseMember } from '../domain/refusals.ts'
import { openText, SEAL_NONCE_BYTES, sealText } from '../domain/sealing.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import type { Database, Queries } from '../store/db.ts'
import {
  deleteIdempotencyKey,
  findIdempotencyKey,
  type IdempotencyKeyRow,
  insertIdempotencyKey,
  updateIdempotencyKey,
} from '../store/idempotency-keys.ts'
import type { Answer } from './answer.ts'

/** Longer than any request takes: what has no answer by then lost it in a crash. */
const LONGEST_MS = 5 * 60_000
/** Answers that say "not now"; whoever comes back wants another one. */
const NOT_NOW = new Set([429, 500, 503])

export type Repeatable = { readonly customerId: string; readonly key: string; readonly requestHash: string }
type Reason = 'idempotency_key_reused' | 'idempotency_key_in_use' | 'idempotency_answer_lost'
type Perform = (deps: Deps) => Promise<Answer>
/** This request among those with its key, and whether the database has it. */
type Claim = Repeatable & { readonly id: string; isTaken: boolean }

/** What makes a request the same as another one; undefined when its sender does not care. */
export function repeatableOf(
  { name, method }: Endpoint,
  { subject, params, query, body, origin }: Parameters<Endpoint['handle']>[0],
): Repeatable | Refused<'invalid_request'> | undefined {
  const key = origin.headers['idempotency-key']
  if (key === undefined || method !== 'POST' || subject === undefined) return undefined
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key))
    return refuseMember('Idempotency-Key', 'must be 1 to 255 printable ASCII characters without blanks')
  const { id } = 'customer' in subject ? subject.customer : subject
  return { customerId: id, key, requestHash: hash('sha256', JSON.stringify([name, params, query, body])) }
}

export class Repeats {
  readonly #running = new Map<string, Promise<unknown>>()

  /** Those with the same key that come meanwhile wait for the first one. */
  async answer(deps: Deps, request: Repeatable, perform: Perform): Promise<Answer | Refused<Reason>> {
    const name = `${request.customerId} ${request.key}`
    while (this.#running.has(name)) await this.#running.get(name)
    const running = answerOnce(deps, request, perform)
    this.#running.set(
      name,
      running.catch(() => {}).finally(() => this.#running.delete(name)),
    )
    return running
  }

  /** What this very request was answered before, when it cannot be done any more; another one counts for nothing. */
  async again(deps: Deps, request: Repeatable): Promise<Answer | undefined> {
    await this.#running.get(`${request.customerId} ${request.key}`)
    const kept = await findKept(deps, request)
    const answer = kept && answerAgain(deps, request, kept)
    return answer instanceof Refused ? undefined : answer
  }
}

async function answerOnce(
  deps: Deps,
  request: Repeatable,
  perform: Perform,
): Promise<Answer | Refused<Reason>> {
  const kept = await findKept(deps, request)
  if (kept) return answerAgain(deps, request, kept)
  const claim = { ...request, id: deps.random(9).toString('base64url'), isTaken: false }
  try {
    const answer = await perform({ ...deps, db: claiming(deps, claim) })
    await keep(deps, claim, answer)
    return answer
  } catch (error) {
    const other = error instanceof KeyTaken && (await findKept(deps, request))
    if (other) return answerAgain(deps, request, other)
    throw error
  }
}

/** A request of another process came first; whatever was changed meanwhile is rolled back. */
class KeyTaken extends Error {}

/** The database, with the key taken by the first change that is made on it. */
function claiming({ db, now }: Deps, claim: Claim): Database {
  const within = async <T>(tx: Queries, change: (tx: Queries) => Promise<T>): Promise<T> => {
    if (!claim.isTaken) await take(tx, claim, now())
    return change(tx)
  }
  const done = <T>(value: T): T => {
    if (!(value instanceof Refused)) claim.isTaken = true
    return value
  }
  return {
    ...db,
    transaction: (change) => db.transaction((tx) => within(tx, change)).then(done),
    bulk: (change) => db.bulk((tx) => within(tx, change)).then(done),
  }
}

async function take(tx: Queries, { customerId, key, requestHash, id }: Claim, now: number): Promise<void> {
  const row = { customer_id: customerId, key, request_hash: requestHash, claim: id, created_at: now }
  if (await insertIdempotencyKey(tx, row)) return
  const holder = await findIdempotencyKey(tx, customerId, key)
  if (holder?.claim !== id) throw new KeyTaken('the idempotency key is taken')
}

async function keep(deps: Deps, claim: Claim, answer: Answer): Promise<void> {
  const { status, body, contentType = null } = answer
  const { customerId, key } = claim
  await deps.db.transaction(async (tx) => {
    // Streams are exports, which change nothing and may be longer than anybody wants to keep.
    if (NOT_NOW.has(status) || answer.stream || typeof body !== 'string')
      return deleteIdempotencyKey(tx, customerId, key, claim.id)
    if (!claim.isTaken) await take(tx, claim, deps.now())
    const nonce = deps.random(SEAL_NONCE_BYTES)
    const sealed = sealText(deps.protocol.keyring.answerKey, customerId, body, nonce)
    return updateIdempotencyKey(tx, customerId, key, { status, content_type: contentType, body: sealed })
  })
}

async function findKept({ db, now }: Deps, { customerId, key }: Repeatable) {
  const row = await findIdempotencyKey(db.read, customerId, key)
  if (!row || now() - row.created_at < ANSWER_KEPT_MS) return row
  await db.transaction((tx) => deleteIdempotencyKey(tx, customerId, key, row.claim))
  return undefined
}

function answerAgain(
  { now, protocol }: Deps,
  { requestHash }: Repeatable,
  row: IdempotencyKeyRow,
): Answer | Refused<Reason> {
  if (row.request_hash !== requestHash) return refuse('idempotency_key_reused')
  if (row.status === null || row.body === null)
    return now() - row.created_at < LONGEST_MS
      ? refuse('idempotency_key_in_use', { retry_after: 1 })
      : refuse('idempotency_answer_lost')
  return {
    status: row.status,
    body: openText(protocol.keyring.answerKey, row.customer_id, row.body),
    headers: { 'idempotent-replayed': 'true' },
    ...(row.content_type === null ? {} : { contentType: row.content_type }),
  }
}
