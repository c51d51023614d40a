/** Live sessions in the management API: lists them, ends them, and sends them messages. */
import type { KickReason } from '@scriptward/client/live-messages'
import { type Refused, refusals, refuse, refuseMember } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import { ProcessUnreachable } from '../../protocol/sessions/bus.ts'
import { MAX_DATA_BYTES, type Message, type Outcome } from '../../protocol/sessions/commands.ts'
import type { Session, SessionFilter } from '../../protocol/sessions/session.ts'
import type { CustomerRow } from '../accounts/store/customers.ts'
import type { UserRow } from '../keys/store/users.ts'
import type { ProjectRow } from '../projects/store/projects.ts'
import { updateKicked } from './store/instances.ts'

export type SessionPart = { readonly from?: number; readonly limit?: number }
export type SessionOutcome = { readonly session_id: string } & (Outcome | { readonly processed: true })

/** The scope of a call: the sessions of an entire account, or those of certain projects. */
export type SessionsOwner = {
  readonly customer: CustomerRow
  readonly caller: { readonly projects: ReadonlySet<string> | undefined }
}

const MAX_COPIED_BYTES = 128 * 1024 * 1024
const UNREACHED = {
  processed: false,
  reason: 'the server process that holds this session is currently unreachable; try again',
} as const
const GONE = { processed: false, reason: refusals.session_not_found.message } as const

/** Returns sessions that match all these fields. An empty string matches any value. */
export async function listSessions(deps: Deps, filter: SessionFilter, part: SessionPart) {
  const conditions = Object.entries(filter).filter(([, value]) => value !== '')
  const asked: SessionFilter = Object.fromEntries(conditions)
  const { network } = deps.sessions
  const sessions = await network.list(asked, part)
  return { sessions: sessions.map(describeSession), total: await network.count(asked) }
}

export async function disconnectSession(
  deps: Deps,
  session: Session,
  reason: KickReason = 'disconnected',
): Promise<Refused<'session_not_found'> | undefined> {
  // Doesn't write an audit entry, because an entry is written only if there was a session to end.
  await markEnded({ db: deps.unauditedDb }, [session], reason)
  const isEnded = await deps.sessions.network.disconnect(session, reason)
  return isEnded ? undefined : refuse('session_not_found')
}

/** Selects the sessions of one user by project and key, because keys are unique only within an account. */
export function sessionsOf({ project_id, key }: UserRow) {
  return { project_id, user_key: key } satisfies SessionFilter
}

/** Ends all sessions that match these fields, for changes after which no such session may continue. */
export function endSessions({ sessions }: Deps, filter: SessionFilter, reason: KickReason): Promise<void> {
  return sessions.network.end({ filter, reason })
}

/** Ends the sessions of a project's users. Sessions without a key continue. */
export function endUserSessions({ sessions }: Deps, project_id: string, reason: KickReason): Promise<void> {
  return sessions.network.end({ filter: { project_id }, reason, onlyUsers: true })
}

/** Reports for each ID whether the session existed. */
export async function disconnectSessions(
  deps: Deps,
  owner: SessionsOwner,
  ids: readonly string[],
): Promise<SessionOutcome[]> {
  const sessions = await findTheirs(deps, owner, ids)
  await markEnded(deps, [...sessions.values()], 'disconnected')
  return Promise.all(ids.map((id) => disconnectOne(deps, id, sessions.get(id))))
}

/** Ends all sessions of a project that match these fields. */
export async function disconnectFiltered(
  deps: Deps,
  project: ProjectRow,
  filter: SessionFilter,
): Promise<SessionOutcome[]> {
  const sessions = await listOfProject(deps, project, filter)
  await markEnded(deps, sessions, 'disconnected')
  return Promise.all(sessions.map((session) => disconnectOne(deps, session.id, session)))
}

export async function messageSession(
  deps: Deps,
  session: Session,
  message: Message,
): Promise<Outcome | Refused<'session_not_found' | 'invalid_request'>> {
  const refused = refuseData(message)
  if (refused) return refused
  return (await deps.sessions.network.ask(session, message)) ?? refuse('session_not_found')
}

/** Sends the message to all sessions concurrently, so the call takes no longer than one timeout. */
export async function messageSessions(
  deps: Deps,
  owner: SessionsOwner,
  { session_ids, ...message }: Message & { readonly session_ids: readonly string[] },
): Promise<SessionOutcome[] | Refused<'invalid_request'>> {
  const refused = refuseData(message, session_ids.length)
  if (refused) return refused
  const sessions = await findTheirs(deps, owner, session_ids)
  return Promise.all(session_ids.map((id) => askOne(deps, id, sessions.get(id), message)))
}

/** Like `messageSessions`, for all sessions of a project that match these fields. */
export async function messageFiltered(
  deps: Deps,
  project: ProjectRow,
  filter: SessionFilter,
  message: Message,
): Promise<SessionOutcome[] | Refused<'invalid_request'>> {
  const sessions = await listOfProject(deps, project, filter)
  const refused = refuseData(message, sessions.length)
  if (refused) return refused
  return Promise.all(sessions.map((session) => askOne(deps, session.id, session, message)))
}

/**
 * Omits internal fields. Lists all other fields by name, because a rest pattern is slow for 20,000 sessions.
 */
export function describeSession(session: Session): Omit<Session, 'customer_id' | 'exec'> {
  return {
    id: session.id,
    project_id: session.project_id,
    script_id: session.script_id,
    user_key: session.user_key,
    executor: session.executor,
    game_user_id: session.game_user_id,
    place_id: session.place_id,
    job_id: session.job_id,
    script_version: session.script_version,
    state: session.state,
    created_at: session.created_at,
    last_seen: session.last_seen,
  }
}

/** Returns the IDs that belong to sessions of this owner. All other IDs count as missing. */
async function findTheirs(
  { sessions }: Deps,
  { customer, caller: { projects } }: SessionsOwner,
  ids: readonly string[],
): Promise<Map<string, Session>> {
  const found = await Promise.all(ids.map((id) => sessions.network.find(id)))
  const isTheirs = ({ customer_id, project_id }: Session) =>
    customer_id === customer.id && (projects === undefined || projects.has(project_id))
  const theirs = found.filter((session) => session && isTheirs(session))
  return new Map(theirs.flatMap((session) => (session ? [[session.id, session]] : [])))
}

function listOfProject({ sessions }: Deps, project: ProjectRow, filter: SessionFilter): Promise<Session[]> {
  return sessions.network.list({ ...filter, project_id: project.id })
}

/** Runs before the disconnect, so that a client that reconnects immediately gets the same reason. */
function markEnded(
  { db }: Pick<Deps, 'db'>,
  sessions: readonly Session[],
  reason: KickReason,
): Promise<number> {
  const execs = sessions.map(({ exec }) => exec)
  return db.transaction((tx) => updateKicked(tx, execs, reason))
}

async function disconnectOne(
  { sessions }: Deps,
  session_id: string,
  session: Session | undefined,
): Promise<SessionOutcome> {
  try {
    const isEnded = session !== undefined && (await sessions.network.disconnect(session, 'disconnected'))
    return isEnded ? { session_id, processed: true } : { session_id, ...GONE }
  } catch (error) {
    return { session_id, ...unreached(error) }
  }
}

async function askOne(
  { sessions }: Deps,
  session_id: string,
  session: Session | undefined,
  message: Message,
): Promise<SessionOutcome> {
  try {
    const outcome = session && (await sessions.network.ask(session, message))
    return { session_id, ...(outcome ?? GONE) }
  } catch (error) {
    return { session_id, ...unreached(error) }
  }
}

/** Describes a session that couldn't be reached, so that the other sessions' responses are not lost. */
function unreached(error: unknown): typeof UNREACHED {
  if (error instanceof ProcessUnreachable) return UNREACHED
  throw error
}

/** Each of `receivers` sessions buffers a copy, so the total size is limited as well. */
function refuseData({ data }: Message, receivers = 1): Refused<'invalid_request'> | undefined {
  const sizeBytes = Buffer.byteLength(JSON.stringify(data ?? null))
  if (sizeBytes > MAX_DATA_BYTES)
    return refuseMember('data', `must have at most ${MAX_DATA_BYTES} bytes as JSON`)
  return sizeBytes * receivers > MAX_COPIED_BYTES
    ? refuseMember('data', `is too large for ${receivers} sessions at a time. Send it to fewer sessions`)
    : undefined
}
