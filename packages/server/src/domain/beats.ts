/**
 * Heartbeats and ends of running instances (client protocol §11). The state is a row of the database, so any process
 * answers any beat, and a lost answer is given again byte for byte. What is sealed how is `protocol/ratchet.ts`.
 */
import { type NumberedBody, nextBeatKey, parseNumbered } from '@scriptward/client/live'
import {
  BEAT_INTERVAL_MS,
  type BeatRefused,
  type BeatReply,
  type KickReason,
  kick,
  SERVER_GRACE_MS,
} from '@scriptward/client/live-messages'
import { type BadBody, toB64u } from '@scriptward/client/wire'
import type { Deps } from '../deps.ts'
import {
  type Answering,
  openBeat,
  openEnd,
  sealBeatReply,
  sealCopiedReply,
  sealEndReply,
} from '../protocol/ratchet.ts'
import { deleteInstance, updateKicked } from '../store/instances.ts'
import { findStanding, type Standing, type Step, updateBeat } from '../store/live-instances.ts'
import { limitAddress } from './attempts.ts'
import { tellCopied } from './execution-events.ts'
import {
  type BeatStates,
  changingVariables,
  digestOf,
  hasPlace,
  openBeatStates,
  sealBeatStates,
  secondsLeft,
  stopReason,
} from './live-instances.ts'
import { type Refused, refuse } from './refusals.ts'

/** `sealed` is for the client alone; `failure` is the part of the body that is wrong. */
export type Answered = { readonly sealed: string } | { readonly failure: BadBody }
type Refusal = Refused<'rate_limited' | 'not_found' | 'stale_beat'>
type Outcome = Answered | Refusal

/** A beat of a running instance, with the row that it was found in. */
type Beating = {
  readonly body: string
  readonly request: NumberedBody
  readonly standing: Standing
  readonly states: BeatStates
}

/** Shortest time between two beats. */
const PAUSE_MS = 5000
const JITTER = 0.2
const RANDOM_BYTES = 16

export async function answerBeat(deps: Deps, body: string, address: string): Promise<Outcome> {
  const beating = await findBeating(deps, body, address)
  if (!('standing' in beating)) return beating
  const answered = await answer(deps, beating)
  // Somebody else used the number at the same moment; the second look finds what he was answered.
  if (answered !== 'overtaken') return answered
  const again = await findBeating(deps, body, address)
  if (!('standing' in again)) return again
  const second = await answer(deps, again)
  return second === 'overtaken' ? refuse('stale_beat') : second
}

/** The client says that it stops, so that its place is free at once. */
export async function answerEnd(deps: Deps, body: string, address: string): Promise<Outcome> {
  const ending = await findBeating(deps, body, address)
  if (!('standing' in ending)) return ending
  const { request, standing, states } = ending
  const state = stateOf(request.n, standing, states)
  if (!state) return refuse('stale_beat')
  const answering = openEnd(state, request)
  if (!answering) return { failure: 'box' }
  const { exec, n } = request
  await deps.db.transaction((tx) => deleteInstance(tx, exec))
  deps.protocol.network.ended(exec)
  return { sealed: sealEndReply(answering, { ok: true, n }) }
}

async function findBeating(
  deps: Deps,
  body: string,
  address: string,
): Promise<Beating | { readonly failure: BadBody } | Refusal> {
  const flood = await limitAddress(deps, 'beatAddress', address)
  if (flood) return flood
  const request = parseNumbered(body)
  if (typeof request === 'string') return { failure: request }
  const standing = await findStanding(deps.db.read, request.exec)
  const states = standing && openBeatStates(deps, standing)
  return standing && states ? { body, request, standing, states } : refuse('not_found')
}

/** The state that a number is sealed under; none for numbers that are neither the last nor the next. */
function stateOf(n: number, { beat_n }: Standing, { current, former }: BeatStates): Buffer | undefined {
  if (n === beat_n + 1) return current
  return n === beat_n ? former : undefined
}

async function answer(deps: Deps, beating: Beating): Promise<Outcome | 'overtaken'> {
  const { request, standing, states } = beating
  const state = stateOf(request.n, standing, states)
  if (!state) return refuse('stale_beat')
  const isLast = request.n === standing.beat_n
  if (isLast && digestOf(beating.body) === standing.beat_body) return { sealed: standing.beat_reply ?? '' }
  const answering = openBeat(state, request)
  if (!answering) return { failure: 'box' }
  if (isLast) return { sealed: await endCopied(deps, standing, answering) }
  return tooSoon(deps, standing) ?? step(deps, beating, answering)
}

/** Two that hold one state are a copied run, and nobody can tell which is the honest one. */
async function endCopied(deps: Deps, standing: Standing, answering: Answering): Promise<string> {
  await endInstance(deps, standing, 'token_reuse')
  const reply: BeatRefused = { ok: false, n: answering.n, kick: kick('token_reuse') }
  return sealCopiedReply(answering, reply)
}

async function endInstance(deps: Deps, standing: Standing, reason: KickReason): Promise<void> {
  await deps.db.transaction(async (tx) => {
    if (await updateKicked(tx, [standing.exec], reason)) await tellCopied(tx, deps, standing)
  })
  const { exec, project_id } = standing
  await deps.protocol.network.end({ filter: { project_id, exec }, reason })
}

function tooSoon(deps: Deps, { last_seen }: Standing): Refused<'rate_limited'> | undefined {
  const { clientRates } = deps.config
  const waitMs = clientRates === 0 ? 0 : last_seen + PAUSE_MS / clientRates - deps.now()
  return waitMs > 0 ? refuse('rate_limited', { retry_after: Math.ceil(waitMs / 1000) }) : undefined
}

async function step(deps: Deps, beating: Beating, answering: Answering): Promise<Answered | 'overtaken'> {
  const reason = await stopReason(deps, beating.standing)
  return deps.db.transaction(async (tx) => {
    const now = deps.now()
    const mayStay = reason !== undefined || (await hasPlace(tx, beating.standing, now))
    const kicked = mayStay ? reason : 'instance_replaced'
    const { row, sealed } = kicked
      ? refused(deps, beating, answering, kicked)
      : accepted(deps, beating, answering)
    if (!(await updateBeat(tx, row))) return 'overtaken'
    if (kicked) await updateKicked(tx, [row.exec], kicked)
    return { sealed }
  }, 'patient')
}

type Stepped = { readonly row: Step; readonly sealed: string }

function accepted(deps: Deps, beating: Beating, answering: Answering): Stepped {
  const { standing, states } = beating
  const now = deps.now()
  const r = deps.random(RANDOM_BYTES)
  const { variables, digest } = changingVariables(standing)
  const reply: BeatReply = {
    ok: true,
    n: answering.n,
    r: toB64u(r),
    st: now,
    seconds_left: secondsLeft(standing.key_expires, now),
    next: nextPause(r),
    ...(digest === standing.told ? {} : { vars: variables }),
  }
  const sealed = sealBeatReply(answering, reply)
  const next = { current: nextBeatKey(states.current, r), former: states.current }
  return { sealed, row: rowOf(deps, beating, { sealed, states: next, told: digest }) }
}

/** It stays at the state of this beat: nothing follows but the same one again. */
function refused(deps: Deps, beating: Beating, answering: Answering, reason: KickReason): Stepped {
  const { standing, states } = beating
  const sealed = sealBeatReply(answering, { ok: false, n: answering.n, kick: kick(reason) })
  const next = { current: deps.random(states.current.length), former: states.current }
  return { sealed, row: rowOf(deps, beating, { sealed, states: next, told: standing.told }) }
}

type Change = { readonly sealed: string; readonly states: BeatStates; readonly told: string | null }

function rowOf(deps: Deps, { body, request }: Beating, { sealed, states, told }: Change): Step {
  const now = deps.now()
  return {
    exec: request.exec,
    n: request.n,
    beat_keys: sealBeatStates(deps, request.exec, states),
    beat_body: digestOf(body),
    beat_reply: sealed,
    told,
    last_seen: now,
    expires_at: now + SERVER_GRACE_MS,
  }
}

/** A fifth longer or shorter, so that clients which started together do not stay together. */
function nextPause(r: Buffer): number {
  const chance = r.readUInt32LE(0) / 2 ** 32
  return Math.round(BEAT_INTERVAL_MS * (1 - JITTER + 2 * JITTER * chance))
}
