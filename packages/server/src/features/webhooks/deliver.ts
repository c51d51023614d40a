/**
 * Delivers due events. Any number of processes may do this at the same time. One process claims each endpoint
 * for a minute, which keeps the endpoint's events in order. If the process dies, another one sends the events
 * in flight again after the claim ends. Outcomes are recorded together with the endpoint's health. `retry.ts`
 * derives both from the response.
 */

import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import type { Attributes } from '../../platform/tracing/spans.ts'
import { report } from '../abuse/security-events.ts'
import { formatOf, openAddress } from './addresses.ts'
import { type Batch, type NextBatches, nextBatches } from './batches.ts'
import type { HostConcurrency } from './host-concurrency.ts'
import { leaveOutOverflow } from './overflow.ts'
import {
  type AddressState,
  type Attempted,
  eventAfter,
  type Format,
  type Health,
  judge,
  nextState,
  readRateLimit,
  readRetryAfter,
} from './retry.ts'
import type { Send, SendOutcome } from './send/send.ts'
import type { Unsigned } from './send/sign.ts'
import { deleteFinishedEvents, updateEvent, updatePendingEvents } from './store/outbox.ts'
import { insertWebhookDeliveries } from './store/webhook-deliveries.ts'
import {
  claimWebhooks,
  listDueWebhooks,
  lockClaimedWebhook,
  updateDeliveredWebhook,
  updateReleasedWebhook,
  type WebhookTarget,
} from './store/webhooks.ts'

export type Delivering = {
  readonly deps: Deps
  readonly send: Send<Unsigned>
  readonly hosts: HostConcurrency
  /** Aborted when the server stops. Requests in flight are dropped and don't count as attempts. */
  readonly stopped: AbortSignal
}
/** An endpoint that only this process delivers to until `until`. */
export type Claimed = { readonly target: WebhookTarget; readonly until: number }

type Claim = Claimed & { readonly url: URL | null; readonly format: Format }
type DeliveryRound = AddressState & { readonly isReleased: boolean }
type Attempt = {
  readonly batch: Batch
  readonly at: number
  readonly durationMs: number
  readonly outcome: SendOutcome
}

/**
 * Duration of a claim, which is much longer than a message takes. After this time, another process can claim
 * the endpoint.
 */
const CLAIM_MS = 60_000
/** Maximum time from the start of a claim until a message is sent. */
const LAST_START_MS = 30_000
/** Maximum number of events per round. A round is recorded in one transaction. */
const ROUND_SIZE = 32
/** Backoff for an endpoint whose host has no free slot. */
const BUSY_HOST_MS = 1000
/** Number of events per endpoint that are kept as its log. */
const LOGGED_EVENTS = 1000
const ANSWER_CHARACTERS = 200

/** Claims at most `limit` endpoints with due events, longest waiting first. */
export async function claimDueAddresses(deps: Deps, limit: number): Promise<Claimed[]> {
  const { db, now } = deps
  const at = now()
  const due = await listDueWebhooks(db.read, at, limit)
  if (due.length === 0) return []
  const until = at + CLAIM_MS
  const targets = await db.transaction((tx) => claimWebhooks(tx, due, { now: at, until }))
  return targets.map((target) => {
    const { project_id, kind, address } = target
    return { target: { ...target, address: openAddress(deps, project_id, kind, address) }, until }
  })
}

/** Sends due events to a claimed endpoint, records the outcomes, and releases it. */
export async function deliverToAddress(delivering: Delivering, claimed: Claimed): Promise<void> {
  const { deps, stopped } = delivering
  const { target } = claimed
  const url = URL.parse(target.address ?? '')
  const claim: Claim = { ...claimed, url, format: formatOf(deps, target.address) }
  if (url === null) await deps.db.transaction((tx) => updatePendingEvents(tx, target, 'dropped'))
  let round = ended(healthOf(target), 0, url !== null)
  while (round.isMore && !stopped.aborted && deps.now() < lastStartOf(claimed.until)) {
    round = await deliverRound(delivering, claim, round.health)
  }
  if (!round.isReleased) await deps.db.transaction((tx) => release(tx, claim, round))
}

/** The time from which no more messages are started, because the claim may end before their responses. */
function lastStartOf(until: number): number {
  return until - CLAIM_MS + LAST_START_MS
}

function healthOf({ failures, failing_since, paused_at, pause_reason }: WebhookTarget): Health {
  return { failures, failing_since, paused_at, pause_reason }
}

function ended(health: Health, backoffUntil: number, isMore = false): DeliveryRound {
  return { health, backoffUntil, isMore, isReleased: false }
}

async function deliverRound(delivering: Delivering, claim: Claim, health: Health): Promise<DeliveryRound> {
  const { deps, hosts } = delivering
  const isProbing = health.failures > 0 || health.paused_at !== null
  const limit = isProbing ? 1 : ROUND_SIZE
  const next = await dueBatches(deps, claim, limit)
  if ('waitUntil' in next) return ended(health, next.waitUntil)
  if (next.batches.length === 0) return ended(health, 0)
  const now = deps.now()
  const wanted = { account: claim.target.customer_id, count: next.batches.length, now }
  const slots = hosts.reserve(hostKey(claim), wanted)
  if (slots === 0) return ended(health, now + BUSY_HOST_MS)
  const attempts = await attemptAll(delivering, claim, { batches: next.batches, slots }).finally(() => {
    hosts.release(hostKey(claim), slots)
  })
  if (attempts.length === 0) return ended(health, 0)
  const isLast = next.batches.length < limit && claim.format !== 'chat'
  return record(deps, claim, { attempts, health, isLast })
}

type Slots = { readonly batches: readonly Batch[]; readonly slots: number }

/**
 * Sends one batch per slot concurrently. After a failure or a stop, or when the claim is about to end, starts
 * no more batches.
 */
async function attemptAll(
  delivering: Delivering,
  { until }: Claimed,
  { batches, slots }: Slots,
): Promise<Attempt[]> {
  const { deps, stopped } = delivering
  const made: Attempt[] = []
  const rest = [...batches]
  let isFailing = false
  const mayStart = () => !isFailing && !stopped.aborted && deps.now() < lastStartOf(until)
  const lane = async () => {
    for (let batch = rest[0]; batch && mayStart(); batch = rest[0]) {
      rest.shift()
      const one = await attempt(delivering, batch)
      if (stopped.aborted && 'error' in one.outcome) return
      isFailing ||= 'error' in one.outcome || one.outcome.status >= 300
      made.push(one)
    }
  }
  await Promise.all(Array.from({ length: slots }, lane))
  return made
}

async function attempt({ deps, send, stopped }: Delivering, batch: Batch): Promise<Attempt> {
  const at = deps.now()
  const span = deps.spans.begin('deliver webhook', { kind: 'client', attributes: attributesOf(batch) })
  const start = performance.now()
  const outcome = await send(batch.message(), stopped)
  const durationMs = performance.now() - start
  if ('error' in outcome) span.end({}, 'no_answer')
  else
    span.end(
      { 'http.response.status_code': outcome.status },
      outcome.status >= 300 ? String(outcome.status) : undefined,
    )
  return { batch, at, durationMs, outcome }
}

/** Omits the URL, because Discord URLs are credentials. */
function attributesOf({ events }: Batch): Attributes {
  const { project_id = '', kind = '' } = events[0] ?? {}
  return {
    'http.request.method': 'POST',
    'scriptward.project_id': project_id,
    'scriptward.webhook': kind,
    'scriptward.events': events.length,
  }
}

type Made = {
  readonly attempts: readonly Attempt[]
  readonly health: Health
  /** True if nothing else was due. In that case, the endpoint is released in the same transaction. */
  readonly isLast: boolean
}

/** Records all outcomes of a round in one transaction. */
async function record(deps: Deps, claim: Claim, { attempts, health, isLast }: Made): Promise<DeliveryRound> {
  const { target, format } = claim
  const now = deps.now()
  const judged = attempts.flatMap((one) => {
    const attempted = attemptedOf(format, one.outcome, now)
    return one.batch.events.map((event) => {
      const verdict = judge(format, attempted, { attempts: event.attempts + 1, chance: chanceOf(deps) })
      return { one, event, verdict }
    })
  })
  const verdicts = judged.map(({ verdict }) => verdict)
  const state = nextState(health, verdicts, { now, chance: chanceOf(deps), restMs: restMs(format, attempts) })
  const isReleased = isLast || !state.isMore
  const isHeld = await deps.db.transaction(async (tx) => {
    const isOurs = await lockClaimedWebhook(tx, { seq: target.seq, until: claim.until })
    // If the endpoint was edited after it was claimed, its undelivered events go to the new URL.
    const settled = isOurs ? judged : judged.filter(({ verdict }) => verdict.is === 'delivered')
    await Promise.all(
      settled.map(({ event, verdict }) =>
        updateEvent(tx, { seq: event.seq, ...eventAfter(event.attempts, verdict, now) }),
      ),
    )
    await insertWebhookDeliveries(
      tx,
      judged.map(({ one, event }) => ({
        event_id: event.id,
        address: deps.secrets.sealText('eventAddress', event.id, target.address ?? ''),
        ...describe(one),
      })),
    )
    if (verdicts.some(({ is }) => is === 'delivered'))
      await updateDeliveredWebhook(tx, { seq: target.seq, until: claim.until }, now)
    if (isOurs && verdicts.some(({ is }) => is === 'gone')) await updatePendingEvents(tx, target, 'failed')
    if (isReleased) await release(tx, claim, state)
    // Runs about once in 64 events, which is enough for any number of processes.
    if (judged.some(({ event }) => event.seq % 64 === 0))
      await deleteFinishedEvents(tx, target, LOGGED_EVENTS)
    return isOurs
  })
  const { paused_at, pause_reason } = state.health
  if (isHeld && health.paused_at === null && paused_at !== null)
    report(deps, 'webhook_paused', { project: target.project_id, kind: target.kind, why: pause_reason })
  return { ...state, isMore: isHeld && !isReleased, isReleased }
}

async function release(tx: Queries, { target, until }: Claim, state: AddressState): Promise<void> {
  const released = { ...state.health, held_until: state.backoffUntil }
  await updateReleasedWebhook(tx, { seq: target.seq, until }, released)
}

/** Returns the due batches, after dropping events beyond the limits. */
async function dueBatches(deps: Deps, claim: Claim, limit: number): Promise<NextBatches> {
  const { target, format } = claim
  const next = await nextBatches(deps, target, format, limit)
  if (!mayOverflow(claim, next, limit)) return next
  const isLeftOut = await leaveOutOverflow(deps, target, format)
  return isLeftOut ? nextBatches(deps, target, format, limit) : next
}

/** Counting is worthwhile only if a round is full or something has failed before. */
function mayOverflow({ format }: Claim, next: NextBatches, limit: number): boolean {
  if ('waitUntil' in next) return false
  if (format === 'chat') return true
  const hasFailed = next.batches.some(({ events }) => events.some(({ attempts }) => attempts > 0))
  return next.batches.length === limit || hasFailed
}

function attemptedOf(format: Format, outcome: SendOutcome, now: number): Attempted {
  if ('error' in outcome) return outcome
  const { status, headers, text } = outcome
  const retryAfterMs = readRetryAfter(headers['retry-after'], format === 'chat' ? text : '', now)
  return { status, retryAfterMs }
}

/**
 * Returns how long Discord won't accept messages because its rate limit is used up, or 0 if it accepts them.
 */
function restMs(format: Format, attempts: readonly Attempt[]): number {
  if (format !== 'chat') return 0
  return Math.max(
    0,
    ...attempts.map(({ outcome }) => ('error' in outcome ? 0 : readRateLimit(outcome.headers))),
  )
}

function describe({ at, durationMs, outcome }: Attempt) {
  const times = { attempted_at: at, duration_ms: Math.round(durationMs) }
  if ('error' in outcome) return { ...times, error: outcome.error }
  const answer = outcome.text
    .slice(0, 4 * ANSWER_CHARACTERS)
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
  return {
    ...times,
    status: outcome.status,
    answer: answer.slice(0, ANSWER_CHARACTERS).toWellFormed() || null,
  }
}

/** All Discord endpoints share one host, which limits each endpoint separately. */
function hostKey({ url, format }: Claim): string {
  return `${url?.host}${format === 'chat' ? url?.pathname : ''}`
}

function chanceOf({ random }: Deps): number {
  return random(4).readUInt32BE() / 2 ** 32
}
