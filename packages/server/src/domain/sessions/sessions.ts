/**
 * What the management API does with live sessions: show them, end them, and ask them something. Where they live and
 * how long an answer is awaited is the hub's business.
 */
import type { KickReason } from '@scriptward/client/live-messages'
import type { Deps } from '../../deps.ts'
import { type Message, MOST_DATA_BYTES, type Outcome } from '../../protocol/commands.ts'
import type { Session, SessionFilter } from '../../protocol/session.ts'
import type { CustomerRow } from '../../store/tables/customers.ts'
import { updateKicked } from '../../store/tables/instances.ts'
import type { ProjectRow } from '../../store/tables/projects.ts'
import { type Refused, refusals, refuse, refuseMember } from '../refusals.ts'

export type SessionPart = { readonly from?: number; readonly limit?: number }
export type SessionOutcome = { readonly session_id: string } & (Outcome | { readonly processed: true })

const MOST_COPIED_BYTES = 128 * 1024 * 1024
const GONE = { processed: false, reason: refusals.session_not_found.message } as const

/** Sessions that have all these members; an empty text is no condition. */
export async function listSessions(
  deps: Deps,
  filter: SessionFilter,
  { from = 0, limit = Number.POSITIVE_INFINITY }: SessionPart,
) {
  const conditions = Object.entries(filter).filter(([, value]) => value !== '')
  const sessions = await deps.protocol.network.list(Object.fromEntries(conditions))
  return { sessions: sessions.slice(from, from + limit).map(describeSession), total: sessions.length }
}

export async function disconnectSession(
  deps: Deps,
  session: Session,
  reason: KickReason = 'disconnected',
): Promise<Refused<'session_not_found'> | undefined> {
  await markEnded(deps, [session], reason)
  const isEnded = await deps.protocol.network.disconnect(session.id, reason)
  return isEnded ? undefined : refuse('session_not_found')
}

/** Ends all sessions that have these members, for changes that no session may outlive. */
export function endSessions({ protocol }: Deps, filter: SessionFilter, reason: KickReason): Promise<void> {
  return protocol.network.end({ filter, reason })
}

/** Ends what the users of a project run; what runs there without a key goes on. */
export function endUserSessions({ protocol }: Deps, project_id: string, reason: KickReason): Promise<void> {
  return protocol.network.end({ filter: { project_id }, reason, onlyUsers: true })
}

/** Tells of each whether it was there. */
export async function disconnectSessions(
  deps: Deps,
  customer: CustomerRow,
  ids: readonly string[],
): Promise<SessionOutcome[]> {
  const sessions = await findTheirs(deps, customer, ids)
  await markEnded(deps, [...sessions.values()], 'disconnected')
  return Promise.all(ids.map((id) => disconnectOne(deps, id, sessions.get(id))))
}

/** Ends all sessions of a project that have these members. */
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
  return (await deps.protocol.network.ask(session.id, message)) ?? refuse('session_not_found')
}

/** Asks all of them at once and waits for all, so that one limit of time holds for the whole. */
export async function messageSessions(
  deps: Deps,
  customer: CustomerRow,
  { session_ids, ...message }: Message & { readonly session_ids: readonly string[] },
): Promise<SessionOutcome[] | Refused<'invalid_request'>> {
  const refused = refuseData(message, session_ids.length)
  if (refused) return refused
  const sessions = await findTheirs(deps, customer, session_ids)
  return Promise.all(session_ids.map((id) => askOne(deps, id, sessions.get(id), message)))
}

/** The same for all sessions of a project that have these members. */
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

/** Written out: taking two members away from each of 20,000 sessions costs more than sending them. */
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

/** Those of the ids that are sessions of this customer; a session of another customer is none. */
async function findTheirs(
  { protocol }: Deps,
  customer: CustomerRow,
  ids: readonly string[],
): Promise<Map<string, Session>> {
  const found = await Promise.all(ids.map((id) => protocol.network.find(id)))
  const theirs = found.filter((session) => session?.customer_id === customer.id)
  return new Map(theirs.flatMap((session) => (session ? [[session.id, session]] : [])))
}

function listOfProject({ protocol }: Deps, project: ProjectRow, filter: SessionFilter): Promise<Session[]> {
  return protocol.network.list({ ...filter, project_id: project.id })
}

/** First, so that a client which comes back at once is told the same. */
function markEnded({ db }: Deps, sessions: readonly Session[], reason: KickReason): Promise<number> {
  const execs = sessions.map(({ exec }) => exec)
  return db.transaction((tx) => updateKicked(tx, execs, reason))
}

async function disconnectOne(
  { protocol }: Deps,
  session_id: string,
  session: Session | undefined,
): Promise<SessionOutcome> {
  const isEnded = session !== undefined && (await protocol.network.disconnect(session.id, 'disconnected'))
  return isEnded ? { session_id, processed: true } : { session_id, ...GONE }
}

async function askOne(
  { protocol }: Deps,
  session_id: string,
  session: Session | undefined,
  message: Message,
): Promise<SessionOutcome> {
  const outcome = session && (await protocol.network.ask(session.id, message))
  return { session_id, ...(outcome ?? GONE) }
}

/** Each of `receivers` sessions holds a copy until it is sent, so what they hold together is bounded too. */
function refuseData({ data }: Message, receivers = 1): Refused<'invalid_request'> | undefined {
  const sizeBytes = Buffer.byteLength(JSON.stringify(data ?? null))
  if (sizeBytes > MOST_DATA_BYTES)
    return refuseMember('data', `must be at most ${MOST_DATA_BYTES} bytes of JSON`)
  return sizeBytes * receivers > MOST_COPIED_BYTES
    ? refuseMember('data', `is too large for ${receivers} sessions at once; ask fewer of them`)
    : undefined
}
