/**
 * Heartbeats and ends of running instances (client protocol §11). The state is a row of the database, so any process
 * answers any beat, and a lost answer is given again byte for byte. What is sealed how is `protocol/ratchet.ts`.
 */
import { type NumberedBody, parseNumbered } from '@scriptward/client/live'
import { type BeatRefused, type KickReason, kick } from '@scriptward/client/live-messages'
import type { BadBody } from '@scriptward/client/wire'
import type { Deps } from '../../deps.ts'
import {
  type Answering,
  openBeat,
  openEnd,
  sealBeatReply,
  sealCopiedReply,
  sealEndReply,
} from '../../protocol/ratchet.ts'
import { deleteInstance, updateKicked } from '../../store/tables/instances.ts'
import { findStanding, type Standing, updateBeat } from '../../store/tables/live-instances.ts'
import { limitAddress } from '../attempts.ts'
import { type Refused, refuse } from '../refusals.ts'
import { reportCopiedRun } from './copied-runs.ts'
import { accept, rowOf, type Stepped, stepTogether, waitOf } from './heartbeat-batch.ts'
import { type BeatStates, digestOf, hasPlace, openBeatStates, stopReason } from './instances.ts'
import { limitLeases, prepareLeases } from './leases.ts'

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

export async function answerBeat(deps: Deps, body: string, address: string): Promise<Outcome> {
  const request = await readRequest(deps, body, address)
  if (!('exec' in request)) return request
  const sealed = await answerUsual(deps, body, request)
  return sealed === undefined ? answerAny(deps, body, request) : { sealed }
}

/**
 * Of an instance whose ratchet is known here, with all others that beat at the moment. Undefined for whatever does not go
 * on as usual, which is then looked at for itself.
 */
async function answerUsual(deps: Deps, body: string, request: NumberedBody): Promise<string | undefined> {
  const { ratchets, beats } = deps.protocol
  const ratchet = ratchets.find(request.exec)
  if (ratchet?.n !== request.n - 1) return undefined
  const answering = openBeat(ratchet.state, request)
  if (answering?.q) return undefined
  const due = answering && { body, answering, state: ratchet.state }
  return due && beats.add(due, (all) => stepTogether(deps, all))
}

async function answerAny(deps: Deps, body: string, request: NumberedBody): Promise<Outcome> {
  const beating = await findBeating(deps, body, request)
  if (!('standing' in beating)) return beating
  const answered = await answer(deps, beating)
  // Another request used the number at the same moment; the second look finds its answer.
  if (answered !== 'overtaken') return answered
  const again = await findBeating(deps, body, request)
  if (!('standing' in again)) return again
  const second = await answer(deps, again)
  return second === 'overtaken' ? refuse('stale_beat') : second
}

/** The client says that it stops, so that its place is free at once. */
export async function answerEnd(deps: Deps, body: string, address: string): Promise<Outcome> {
  const request = await readRequest(deps, body, address)
  if (!('exec' in request)) return request
  const ending = await findBeating(deps, body, request)
  if (!('standing' in ending)) return ending
  const { standing, states } = ending
  const state = stateOf(request.n, standing, states)
  if (!state) return refuse('stale_beat')
  const answering = openEnd(state, request)
  if (!answering) return { failure: 'box' }
  const { exec, n } = request
  await deps.db.transaction((tx) => deleteInstance(tx, exec))
  deps.protocol.ratchets.forget(exec)
  deps.protocol.network.ended(exec)
  return { sealed: sealEndReply(answering, { ok: true, n }) }
}

async function readRequest(
  deps: Deps,
  body: string,
  address: string,
): Promise<NumberedBody | { readonly failure: BadBody } | Refusal> {
  const flood = await limitAddress(deps, 'beatAddress', address)
  if (flood) return flood
  const request = parseNumbered(body)
  return typeof request === 'string' ? { failure: request } : request
}

async function findBeating(deps: Deps, body: string, request: NumberedBody): Promise<Beating | Refusal> {
  const standing = await findStanding(deps.db.readPoint, request.exec)
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
  const early = answering.q ? await limitLeases(deps, standing.exec) : tooSoon(deps, standing)
  return early ?? step(deps, beating, answering)
}

/** Two that hold one state are a copied run, and nobody can tell which is the honest one. */
async function endCopied(deps: Deps, standing: Standing, answering: Answering): Promise<string> {
  await endInstance(deps, standing, 'token_reuse')
  const reply: BeatRefused = { ok: false, n: answering.n, kick: kick('token_reuse') }
  return sealCopiedReply(answering, reply)
}

async function endInstance(deps: Deps, standing: Standing, reason: KickReason): Promise<void> {
  await deps.db.transaction(async (tx) => {
    if (await updateKicked(tx, [standing.exec], reason)) await reportCopiedRun(tx, deps, standing)
  })
  const { exec, project_id } = standing
  await deps.protocol.network.end({ filter: { project_id, exec }, reason })
}

function tooSoon(deps: Deps, standing: Standing): Refused<'rate_limited'> | undefined {
  const waitMs = waitOf(deps, standing)
  return waitMs > 0 ? refuse('rate_limited', { retry_after: Math.ceil(waitMs / 1000) }) : undefined
}

async function step(deps: Deps, beating: Beating, answering: Answering): Promise<Answered | 'overtaken'> {
  const reason = await stopReason(deps, beating.standing)
  const { body, standing, states } = beating
  const leases = answering.q && (await prepareLeases(deps, standing, answering.q))
  const due = { body, answering, state: states.current, ...(leases ? { leases } : {}) }
  const stepped = await deps.db.transaction(async (tx) => {
    const mayStay = reason !== undefined || (await hasPlace(tx, standing, deps.now()))
    const kicked = mayStay ? reason : 'instance_replaced'
    const made = kicked ? refused(deps, beating, answering, kicked) : accept(deps, due, standing, true)
    if (!(await updateBeat(tx, made.row))) return 'overtaken'
    if (kicked) await updateKicked(tx, [made.row.exec], kicked)
    return made
  })
  if (stepped === 'overtaken') return stepped
  const { row, sealed, next } = stepped
  deps.protocol.ratchets.keep(row.exec, { n: row.n, state: next })
  return { sealed }
}

/** It stays at the state of this beat: nothing follows but the same one again. */
function refused(deps: Deps, beating: Beating, answering: Answering, reason: KickReason): Stepped {
  const { body, standing, states } = beating
  const sealed = sealBeatReply(answering, { ok: false, n: answering.n, kick: kick(reason) })
  const next = deps.random(states.current.length)
  const after = { current: next, former: states.current }
  return { sealed, next, row: rowOf(deps, { body, answering, sealed, states: after, told: standing.told }) }
}
