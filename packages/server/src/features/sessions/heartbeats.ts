/**
 * Handles heartbeats and ends of running instances (client protocol §11). The state is a database row, so any
 * process can answer any heartbeat, and a retry gets the same bytes. Heartbeats that follow the previous one
 * and request nothing are answered in a batch with one read, one statement and one commit, which also stores
 * their error reports. All other heartbeats are answered one at a time.
 */
import { type NumberedBody, nextBeatKey, parseNumbered } from '@scriptward/client/live'
import {
  BEAT_INTERVAL_MS,
  type BeatRefused,
  type BeatReply,
  type ChangingVariables,
  type KickReason,
  SERVER_GRACE_MS,
} from '@scriptward/client/live-messages'
import { DEFAULT_CALLS_PER_MINUTE } from '@scriptward/client/messages'
import { type BadBody, toB64u } from '@scriptward/client/wire'
import { type Refused, refuse } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import type { Content } from '../../protocol/contents.ts'
import {
  type Answering,
  type DueBeat,
  openBeat,
  openEnd,
  sealBeatReply,
  sealCopiedReply,
  sealEndReply,
} from '../../protocol/ratchet.ts'
import { updateLogEnding } from '../executions/store/execution-log.ts'
import { planMessages, sendMessages } from '../messages/send.ts'
import { answerBeatAsks, callsOf } from './asks.ts'
import { loadContent, loadContents } from './contents.ts'
import { storeReports } from './error-reports.ts'
import {
  type BeatStates,
  changingVariables,
  digestOf,
  hasPlace,
  largeBytesOf,
  openBeatStates,
  sealBeatStates,
  secondsLeft,
  selectUpdates,
  stepOf,
  stopReason,
} from './instances.ts'
import { kicksIn } from './kick-words.ts'
import { type LeasePlan, limitAsking, planLeases } from './leases.ts'
import { storeProbe } from './probes.ts'
import { findBlacklistedGuests, reasonToStop } from './revocation.ts'
import { reportCopiedRun, reportSuspectedRun } from './run-reports.ts'
import { updateEnded, updateKicked } from './store/instances.ts'
import {
  findInstanceState,
  type HeartbeatRow,
  type InstanceState,
  listHeartbeatRows,
  listInstanceStates,
  type Step,
  updateBeat,
  updateBeats,
  updateLeased,
} from './store/live-instances.ts'

/** `sealed` is the encrypted response. `failure` is the invalid part of the body. */
export type Answered = { readonly sealed: string } | { readonly failure: BadBody }
type Refusal = Refused<'rate_limited' | 'not_found' | 'stale_beat'>
type Outcome = Answered | Refusal

/** A heartbeat of a running instance, with its row. */
type Beat = {
  readonly body: string
  readonly request: NumberedBody
  readonly instance: InstanceState
  readonly states: BeatStates
}

/** The change to the row, the response, and the state that encrypts the next heartbeat. */
type Accepted = { readonly row: Step; readonly sealed: string; readonly next: Buffer }

/** Minimum time between two heartbeats. */
const PAUSE_MS = 5000
const JITTER = 0.2
/** The states in the row are at most this many heartbeats old. */
const SEALED_EVERY = 64

export async function answerBeat(deps: Deps, body: string): Promise<Outcome> {
  const request = readRequest(body)
  if (!('exec' in request)) return request
  const sealed = await answerInBatch(deps, body, request)
  return sealed === undefined ? answerAlone(deps, body, request) : { sealed }
}

/**
 * Answers a heartbeat in a batch in the usual case, in which the ratchet is cached and the number is the next
 * one. Returns undefined in all other cases. The heartbeat is then answered individually.
 */
async function answerInBatch(deps: Deps, body: string, request: NumberedBody): Promise<string | undefined> {
  const { ratchets, beats } = deps.client
  const ratchet = ratchets.findRatchet(request.exec)
  if (ratchet?.n !== request.n - 1) return undefined
  const answering = openBeat(ratchet.state, request)
  if (answering?.q || answering?.m || answering?.a || answering?.p) return undefined
  const due = answering && { body, answering, state: ratchet.state }
  return due && beats.add(due, (all) => acceptBatch(deps, all))
}

async function answerAlone(deps: Deps, body: string, request: NumberedBody): Promise<Outcome> {
  const beat = await findBeat(deps, body, request)
  if (!('instance' in beat)) return beat
  const answered = await answer(deps, beat)
  // If a concurrent heartbeat used the number first, the second attempt finds the response to it.
  if (answered !== 'overtaken') return answered
  const again = await findBeat(deps, body, request)
  if (!('instance' in again)) return again
  const second = await answer(deps, again)
  return second === 'overtaken' ? refuse('stale_beat') : second
}

/** Frees the run's slot immediately, because the client announced the end of the run. */
export async function answerEnd(deps: Deps, body: string): Promise<Outcome> {
  const request = readRequest(body)
  if (!('exec' in request)) return request
  const ending = await findBeat(deps, body, request)
  if (!('instance' in ending)) return ending
  const { instance, states } = ending
  const state = stateOf(request.n, instance, states)
  if (!state) return refuse('stale_beat')
  const answering = openEnd(state, request)
  if (!answering) return { failure: 'box' }
  const { exec, n } = request
  const reports = answering.e && !(await stopReason(deps, instance)) ? answering.e : []
  const now = deps.now()
  await committing(deps, async (tx, outcomes) => {
    await storeReports(tx, { now: deps.now, outcomes }, instance, reports)
    await updateEnded(tx, exec, now)
    await updateLogEnding(tx, instance, 'finished', now)
  })
  if (answering.p) await storeProbe(deps, instance, answering.p)
  deps.client.ratchets.dropRatchet(exec)
  await deps.sessions.network.ended(exec)
  return { sealed: sealEndReply(answering, { ok: true, n }) }
}

/** Runs a transaction, and keeps its counts only if it commits. */
function committing<T>(
  { db, outcomes }: Pick<Deps, 'db' | 'outcomes'>,
  work: (tx: Queries, outcomes: Deps['outcomes']) => Promise<T>,
): Promise<T> {
  return outcomes.countDone(db, work)
}

function readRequest(body: string): NumberedBody | { readonly failure: BadBody } {
  const request = parseNumbered(body)
  return typeof request === 'string' ? { failure: request } : request
}

async function findBeat(deps: Deps, body: string, request: NumberedBody): Promise<Beat | Refusal> {
  const instance = await findInstanceState(deps.db.readPoint, request.exec)
  const states = instance && openBeatStates(deps, instance)
  return instance && states ? { body, request, instance, states } : refuse('not_found')
}

/**
 * Returns the state that encrypts this number, or undefined if it is neither the last number nor the next
 * one.
 */
function stateOf(n: number, { beat_n }: InstanceState, { current, former }: BeatStates): Buffer | undefined {
  if (n === beat_n + 1) return current
  return n === beat_n ? former : undefined
}

async function answer(deps: Deps, beat: Beat): Promise<Outcome | 'overtaken'> {
  const { request, instance, states } = beat
  const state = stateOf(request.n, instance, states)
  if (!state) return refuse('stale_beat')
  const isLast = request.n === instance.beat_n
  if (isLast && digestOf(beat.body) === instance.beat_body) return { sealed: instance.beat_reply ?? '' }
  const answering = openBeat(state, request)
  if (!answering) return { failure: 'box' }
  if (isLast) return { sealed: await endCopied(deps, instance, answering) }
  const early = await limitBeat(deps, instance, answering)
  return early ?? acceptBeat(deps, beat, answering)
}

/**
 * Heartbeats with requests, messages or errors from the script are exempt from the minimum pause between
 * heartbeats.
 */
async function limitBeat(
  deps: Deps,
  instance: InstanceState,
  { q, m, a, e }: Answering,
): Promise<Refused<'rate_limited'> | undefined> {
  if (!q && !m && !a && !e) return tooSoon(deps, instance)
  const { exec } = instance
  const share = Math.max(1, callsOf(instance) / DEFAULT_CALLS_PER_MINUTE)
  const late = a && (await limitAsking(deps, 'askBeats', exec, share))
  const later = late ?? (m && (await limitAsking(deps, 'messageBeats', exec)))
  const last = later ?? (e && (await limitAsking(deps, 'errorBeats', exec)))
  return last ?? (q && (await limitAsking(deps, 'leases', exec)))
}

/**
 * Two clients with the same state mean that the run was copied. It is unknown which one is the original, so
 * both are ended.
 */
async function endCopied(deps: Deps, instance: InstanceState, answering: Answering): Promise<string> {
  await endInstance(deps, instance, 'token_reuse')
  const { token_reuse } = kicksIn(instance.language)
  const reply: BeatRefused = { ok: false, n: answering.n, kick: token_reuse }
  return sealCopiedReply(answering, reply)
}

async function endInstance(deps: Deps, instance: InstanceState, reason: KickReason): Promise<void> {
  await deps.db.transaction(async (tx) => {
    if (await updateKicked(tx, [instance.exec], reason)) await reportCopiedRun(tx, deps, instance)
  })
  const { exec, project_id } = instance
  await deps.sessions.network.end({ filter: { project_id, exec }, reason })
}

function tooSoon(deps: Deps, instance: InstanceState): Refused<'rate_limited'> | undefined {
  const waitMs = waitOf(deps, instance)
  return waitMs > 0 ? refuse('rate_limited', { retry_after: Math.ceil(waitMs / 1000) }) : undefined
}

async function acceptBeat(deps: Deps, beat: Beat, answering: Answering): Promise<Answered | 'overtaken'> {
  const reason = await stopReason(deps, beat.instance)
  const { body, instance, states } = beat
  const plan = answering.q && (await planLeases(deps, instance, answering.q))
  const messages = answering.m && !reason && (await planMessages(deps, instance, answering.m))
  // Calls run before the transaction, because a function may take a while.
  const answers = answering.a && !reason && (await answerBeatAsks(deps, instance, answering.a))
  const content = await loadContent(deps, deps.db.readPoint, instance)
  const due = {
    ...{ body, answering, state: states.current },
    ...(plan ? { leases: plan.leases } : {}),
    ...(answers ? { answers } : {}),
  }
  const stepped = await committing(deps, async (tx, outcomes) => {
    const mayStay = reason !== undefined || (await hasPlace(tx, instance, deps.now()))
    const kicked = mayStay ? reason : 'instance_replaced'
    const made = kicked
      ? refusedBeat(deps, beat, answering, kicked)
      : accepted(deps, due, instance, { content, isSealed: true })
    if (!(await updateBeat(tx, made.row))) return 'overtaken'
    if (kicked) await updateKicked(tx, [made.row.exec], kicked)
    else {
      if (plan) await noteLeases(tx, deps, instance, plan)
      if (messages) await sendMessages(tx, deps, instance, messages)
      if (answering.e) await storeReports(tx, { now: deps.now, outcomes }, instance, answering.e)
    }
    return made
  })
  if (stepped === 'overtaken') return stepped
  const { row, sealed, next } = stepped
  deps.client.ratchets.keepRatchet(row.exec, { n: row.n, state: next })
  if (answering.p && !reason) await storeProbe(deps, instance, answering.p)
  return { sealed }
}

async function noteLeases(
  tx: Queries,
  deps: Deps,
  instance: InstanceState,
  { leased, suspicion }: LeasePlan,
): Promise<void> {
  if (leased !== null) await updateLeased(tx, instance.exec, leased)
  if (suspicion) await reportSuspectedRun(tx, deps, instance, suspicion)
}

/** The row keeps the state of this heartbeat, because the only valid heartbeat after it is a retry. */
function refusedBeat(deps: Deps, beat: Beat, answering: Answering, reason: KickReason): Accepted {
  const { body, instance, states } = beat
  const kick = kicksIn(instance.language)[reason]
  const sealed = sealBeatReply(answering, { ok: false, n: answering.n, kick })
  const next = deps.random(states.current.length)
  const after = { current: next, former: states.current }
  return {
    sealed,
    next,
    row: rowOf(deps, { body, answering, sealed, states: after, variables_digest: instance.variables_digest }),
  }
}

/**
 * Answers the heartbeats that need no special treatment, after committing them. Returns undefined for
 * heartbeats that must stop or wait, that lost their slot, or whose number a concurrent heartbeat used.
 */
async function acceptBatch(deps: Deps, beats: readonly DueBeat[]): Promise<readonly (string | undefined)[]> {
  const steps = await stepBatch(deps, beats)
  for (const { row, next } of steps.values())
    deps.client.ratchets.keepRatchet(row.exec, { n: row.n, state: next })
  return beats.map((beat) => steps.get(beat)?.sealed)
}

type Steps = ReadonlyMap<DueBeat, Accepted>

/**
 * If the batch fails, retries it without the heartbeats that contain reports, so that one bad report can't
 * fail the others.
 */
async function stepBatch(deps: Deps, beats: readonly DueBeat[]): Promise<Steps> {
  const step = (some: readonly DueBeat[]) =>
    committing(deps, (tx, outcomes) => makeSteps({ ...deps, outcomes }, tx, some))
  try {
    return await step(beats)
  } catch (error) {
    const plain = beats.filter(({ answering }) => !answering.e)
    if (plain.length === beats.length) throw error
    return step(plain)
  }
}

/** Reads inside the transaction, because the pages are already in the cache of SQLite's writer. */
async function makeSteps(deps: Deps, tx: Queries, beats: readonly DueBeat[]): Promise<Steps> {
  const usual = await findUsual(deps, tx, beats)
  const contents = await loadContents(deps, tx, [...usual.values()])
  const steps = new Map<DueBeat, Accepted>()
  for (const beat of beats) {
    const { exec, n } = beat.answering
    const row = usual.get(exec)
    if (row?.beat_n !== n - 1) continue
    // If two heartbeats have the same number, the second is answered individually.
    usual.delete(exec)
    const content = contents.get(row.project_id)
    steps.set(beat, accepted(deps, beat, row, { content, isSealed: n % SEALED_EVERY === 0 }))
  }
  if (steps.size === 0) return steps
  const made = await updateBeats(
    tx,
    [...steps.values()].map(({ row }) => row),
  )
  for (const [beat, { row }] of steps) if (!made.has(row.exec)) steps.delete(beat)
  await storeBatchReports(deps, tx, [...steps.keys()])
  return steps
}

async function storeBatchReports(deps: Deps, tx: Queries, beats: readonly DueBeat[]): Promise<void> {
  const reports = new Map(beats.flatMap(({ answering: { exec, e } }) => (e ? [[exec, e] as const] : [])))
  for (const instance of await listInstanceStates(tx, [...reports.keys()]))
    await storeReports(tx, deps, instance, reports.get(instance.exec) ?? [])
}

async function findUsual(
  deps: Deps,
  tx: Queries,
  beats: readonly DueBeat[],
): Promise<Map<string, HeartbeatRow>> {
  const execs = beats.map(({ answering }) => answering.exec)
  const found = await listHeartbeatRows(tx, execs)
  const banned = await findBlacklistedGuests(tx, found, deps.now())
  const usual = found.filter((one) => isUsual(deps, one, banned.has(one.exec)))
  return new Map(usual.map((one) => [one.exec, one]))
}

function isUsual(deps: Deps, row: HeartbeatRow, isGuestBlacklisted: boolean): boolean {
  const now = deps.now()
  if (reasonToStop(row, { now, graceMs: deps.config.graceMs, isGuestBlacklisted })) return false
  return waitOf(deps, row) <= 0 && (row.max_instances === null || row.expires_at > now)
}

/** Returns how long a client that sends heartbeats too often has to wait. */
function waitOf({ config, now }: Deps, { last_seen }: Pick<HeartbeatRow, 'last_seen'>): number {
  const { clientRates } = config
  return clientRates === 0 ? 0 : last_seen + PAUSE_MS / clientRates - now()
}

/**
 * If `isSealed` is true, the row also gets the new states, which the states of later heartbeats are derived
 * from.
 */
type Accepting = { readonly isSealed: boolean; readonly content: Content | undefined }

function accepted(deps: Deps, due: DueBeat, row: HeartbeatRow, { isSealed, content }: Accepting): Accepted {
  const { body, answering, state, leases, answers } = due
  const now = deps.now()
  const { exec, n } = answering
  const r = stepOf(deps, exec, n)
  const { vars, digest } = tell(deps, row, content)
  const reply: BeatReply = {
    ok: true,
    n,
    r: toB64u(r),
    st: now,
    seconds_left: secondsLeft(row.key_expires, now),
    next: nextPause(r),
    ...(vars ? { vars } : {}),
    ...leases?.(r),
    ...(answers ? { answers } : {}),
  }
  const sealed = sealBeatReply(answering, reply)
  const next = nextBeatKey(state, r)
  const states = isSealed ? { current: next, former: state } : null
  return { sealed, next, row: rowOf(deps, { body, answering, sealed, states, variables_digest: digest }) }
}

/**
 * Returns the changes to send to a client. If many clients have large changes, some of the clients get them
 * with a later heartbeat.
 */
function tell(
  deps: Deps,
  row: HeartbeatRow,
  content: Content | undefined,
): { readonly vars?: ChangingVariables; readonly digest: string | null } {
  const now = deps.now()
  const { variables_digest: known } = row
  const telling = changingVariables(row, now, content)
  const { digest } = telling
  if (digest === known) return { digest }
  const bytes = largeBytesOf(known, telling)
  if (bytes > 0 && !deps.client.variableBytes.beats.take(bytes, now)) return { digest: known }
  return { vars: selectUpdates(known, telling), digest }
}

type Change = {
  readonly body: string
  readonly answering: Answering
  readonly sealed: string
  /** Null keeps the stored states. */
  readonly states: BeatStates | null
  readonly variables_digest: string | null
}

function rowOf(deps: Deps, { body, answering, sealed, states, variables_digest }: Change): Step {
  const now = deps.now()
  const { exec, n } = answering
  return {
    exec,
    n,
    beat_keys: states && sealBeatStates(deps, exec, n, states),
    beat_body: digestOf(body),
    beat_reply: sealed,
    variables_digest,
    last_seen: now,
    expires_at: now + SERVER_GRACE_MS,
  }
}

/**
 * Adds jitter of up to a fifth, so that the heartbeats of clients that started at the same time spread out.
 */
function nextPause(r: Buffer): number {
  const chance = r.readUInt32LE(0) / 2 ** 32
  return Math.round(BEAT_INTERVAL_MS * (1 - JITTER + 2 * JITTER * chance))
}
