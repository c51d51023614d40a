/** Selects the audit entries that a caller may read. Accounts can read their own entries, newest first. */

import { Refused, refuseMember } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import { findPersonByEmail } from '../people/store/people.ts'
import type { Actor, Change } from './entry.ts'
import { masked } from './mask.ts'
import {
  type AuditEntryRow,
  type EntryFilter,
  type EntryPlace,
  hasAuditNoun,
  listAuditEntries,
} from './store/audit-entries.ts'
import { nameSubject } from './subject.ts'

export type AuditQuery = {
  /** A user ID, a token ID, an email address, or a kind of actor. */
  readonly actor?: string
  readonly token?: string
  readonly action?: string
  readonly noun?: string
  /** The full key of a user. */
  readonly subject?: string
  readonly from?: number
  readonly to?: number
  readonly cursor?: string
  readonly limit?: number
}
export type AuditEntry = ReturnType<typeof describeEntry>

const LISTED = 100
/**
 * Number of rows per read when the entire log is read. On SQLite, each read blocks the event loop for a few
 * milliseconds.
 */
const READ_ROWS = 500
const CURSOR = /^audit:(\d{1,15}):(\d{1,15})$/

export async function listAudit(
  deps: Deps,
  customerId: string,
  query: AuditQuery,
): Promise<{ entries: AuditEntry[]; next: string | null } | Refused<'invalid_request'>> {
  const after = readStart(query)
  if (after instanceof Refused) return after
  const { limit = LISTED } = query
  const filter = await filterOf(deps, customerId, query)
  const found = await listAuditEntries(deps.db.read, filter, { after, limit: limit + 1 })
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  return { entries: rows.map(describeEntry), next: last && found.length > limit ? writeCursor(last) : null }
}

/** Yields all matching entries, or up to `limit`. */
export async function readAudit(
  deps: Deps,
  customerId: string,
  query: AuditQuery,
): Promise<AsyncIterable<readonly AuditEntry[]> | Refused<'invalid_request'>> {
  const after = readStart(query)
  if (after instanceof Refused) return after
  return pagesOf(deps, await filterOf(deps, customerId, query), { after, limit: query.limit })
}

async function* pagesOf(
  { db }: Deps,
  filter: EntryFilter,
  start: { readonly after: EntryPlace | undefined; readonly limit: number | undefined },
): AsyncGenerator<readonly AuditEntry[]> {
  let { after, limit: left = Number.POSITIVE_INFINITY } = start
  while (left > 0) {
    const limit = Math.min(left, READ_ROWS)
    const rows = await listAuditEntries(db.read, filter, { after, limit })
    yield rows.map(describeEntry)
    if (rows.length < limit) return
    left -= rows.length
    after = rows.at(-1)
  }
}

async function filterOf(deps: Deps, customerId: string, query: AuditQuery): Promise<EntryFilter> {
  const { token, action, from, to } = query
  const noun =
    query.noun === undefined ? subjectOf(deps, customerId, query) : await nounOf(deps, customerId, query.noun)
  const actor = token ?? (query.actor === undefined ? undefined : await actorOf(deps, query.actor))
  return {
    customerId,
    ...(actor === undefined ? {} : { actor }),
    ...(action === undefined ? {} : { action }),
    ...(noun === undefined ? {} : { noun }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  }
}

/**
 * Resolves an email address to its user's ID. An email address is never an ID, so an unknown one matches
 * nothing.
 */
async function actorOf({ db }: Deps, text: string): Promise<string> {
  if (!text.includes('@')) return text
  return (await findPersonByEmail(db.read, text.toLowerCase()))?.id ?? text
}

/**
 * The log contains only the first characters of user keys, so only those are compared. A key can look like the
 * ID of another resource, so anything that isn't an ID in the log is treated as a key.
 */
async function nounOf({ db }: Deps, customerId: string, text: string): Promise<string> {
  return (await hasAuditNoun(db.read, customerId, text)) ? text : String(masked({ user_key: text }).user_key)
}

function subjectOf({ secrets }: Deps, customerId: string, { subject }: AuditQuery): string | undefined {
  return subject === undefined ? undefined : nameSubject(secrets, customerId, subject)
}

function readStart({
  cursor,
  noun,
  subject,
}: AuditQuery): EntryPlace | undefined | Refused<'invalid_request'> {
  if (noun !== undefined && subject !== undefined)
    return refuseMember('subject', 'cannot be combined with noun')
  if (cursor === undefined) return undefined
  const [, created_at, seq] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  if (created_at === undefined)
    return refuseMember('cursor', 'must be the next cursor of an earlier response')
  return { created_at: Number(created_at), seq: Number(seq) }
}

function writeCursor({ created_at, seq }: EntryPlace): string {
  return Buffer.from(`audit:${created_at}:${seq}`).toString('base64url')
}

function describeEntry(row: AuditEntryRow) {
  const actor: Actor = { kind: row.actor_kind, id: row.actor_id, name: row.actor_name }
  return {
    id: row.id,
    created_at: row.created_at,
    actor,
    network: row.network,
    request_id: row.request_id,
    action: row.action,
    nouns: JSON.parse(row.nouns) as Record<string, string>,
    changes: JSON.parse(row.changes) as Record<string, Change>,
    count: row.count,
    n: row.n,
    hash: row.hash,
  }
}
