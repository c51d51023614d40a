/**
 * Handles the first frame of a connection (client protocol §12): authenticates the instance, accepts each
 * epoch once, and starts a session or resumes the session that lost its connection.
 * `protocol/sessions/socket.ts` handles later frames.
 */
import { parseNumbered, wsAad, wsKeys } from '@scriptward/client/live'
import {
  type AuthFrame,
  type CloseReason,
  readAuthFrame,
  SERVER_GRACE_MS,
} from '@scriptward/client/live-messages'
import { open, toB64u } from '@scriptward/client/wire'
import type { Deps } from '../../deps.ts'
import type { Rights, Session } from '../../protocol/sessions/session.ts'
import { SessionSocket, type Wire } from '../../protocol/sessions/socket.ts'
import { mayConnect } from '../abuse/attempts.ts'
import { runsUntil } from '../key-validity/clocks.ts'
import { hasPlace, openSecrets, type Secrets, stopReason } from './instances.ts'
import { kicksIn } from './kick-words.ts'
import { keepsVersion } from './revocation.ts'
import { updateKicked } from './store/instances.ts'
import { findInstanceState, type InstanceState, updateEpoch } from './store/live-instances.ts'

type Arrived = {
  readonly instance: InstanceState
  readonly secrets: Secrets
  readonly epoch: number
  readonly auth: AuthFrame
}

const FIRST_COUNTER = 1
const SESSION_ID_BYTES = 16

/** Returns the connection, or the reason to close it. Sends a kick first if the instance must stop. */
export async function connect(deps: Deps, text: string, wire: Wire): Promise<SessionSocket | CloseReason> {
  const arrived = await authenticate(deps, text)
  if (typeof arrived === 'string') return arrived
  const { instance, secrets, epoch } = arrived
  const { exec } = instance
  if (!(await mayConnect(deps, exec))) return 'too_many'
  const reason = await stopReason(deps, instance)
  const outcome = await deps.db.transaction(async (tx) => {
    const now = deps.now()
    const kicked = reason ?? ((await hasPlace(tx, instance, now)) ? undefined : 'instance_replaced')
    if (!(await updateEpoch(tx, { exec, epoch, now }, SERVER_GRACE_MS))) return 'replayed'
    if (kicked) await updateKicked(tx, [exec], kicked)
    return { kicked, now }
  })
  if (outcome === 'replayed') return 'unauthenticated'
  const { kicked, now } = outcome
  const keys = wsKeys(secrets.ws, epoch)
  const kicks = kicksIn(instance.language)
  const socket = new SessionSocket({ wire, exec, epoch, keys, kicks, now, rates: deps.config.clientRates })
  if (kicked) socket.kick(kicked)
  else await begin(deps, arrived, socket)
  return socket
}

async function authenticate(deps: Deps, text: string): Promise<Arrived | CloseReason> {
  const request = parseNumbered(text)
  if (typeof request === 'string') return 'bad_frame'
  const { exec, n: epoch, box } = request
  const instance = await findInstanceState(deps.db.readPoint, exec)
  const secrets = instance && openSecrets(deps, instance)
  if (!instance || !secrets) return 'unauthenticated'
  const bytes = open(wsKeys(secrets.ws, epoch).c2s, FIRST_COUNTER, wsAad('c', exec), box)
  if (!bytes) return 'unauthenticated'
  const auth = readAuthFrame(bytes)
  return auth ? { instance, secrets, epoch, auth } : 'bad_frame'
}

async function begin(deps: Deps, { instance, secrets, auth }: Arrived, socket: SessionSocket): Promise<void> {
  const { hub, network } = deps.sessions
  const pk = instance.ws_required === 1 ? { pk: toB64u(secrets.payload) } : {}
  const sid = auth.resume ?? ''
  const greet = () => socket.ready({ sid, resumed: true, ...pk })
  const resumed = hub.resume({ id: sid, exec: instance.exec }, socket, { last: auth.last, greet })
  if (resumed) {
    socket.attach(resumed)
    return
  }
  // An instance that connects for the first time has no session in any process.
  const taken = instance.ws_epoch === 0 ? undefined : await network.takeOver(instance.exec, auth.resume)
  const session = taken
    ? { ...taken.session, state: 'ready' as const, last_seen: deps.now() }
    : newSession(deps, instance)
  const commandsBefore = taken && (taken.commands ?? Number(auth.last ?? 0))
  socket.attach(hub.register(session, socket, sessionRights(instance), commandsBefore))
  // The key may have been blocked since the check above, when this session could not be found yet.
  hub.reviewAgain(instance.exec)
  socket.ready({ sid: session.id, resumed: taken !== undefined, ...pk })
}

/** Returns the data that the hub needs about an instance until the next review. */
export function sessionRights(instance: InstanceState): Rights {
  const { key_expires, grace, ws_required, variables_digest } = instance
  const runs_until = keepsVersion(instance) ? null : runsUntil(key_expires, grace)
  return { runs_until, required: ws_required === 1, variables_digest }
}

function newSession(deps: Deps, instance: InstanceState): Session {
  const now = deps.now()
  return {
    id: `ses_${toB64u(deps.random(SESSION_ID_BYTES))}`,
    exec: instance.exec,
    customer_id: instance.customer_id ?? '',
    project_id: instance.project_id,
    script_id: instance.script_id,
    user_key: instance.user_key,
    executor: instance.executor,
    game_user_id: instance.game_user_id,
    place_id: instance.place_id,
    job_id: instance.job_id,
    script_version: instance.script_version,
    state: 'ready',
    created_at: now,
    last_seen: now,
  }
}
