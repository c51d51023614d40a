/**
 * Serves one address while it is claimed: sends what is due, puts down what came of it, and gives the address back with
 * a time before which nobody needs to try again.
 */
import type { Deps } from '../deps.ts'
import { leaveOutEvents } from '../domain/events.ts'
import { NEVER } from '../domain/quotas.ts'
import type { Queries } from '../store/db.ts'
import {
  countPendingEvents,
  deleteFinishedEvents,
  updateEvent,
  updatePendingEvents,
} from '../store/outbox.ts'
import { insertWebhookDeliveries } from '../store/webhook-deliveries.ts'
import { updateReleasedWebhook, type WebhookRow, type WebhookTarget } from '../store/webhooks.ts'
import { isChatAddress } from '../webhooks/address.ts'
import type { SendOutcome } from '../webhooks/request.ts'
import {
  type Attempted,
  type Format,
  holdMs,
  isPauseDue,
  judge,
  PAUSE_MS,
  readRetryAfter,
  type Verdict,
} from '../webhooks/retry.ts'
import type { Sender } from '../webhooks/sender.ts'
import type { HostPlaces } from './host-places.ts'
import { type Batch, type Next, nextBatches } from './webhook-batch.ts'

export type Serving = {
  readonly deps: Deps
  readonly sender: Sender
  readonly hosts: HostPlaces
  /** Aborted when the service ends; requests under way are then given up as if they had not been made. */
  readonly ended: AbortSignal
}

type Health = Pick<WebhookRow, 'failures' | 'failing_since' | 'paused_at' | 'pause_reason'>
type Claim = {
  readonly target: WebhookTarget
  readonly until: number
  readonly url: URL | null
  readonly format: Format
}
type Turn = {
  readonly health: Health
  readonly heldUntil: number
  readonly isMore: boolean
  /** The address is given back already. */
  readonly isReleased?: boolean
}
type Attempt = {
  readonly batch: Batch
  readonly at: number
  readonly durationMs: number
  readonly outcome: SendOutcome
}

/** Longer than one message takes by far; whoever dies meanwhile is replaced after it. */
export const LEASE_MS = 60_000
/** No message is begun later in a claim. */
const LAST_START_MS = 30_000
/** Events that are put down together. */
const MOST_IN_TURN = 32
/** For an address whose host is busy with other projects' messages. */
const BUSY_MS = 1000
/** More waiting events than this are not sent one by one; so many of the newest still are. */
const MOST_WAITING = { chat: { most: 500, keep: 9 }, generic: { most: 10_000, keep: 5000 } } as const
/** Events of a project that are kept as its log. */
const KEPT_EVENTS = 1000
const ANSWER_CHARACTERS = 200
const HEALTHY: Health = { failures: 0, failing_since: null, paused_at: null, pause_reason: null }

export async function serveWebhook(serving: Serving, target: WebhookTarget, until: number): Promise<void> {
  const { deps, ended } = serving
  const { failures, failing_since, paused_at, pause_reason } = target
  const health: Health = { failures, failing_since, paused_at, pause_reason }
  const url = URL.parse(target.address ?? '')
  const claim: Claim = { target, until, url, format: formatOf(deps, url) }
  if (url === null) await deps.db.transaction((tx) => updatePendingEvents(tx, target, 'dropped'))
  const start = deps.now()
  let turn: Turn = { health, heldUntil: 0, isMore: url !== null }
  while (turn.isMore && !ended.aborted && deps.now() - start < LAST_START_MS) {
    turn = await takeTurn(serving, claim, turn.health)
  }
  if (!turn.isReleased) await deps.db.transaction((tx) => release(tx, claim, turn))
}

async function takeTurn(serving: Serving, claim: Claim, health: Health): Promise<Turn> {
  const { deps, hosts } = serving
  const { format } = claim
  const isTrying = health.failures > 0 || health.paused_at !== null
  const most = isTrying ? 1 : MOST_IN_TURN
  const next = await dueBatches(deps, claim, most)
  if ('waitUntil' in next) return { health, heldUntil: next.waitUntil, isMore: false }
  if (next.batches.length === 0) return { health, heldUntil: 0, isMore: false }
  const places = hosts.take(placeOf(claim), next.batches.length)
  if (places === 0) return { health, heldUntil: deps.now() + BUSY_MS, isMore: false }
  const made = await attemptAll(serving, next.batches, places).finally(() => {
    hosts.giveBack(placeOf(claim), places)
  })
  if (made.length === 0) return { health, heldUntil: 0, isMore: false }
  return settle(deps, claim, {
    attempts: made,
    health,
    isLast: next.batches.length < most && format !== 'chat',
  })
}

/** So many at once as there are places; after one that failed none is begun, and none when the service ends. */
async function attemptAll(serving: Serving, batches: readonly Batch[], places: number): Promise<Attempt[]> {
  const made: Attempt[] = []
  const rest = [...batches]
  let isFailing = false
  const lane = async () => {
    for (let batch = rest.shift(); batch && !isFailing && !serving.ended.aborted; batch = rest.shift()) {
      const one = await attempt(serving, batch)
      if (serving.ended.aborted && 'error' in one.outcome) return
      isFailing ||= 'error' in one.outcome || one.outcome.status >= 300
      made.push(one)
    }
  }
  await Promise.all(Array.from({ length: places }, lane))
  return made
}

async function attempt({ deps, sender }: Serving, batch: Batch): Promise<Attempt> {
  const at = deps.now()
  const start = performance.now()
  const outcome = await sender.send(batch.message())
  return { batch, at, durationMs: performance.now() - start, outcome }
}

type Made = {
  readonly attempts: readonly Attempt[]
  readonly health: Health
  /** Nothing else was due, so that the address is given back with what came of it. */
  readonly isLast: boolean
}

/** Everything that a turn came to, in one transaction. */
async function settle(deps: Deps, claim: Claim, { attempts, health, isLast }: Made): Promise<Turn> {
  const { target, format } = claim
  const now = deps.now()
  const settled = attempts.flatMap((one) => {
    const attempted = attemptedOf(format, one.outcome, now)
    return one.batch.events.map((event) => {
      const verdict = judge(format, attempted, { attempts: event.attempts + 1, chance: chanceOf(deps) })
      return { one, event, verdict }
    })
  })
  const verdicts = settled.map(({ verdict }) => verdict)
  const turn = nextTurn(deps, health, { verdicts, restMs: restMs(format, attempts) })
  const isReleased = isLast || !turn.isMore
  await deps.db.transaction(async (tx) => {
    const address = target.address ?? ''
    // Started together they are one way there and back, and run in this order.
    await Promise.all([
      ...settled.map(({ event, verdict }) =>
        updateEvent(tx, { seq: event.seq, ...stateAfter(event, verdict, now) }),
      ),
      insertWebhookDeliveries(
        tx,
        settled.map(({ one, event }) => ({ event_id: event.id, address, ...describe(one) })),
      ),
      verdicts.some((verdict) => verdict.is === 'gone')
        ? updatePendingEvents(tx, target, 'failed')
        : undefined,
      isReleased ? release(tx, claim, turn) : undefined,
    ])
    // Now and then is enough, and the same for however many processes there are.
    if (settled.some(({ event }) => event.seq % 64 === 0))
      await deleteFinishedEvents(tx, target.project_id, KEPT_EVENTS)
  })
  return { ...turn, isMore: !isReleased, isReleased }
}

async function release(tx: Queries, { target, until }: Claim, turn: Turn): Promise<void> {
  const released = { ...turn.health, held_until: turn.heldUntil }
  await updateReleasedWebhook(tx, { seq: target.seq, until }, released)
}

function stateAfter({ attempts }: { attempts: number }, verdict: Verdict, now: number) {
  if (verdict.is === 'retry') {
    const counted = verdict.isCounted ? attempts + 1 : attempts
    return { state: 'pending', attempts: counted, due_at: now + verdict.waitMs } as const
  }
  return {
    state: verdict.is === 'delivered' ? 'delivered' : 'failed',
    attempts: attempts + 1,
    due_at: null,
  } as const
}

function nextTurn(
  deps: Deps,
  health: Health,
  { verdicts, restMs }: { readonly verdicts: readonly Verdict[]; readonly restMs: number },
): Turn {
  const now = deps.now()
  if (verdicts.some((one) => one.is === 'gone')) {
    return { health: { ...health, paused_at: now, pause_reason: 'gone' }, heldUntil: NEVER, isMore: false }
  }
  const askedMs = Math.max(restMs, ...verdicts.map((one) => (one.is === 'retry' ? one.holdMs : 0)))
  const isDelivered = verdicts.some((one) => one.is === 'delivered')
  const isFailing = verdicts.some((one) => one.is === 'failed' || (one.is === 'retry' && one.holdMs === 0))
  if (isFailing && !isDelivered) return failedTurn(deps, health, askedMs)
  const after = isDelivered ? HEALTHY : health
  return { health: after, heldUntil: askedMs > 0 ? now + askedMs : 0, isMore: isDelivered && askedMs === 0 }
}

/** An address that fails is left alone for longer and longer; after days of it, for a day. */
function failedTurn(deps: Deps, health: Health, askedMs: number): Turn {
  const now = deps.now()
  const failures = health.failures + 1
  const failing_since = health.failing_since ?? now
  const isPaused = health.paused_at !== null || isPauseDue(failing_since, failures, now)
  const waitMs = isPaused ? PAUSE_MS : Math.max(askedMs, holdMs(failures, chanceOf(deps)))
  return {
    health: {
      failures,
      failing_since,
      paused_at: isPaused ? (health.paused_at ?? now) : null,
      pause_reason: isPaused ? 'failing' : null,
    },
    heldUntil: now + waitMs,
    isMore: false,
  }
}

/** What is due, when it is no more than is sent one by one. */
async function dueBatches(deps: Deps, claim: Claim, most: number): Promise<Next> {
  const { target, format } = claim
  const next = await nextBatches(deps, target, format, most)
  if (!mayBeMany(claim, next, most) || !(await leaveOut(deps, claim))) return next
  return nextBatches(deps, target, format, most)
}

/** Of single messages many wait only where more is due than a turn takes, or where something failed before. */
function mayBeMany({ format }: Claim, next: Next, most: number): boolean {
  if ('waitUntil' in next) return false
  if (format === 'chat') return true
  const hasFailed = next.batches.some(({ events }) => events.some(({ attempts }) => attempts > 0))
  return next.batches.length === most || hasFailed
}

async function leaveOut(deps: Deps, { target, format }: Claim): Promise<boolean> {
  const { most, keep } = MOST_WAITING[format]
  if ((await countPendingEvents(deps.db.read, target, most + 1)) <= most) return false
  await deps.db.transaction((tx) => leaveOutEvents(tx, deps, target, keep))
  return true
}

function attemptedOf(format: Format, outcome: SendOutcome, now: number): Attempted {
  if ('error' in outcome) return outcome
  const { status, headers, text } = outcome
  const retryAfterMs = readRetryAfter(headers['retry-after'], format === 'chat' ? text : '', now)
  return { status, retryAfterMs }
}

/** The platform says when nothing more would be taken for a while. */
function restMs(format: Format, attempts: readonly Attempt[]): number {
  const rests = attempts.map(({ outcome }) => {
    if (format !== 'chat' || 'error' in outcome || outcome.headers['x-ratelimit-remaining'] !== '0') return 0
    const seconds = Number(outcome.headers['x-ratelimit-reset-after'])
    return seconds > 0 && seconds <= 3600 ? Math.ceil(seconds * 1000) : 0
  })
  return Math.max(0, ...rests)
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

function formatOf({ config }: Deps, url: URL | null): Format {
  return url !== null && isChatAddress(url, config) ? 'chat' : 'generic'
}

/** Addresses on the chat platform share one host, which limits each of them by itself. */
function placeOf({ url, format }: Claim): string {
  return `${url?.host}${format === 'chat' ? url?.pathname : ''}`
}

function chanceOf({ random }: Deps): number {
  return random(4).readUInt32BE() / 2 ** 32
}
