/**
 * What an execution that is granted becomes: the instance as it is stored, and the grant that its client is told. Which
 * of the two kinds of life it has, beats or a session, is decided here; whether it is granted is `verify.ts`.
 */
import {
  BEAT_INTERVAL_MS,
  CLIENT_GRACE_MS,
  FIRST_BEAT_MS,
  PING_MS,
  SERVER_GRACE_MS,
  SESSION_DEADLINE_MS,
  SILENT_LIFE_MS,
} from '@scriptward/client/live-messages'
import type { Grant } from '@scriptward/client/messages'
import { type SessionKeys, toB64u } from '@scriptward/client/wire'
import type { Deps } from '../deps.ts'
import type { RunnableRow } from '../store/executions.ts'
import type { StartedInstance } from '../store/instances.ts'
import type { UserRow } from '../store/users.ts'
import { type Attempt, holdsSession, isLive } from './execution-facts.ts'
import { describeLocks } from './leases.ts'
import { changingVariables, sealBeatStates, sealSecrets, secondsLeft } from './live-instances.ts'
import type { Shipment } from './payloads.ts'

/** One execution that is about to be granted. */
export type Run = {
  readonly attempt: Attempt
  readonly script: RunnableRow
  readonly exec: string
  readonly address: string
  readonly executor: string
  /** The nonce of the grant, and the keys that follow from it. */
  readonly gn: Buffer
  readonly keys: SessionKeys
  /** A random one when only a session may tell it. */
  readonly payloadKey: Buffer
  readonly shipment: Shipment
  /** What the locks of the version are opened with; null when it has none. */
  readonly serviceKey: Buffer | null
}

/** Chance enough to spread the first beats. */
const CHANCE_BYTES = 4

/** `user` is the one that the execution counts for; null for a guest. */
export function describeInstance(deps: Deps, run: Run, user: UserRow | null): StartedInstance {
  const { attempt, script, exec, executor } = run
  const { hello, now, guest } = attempt
  return {
    exec,
    project_id: script.project_id,
    script_id: script.id,
    user_key: user?.key ?? null,
    device: user ? null : guest,
    script_version: script.version,
    executor,
    runtime: hello.rt,
    game_user_id: hello.game?.game_user_id ?? null,
    place_id: hello.game?.place_id ?? null,
    job_id: hello.game?.job_id ?? null,
    granted_at: now,
    last_seen: now,
    expires_at: now + lifeOf(run),
    ...liveParts(deps, run, user),
  }
}

export function describeGrant(deps: Deps, run: Run, user: UserRow | null): Grant {
  const { attempt, script, exec, gn } = run
  const { described } = run.shipment
  return {
    ok: true,
    exec,
    gn: toB64u(gn),
    st: attempt.now,
    script: { id: script.id, name: script.name, version: script.version },
    vars: describeVariables(run, user),
    payload: needsSession(script) ? { ...described, mode: 'ws' } : described,
    beat: {
      on: beats(run),
      interval: BEAT_INTERVAL_MS,
      grace: CLIENT_GRACE_MS,
      first: firstBeat(deps.random(CHANCE_BYTES)),
    },
    ws: {
      on: holdsSession(attempt.hello),
      required: needsSession(script),
      url: null,
      ping: PING_MS,
      deadline: SESSION_DEADLINE_MS,
    },
    flags: {
      silent: script.silent === 1,
      kick_outdated: script.kick_outdated === 1,
      free_for_all: script.free_for_all === 1,
    },
    ...describeLocks(run.serviceKey, beats(run)),
  }
}

/** Whether the script may only run while it holds a session; it is asked of hosts that can. */
export function needsSession(script: RunnableRow): boolean {
  return script.require_sessions === 1
}

function beats({ attempt, script }: Run): boolean {
  return script.use_heartbeat === 1 && isLive(attempt.hello)
}

/** Until the first beat or the first connection; without either, all there is. */
function lifeOf(run: Run): number {
  if (beats(run)) return FIRST_BEAT_MS.most + SERVER_GRACE_MS
  return needsSession(run.script) ? SERVER_GRACE_MS : SILENT_LIFE_MS
}

function liveParts(
  deps: Deps,
  { attempt, script, exec, keys, payloadKey }: Run,
  user: UserRow | null,
): Pick<StartedInstance, 'secrets' | 'beat_keys' | 'told' | 'ws_required'> {
  if (!isLive(attempt.hello)) return { secrets: null, beat_keys: null, told: null, ws_required: 0 }
  const variables = { note: user?.note ?? null, chat_id: user?.chat_id ?? null, script_name: script.name }
  return {
    secrets: sealSecrets(deps, exec, { ws: keys.ws, payload: payloadKey, lease: keys.lease }),
    beat_keys: sealBeatStates(deps, exec, 0, { current: keys.beat, former: keys.beat }),
    told: changingVariables(variables).digest,
    ws_required: needsSession(script) ? 1 : 0,
  }
}

function describeVariables({ attempt, script }: Run, user: UserRow | null): Grant['vars'] {
  return {
    is_premium: user !== null,
    executions: user?.executions ?? 0,
    chat_id: user?.chat_id ?? null,
    seconds_left: secondsLeft(user?.key_expires ?? null, attempt.now),
    note: user?.note ?? null,
    script_name: script.name,
    supports_sessions: holdsSession(attempt.hello),
  }
}

function firstBeat(chance: Buffer): number {
  const { least, most } = FIRST_BEAT_MS
  return Math.round(least + (most - least) * (chance.readUInt32LE(0) / 2 ** 32))
}
