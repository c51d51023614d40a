/**
 * Lists a project's denials in pages, newest first, with filters. A repeated denial moves to the front. A
 * filter may match only a small fraction of the denials, so each query scans a limited number of them.
 */
import { setImmediate } from 'node:timers/promises'
import { Refused, refuseMember } from '../../../api/refusals.ts'
import type { Deps } from '../../../deps.ts'
import { nameUsers } from '../../keys/user-names.ts'
import type { ProjectRow } from '../../projects/store/projects.ts'
import {
  type DenialFilter,
  type DenialPlace,
  type DenialRow,
  findDenialScanEnd,
  listMatchingDenials,
} from '../store/denials.ts'
import { describeDenial } from './denials.ts'

export type DenialQuery = Omit<DenialFilter, 'projectId'> & {
  readonly after?: string
  readonly limit?: number
}

const LISTED = 100
/** Maximum number of index entries scanned per query. SQLite scans this many in a few milliseconds. */
export const SCAN_CHUNK = 20_000
const CURSOR = /^denial:(\d{1,15}):(\d{1,15})$/

export async function listAllDenials(deps: Deps, { id: projectId }: ProjectRow, query: DenialQuery) {
  const { after: cursor, limit = LISTED, ...members } = query
  const after = readCursor(cursor)
  if (after instanceof Refused) return after
  const given = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== ''))
  const filter: DenialFilter = { ...given, projectId }
  const found = await readDenials(deps, filter, { after, limit: limit + 1 })
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  const named = await nameUsers(deps.db.read, projectId, rows)
  return {
    denials: named.map((row) => {
      const { user_key, note, chat_id } = row
      return { user_key, note, chat_id, ...describeDenial(row) }
    }),
    next: last !== undefined && found.length > limit ? writeCursor(last) : null,
  }
}

type Wanted = { readonly after: DenialPlace | undefined; readonly limit: number }

async function readDenials(
  { db }: Deps,
  filter: DenialFilter,
  { after, limit }: Wanted,
): Promise<DenialRow[]> {
  // A user has so few denials that no scan limit is needed.
  if (filter.user_key !== undefined)
    return listMatchingDenials(db.read, filter, { after, end: undefined, limit })
  const found: DenialRow[] = []
  for (let start = after; ; await setImmediate()) {
    const end = await findDenialScanEnd(db.read, filter, { after: start, size: SCAN_CHUNK })
    const left = limit - found.length
    found.push(...(await listMatchingDenials(db.read, filter, { after: start, end, limit: left })))
    if (found.length >= limit || end === undefined) return found
    start = end
  }
}

function readCursor(cursor: string | undefined): DenialPlace | undefined | Refused<'invalid_request'> {
  if (cursor === undefined) return undefined
  const [, last_at, seq] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  if (last_at === undefined) return refuseMember('after', 'must be the next cursor of an earlier response')
  return { last_at: Number(last_at), seq: Number(seq) }
}

function writeCursor({ last_at, seq }: DenialPlace): string {
  return Buffer.from(`denial:${last_at}:${seq}`).toString('base64url')
}
