/**
 * The step that an accepted beat makes (client protocol §11), alone or with all that come within the same few milliseconds:
 * one look at their instances, one statement, one commit. What is out of the ordinary is left to `beats.ts`.
 */
import { nextBeatKey } from '@scriptward/client/live'
import { BEAT_INTERVAL_MS, type BeatReply, SERVER_GRACE_MS } from '@scriptward/client/live-messages'
import { toB64u } from '@scriptward/client/wire'
import type { Deps } from '../../deps.ts'
import { type Answering, type DueBeat, sealBeatReply } from '../../protocol/ratchet.ts'
import type { Queries } from '../../store/engine/db.ts'
import { type Judged, listJudged, type Step, updateBeats } from '../../store/tables/live-instances.ts'
import {
  type BeatStates,
  changingVariables,
  digestOf,
  sealBeatStates,
  secondsLeft,
  stepOf,
} from './instances.ts'
import { findBannedGuests, reasonToStop } from './revocation.ts'

/** What is written down, what is answered, and the state that the next beat is sealed under. */
export type Stepped = { readonly row: Step; readonly sealed: string; readonly next: Buffer }

/** Shortest time between two beats. */
const PAUSE_MS = 5000
const JITTER = 0.2
/** So many steps at most follow those that are sealed in the row. */
const SEALED_EVERY = 64

/**
 * Answers the beats that go on as usual once their steps are durable. Undefined for all others: those that have to stop or
 * to wait, have lost their place, or whose number another client used.
 */
export async function stepTogether(
  deps: Deps,
  beats: readonly DueBeat[],
): Promise<readonly (string | undefined)[]> {
  const steps = await deps.db.transaction((tx) => makeSteps(deps, tx, beats))
  for (const { row, next } of steps.values()) deps.protocol.ratchets.keep(row.exec, { n: row.n, state: next })
  return beats.map((beat) => steps.get(beat)?.sealed)
}

/** Looked at where they are written: a reader of SQLite would fetch again what this has in memory. */
async function makeSteps(
  deps: Deps,
  tx: Queries,
  beats: readonly DueBeat[],
): Promise<ReadonlyMap<DueBeat, Stepped>> {
  const usual = await findUsual(deps, tx, beats)
  const steps = new Map<DueBeat, Stepped>()
  for (const beat of beats) {
    const { exec, n } = beat.answering
    const judged = usual.get(exec)
    if (judged?.beat_n !== n - 1) continue
    // Of two with one number the second one looks again when the first is answered.
    usual.delete(exec)
    steps.set(beat, accept(deps, beat, judged, n % SEALED_EVERY === 0))
  }
  if (steps.size === 0) return steps
  const made = await updateBeats(
    tx,
    [...steps.values()].map(({ row }) => row),
  )
  for (const [beat, { row }] of steps) if (!made.has(row.exec)) steps.delete(beat)
  return steps
}

async function findUsual(deps: Deps, tx: Queries, beats: readonly DueBeat[]): Promise<Map<string, Judged>> {
  const execs = beats.map(({ answering }) => answering.exec)
  const found = await listJudged(tx, execs)
  const banned = await findBannedGuests(tx, found, deps.now())
  const usual = found.filter((one) => isUsual(deps, one, banned.has(one.exec)))
  return new Map(usual.map((one) => [one.exec, one]))
}

function isUsual(deps: Deps, judged: Judged, isGuestBanned: boolean): boolean {
  const now = deps.now()
  if (reasonToStop(judged, { now, graceMs: deps.config.graceMs, isGuestBanned })) return false
  return waitOf(deps, judged) <= 0 && (judged.max_instances === null || judged.expires_at > now)
}

/** For how long a client that beats too often has to wait. */
export function waitOf({ config, now }: Deps, { last_seen }: Pick<Judged, 'last_seen'>): number {
  const { clientRates } = config
  return clientRates === 0 ? 0 : last_seen + PAUSE_MS / clientRates - now()
}

/** With `isSealed` its states are written down too, from which those of later beats follow. */
export function accept(deps: Deps, due: DueBeat, judged: Judged, isSealed: boolean): Stepped {
  const { body, answering, state, leases } = due
  const now = deps.now()
  const { exec, n } = answering
  const r = stepOf(deps, exec, n)
  const { variables, digest } = changingVariables(judged)
  const reply: BeatReply = {
    ok: true,
    n,
    r: toB64u(r),
    st: now,
    seconds_left: secondsLeft(judged.key_expires, now),
    next: nextPause(r),
    ...(digest === judged.told ? {} : { vars: variables }),
    ...(leases ? { leases: leases(r) } : {}),
  }
  const sealed = sealBeatReply(answering, reply)
  const next = nextBeatKey(state, r)
  const states = isSealed ? { current: next, former: state } : null
  return { sealed, next, row: rowOf(deps, { body, answering, sealed, states, told: digest }) }
}

type Change = {
  readonly body: string
  readonly answering: Answering
  readonly sealed: string
  /** Null leaves those that the row has. */
  readonly states: BeatStates | null
  readonly told: string | null
}

export function rowOf(deps: Deps, { body, answering, sealed, states, told }: Change): Step {
  const now = deps.now()
  const { exec, n } = answering
  return {
    exec,
    n,
    beat_keys: states && sealBeatStates(deps, exec, n, states),
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
