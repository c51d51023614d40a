/**
 * Handles requests with an `Idempotency-Key`: the first is performed, and any other with the same key and
 * content gets the stored response, for one day and across restarts. The key is claimed in the same
 * transaction as the first change, so that no crash can make a retried request count twice. Storage per
 * account is limited.
 */
import { hash } from 'node:crypto'
import type { Auth, Endpoint, Subjects } from '../api/endpoint.ts'
import {
  ANSWER_RETENTION_MS,
  MAX_ANSWER_BYTES,
  MAX_ANSWERS,
  MAX_ANSWERS_OF_ONE,
  MAX_STORED_ANSWER,
} from '../api/limits.ts'
import { Refused, refuse, refuseMember } from '../api/refusals.ts'
import type { Database, Queries } from '../database/engine/db.ts'
import {
  countIdempotencyKeys,
  deleteIdempotencyKey,
  findIdempotencyKey,
  type IdempotencyKeyRow,
  insertIdempotencyKey,
  updateIdempotencyKey,
} from '../database/idempotency-keys.ts'
import type { Deps } from '../deps.ts'
import type { Answer } from './respond.ts'

/**
 * A period longer than any request may take. If an older claim has no response, the response was lost in a
 * crash.
 */
const MAX_REQUEST_MS = 5 * 60_000
/** Temporary errors. A retry after one of these performs the request again. */
const NOT_NOW = new Set([429, 500, 503])

export type Repeatable = {
  readonly customerId: string
  readonly key: string
  /** ID of the token or dashboard user. Empty for the account's API key. */
  readonly sender: string
  readonly requestHash: string
  /**
   * A response with a secret is never stored, because a replay would reveal it to anyone who resends the
   * request.
   */
  readonly mayTellSecret: boolean
}
type Reason =
  | 'idempotency_key_reused'
  | 'idempotency_key_in_use'
  | 'idempotency_answer_lost'
  | 'too_many_idempotency_keys'
/** Returns the response with its serialized body. */
type Perform = (deps: Deps) => Promise<Answer & { readonly body: string }>
/**
 * A request with an idempotency key, whether the key is in the database, and the maximum size of its response
 * in bytes.
 */
type Claim = Repeatable & { readonly id: string; readonly room: number; isTaken: boolean }

type Subject = Subjects[Auth]
type Unstored = Subjects['none' | 'person' | 'caller']

/** Response fields that would let someone act on behalf of an account or read hidden data. */
const SECRETS = new Set(['secret', 'api_key'])
/**
 * Matches a field that is not null. Quotes within a string are escaped, so a caller's string can't match.
 */
const TELLS_SECRET = /"(?:secret|api_key)":"/

function hasSecret(schema: object): boolean {
  const {
    properties = {},
    items,
    anyOf = [],
  } = schema as {
    readonly properties?: Readonly<Record<string, object>>
    readonly items?: object
    readonly anyOf?: readonly object[]
  }
  if (Object.keys(properties).some((name) => SECRETS.has(name))) return true
  return [...Object.values(properties), ...anyOf, ...(items ? [items] : [])].some(hasSecret)
}

/**
 * Returns the data that identifies equal requests, or undefined for requests without a key and for streams,
 * which change nothing.
 */
export function repeatableOf(
  { name, method, produces, response }: Endpoint,
  { subject, caller, params, query, body, digest, origin }: Parameters<Endpoint['handle']>[0],
): Repeatable | Refused<'invalid_request'> | undefined {
  const key = origin.headers['idempotency-key']
  if (key === undefined || method !== 'POST' || isUnstored(subject)) return undefined
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key))
    return refuseMember('Idempotency-Key', 'must be 1 to 255 printable ASCII characters without spaces')
  if (produces === 'stream' || produces === 'events') return undefined
  const { id } = 'customer' in subject ? subject.customer : subject
  // Another token or user must not get a response that they might not have received themselves.
  const sender = caller?.actor.kind === 'api_key' ? [] : [caller?.actor.kind, caller?.actor.id]
  const content = JSON.stringify([name, params, query, digest ?? body, ...sender])
  return {
    customerId: id,
    key,
    sender: sender[1] ?? '',
    requestHash: hash('sha256', content),
    mayTellSecret: hasSecret(response),
  }
}

/** Requests without an account are not stored, because browsers don't retry them automatically. */
function isUnstored(subject: Subject): subject is Unstored {
  return subject === undefined || 'signIn' in subject || 'caller' in subject
}

export class Idempotency {
  readonly #running = new Map<string, Promise<unknown>>()

  /** Requests with the same key that arrive in the meantime wait for the first one. */
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

  /** Returns the stored response to this exact request, even if the request can no longer be performed. */
  async findAnswer(deps: Deps, request: Repeatable): Promise<Answer | undefined> {
    await this.#running.get(`${request.customerId} ${request.key}`)
    const stored = await findStored(deps, request)
    const answer = stored && replay(deps, request, stored)
    return answer instanceof Refused ? undefined : answer
  }
}

async function answerOnce(
  deps: Deps,
  request: Repeatable,
  perform: Perform,
): Promise<Answer | Refused<Reason>> {
  const stored = await findStored(deps, request)
  if (stored) return replay(deps, request, stored)
  const room = await findRoom(deps, request)
  if (room instanceof Refused) return room
  const claim = { ...request, id: deps.random(9).toString('base64url'), room, isTaken: false }
  try {
    const db = claiming(deps, claim)
    const answer = await perform({ ...deps, db, unauditedDb: db })
    await storeAnswer(deps, claim, answer)
    return answer
  } catch (error) {
    const other = error instanceof KeyTaken && (await findStored(deps, request))
    if (other) return replay(deps, request, other)
    throw error
  }
}

/** Returns the number of bytes available for the response. Concurrent requests are not considered. */
async function findRoom(
  { db, now }: Deps,
  { customerId, sender }: Repeatable,
): Promise<number | Refused<'too_many_idempotency_keys'>> {
  const held = await countIdempotencyKeys(db.read, { customerId, sender }, now() - ANSWER_RETENTION_MS)
  const isFull = held.count >= MAX_ANSWERS
  const isOwnFull = sender !== '' && held.own >= MAX_ANSWERS_OF_ONE
  if (!isFull && !isOwnFull) return Math.min(MAX_STORED_ANSWER, MAX_ANSWER_BYTES - held.bytes)
  const oldest = Math.max(isFull ? held.oldest : 0, isOwnFull ? held.ownOldest : 0)
  const waitMs = oldest + ANSWER_RETENTION_MS - now()
  return refuse('too_many_idempotency_keys', { retry_after: Math.ceil(waitMs / 1000) })
}

/**
 * Thrown if a request in another process claimed the key first, so that the changes of this request are
 * rolled back.
 */
class KeyTaken extends Error {}

/** Returns a database handle whose first change also claims the key. */
function claiming({ db, now }: Deps, claim: Claim): Database {
  const within = async <T>(tx: Queries, change: (tx: Queries) => Promise<T>): Promise<T> => {
    if (!claim.isTaken) await takeKey(tx, claim, now())
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

async function takeKey(tx: Queries, claim: Claim, now: number): Promise<void> {
  const { customerId, key, sender, requestHash, id } = claim
  const row = { customer_id: customerId, key, sender, request_hash: requestHash, claim: id, created_at: now }
  if (await insertIdempotencyKey(tx, row)) return
  const holder = await findIdempotencyKey(tx, customerId, key)
  if (holder?.claim !== id) throw new KeyTaken('the idempotency key is taken')
}

async function storeAnswer(
  deps: Deps,
  claim: Claim,
  answer: Answer & { readonly body: string },
): Promise<void> {
  const { status, body, contentType = null } = answer
  const { customerId, key } = claim
  await deps.db.transaction(async (tx) => {
    if (NOT_NOW.has(status)) return deleteIdempotencyKey(tx, customerId, key, claim.id)
    if (!claim.isTaken) await takeKey(tx, claim, deps.now())
    const sealed = deps.secrets.seal('storedResponse', customerId, body)
    const tellsSecret = claim.mayTellSecret && TELLS_SECRET.test(body)
    const isKept = sealed.length <= claim.room && !tellsSecret
    const stored = isKept ? { body: sealed, size: sealed.length } : {}
    return updateIdempotencyKey(tx, customerId, key, { status, content_type: contentType, ...stored })
  })
}

async function findStored({ db, now }: Deps, { customerId, key }: Repeatable) {
  const row = await findIdempotencyKey(db.read, customerId, key)
  if (!row || now() - row.created_at < ANSWER_RETENTION_MS) return row
  await db.transaction((tx) => deleteIdempotencyKey(tx, customerId, key, row.claim))
  return undefined
}

function replay(
  { now, secrets }: Deps,
  { requestHash }: Repeatable,
  row: IdempotencyKeyRow,
): Answer | Refused<Reason> {
  if (row.request_hash !== requestHash) return refuse('idempotency_key_reused')
  if (row.status !== null && row.body === null) return refuse('idempotency_answer_lost')
  if (row.status === null || row.body === null)
    return now() - row.created_at < MAX_REQUEST_MS
      ? refuse('idempotency_key_in_use', { retry_after: 1 })
      : refuse('idempotency_answer_lost')
  return {
    status: row.status,
    body: secrets.openText('storedResponse', row.customer_id, row.body),
    headers: { 'idempotent-replayed': 'true' },
    ...(row.content_type === null ? {} : { contentType: row.content_type }),
  }
}
