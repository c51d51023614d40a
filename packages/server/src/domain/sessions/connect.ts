/**
 * The first frame of a connection (client protocol §12): proves whose instance it is, lets every number in once, and
 * makes a session of it or goes on with the one that lost its connection. What follows is `protocol/session-socket.ts`.
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
import type { Session } from '../../protocol/session.ts'
import type { Rights } from '../../protocol/session-hub.ts'
import { SessionSocket, type Wire } from '../../protocol/session-socket.ts'
import { updateKicked } from '../../store/tables/instances.ts'
import { findStanding, type Standing, updateEpoch } from '../../store/tables/live-instances.ts'
import { mayConnect } from '../attempts.ts'
import { hasPlace, openSecrets, type Secrets, stopReason } from './instances.ts'

type Arrived = {
  readonly standing: Standing
  readonly secrets: Secrets
  readonly epoch: number
  readonly auth: AuthFrame
}

const FIRST_COUNTER = 1
const SESSION_ID_BYTES = 16

/** Answers the connection, or why it is closed. A client whose instance must stop gets the reason first. */
export async function connect(deps: Deps, text: string, wire: Wire): Promise<SessionSocket | CloseReason> {
  const arrived = await authenticate(deps, text)
  if (typeof arrived === 'string') return arrived
  const { standing, secrets, epoch } = arrived
  const { exec } = standing
  if (!(await mayConnect(deps, exec))) return 'too_many'
  const reason = await stopReason(deps, standing)
  const outcome = await deps.db.transaction(async (tx) => {
    const now = deps.now()
    const kicked = reason ?? ((await hasPlace(tx, standing, now)) ? undefined : 'instance_replaced')
    if (!(await updateEpoch(tx, { exec, epoch, now }, SERVER_GRACE_MS))) return 'replayed'
    if (kicked) await updateKicked(tx, [exec], kicked)
    return { kicked, now }
  })
  if (outcome === 'replayed') return 'unauthenticated'
  const { kicked, now } = outcome
  const keys = wsKeys(secrets.ws, epoch)
  const socket = new SessionSocket({ wire, exec, epoch, keys, now, rates: deps.config.clientRates })
  if (kicked) socket.kick(kicked)
  else await begin(deps, arrived, socket)
  return socket
}

async function authenticate(deps: Deps, text: string): Promise<Arrived | CloseReason> {
  const request = parseNumbered(text)
  if (typeof request === 'string') return 'bad_frame'
  const { exec, n: epoch, box } = request
  const standing = await findStanding(deps.db.readPoint, exec)
  const secrets = standing && openSecrets(deps, standing)
  if (!standing || !secrets) return 'unauthenticated'
  const bytes = open(wsKeys(secrets.ws, epoch).c2s, FIRST_COUNTER, wsAad('c', exec), box)
  if (!bytes) return 'unauthenticated'
  const auth = readAuthFrame(bytes)
  return auth ? { standing, secrets, epoch, auth } : 'bad_frame'
}

async function begin(deps: Deps, { standing, secrets, auth }: Arrived, socket: SessionSocket): Promise<void> {
  const { sessions, network } = deps.protocol
  const pk = standing.ws_required === 1 ? { pk: toB64u(secrets.payload) } : {}
  const sid = auth.resume ?? ''
  const greet = () => socket.ready({ sid, resumed: true, ...pk })
  const resumed = sessions.resume({ id: sid, exec: standing.exec }, socket, { last: auth.last, greet })
  if (resumed) {
    socket.attach(resumed)
    return
  }
  const taken = await network.takeOver(standing.exec)
  const former = taken?.session.id === sid ? taken : undefined
  const session = former ? { ...former.session, state: 'ready' as const } : newSession(deps, standing)
  socket.attach(sessions.register(session, socket, rightsOf(standing), former?.commands))
  socket.ready({ sid: session.id, resumed: former !== undefined, ...pk })
}

/** What the hub keeps of an instance's rights to act on before anybody asks the database again. */
export function rightsOf({ key_expires, ws_required, told }: Standing): Rights {
  return { key_expires, required: ws_required === 1, told }
}

function newSession(deps: Deps, standing: Standing): Session {
  const now = deps.now()
  return {
    id: `ses_${toB64u(deps.random(SESSION_ID_BYTES))}`,
    exec: standing.exec,
    customer_id: standing.customer_id ?? '',
    project_id: standing.project_id,
    script_id: standing.script_id,
    user_key: standing.user_key,
    executor: standing.executor,
    game_user_id: standing.game_user_id,
    place_id: standing.place_id,
    job_id: standing.job_id,
    script_version: standing.script_version,
    state: 'ready',
    created_at: now,
    last_seen: now,
  }
}
