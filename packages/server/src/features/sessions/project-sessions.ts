/**
 * Lists the live sessions of a project in pages. A cursor is a position in the order sessions
 * started, so sessions that start or end between pages don't shift the others.
 */

import { cursorName, type PageQuery } from '../../api/pagination.ts'
import { Refused, refuseMember } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import type { Session, SessionFilter } from '../../protocol/sessions/session.ts'
import type { ProjectRow } from '../projects/store/projects.ts'
import { describeSession } from './sessions.ts'

type Place = Pick<Session, 'created_at' | 'id'>

const LIST = 'session'
const CURSOR = /^([a-z]+):(\d{1,15}):([\w-]+)$/

/** Returns sessions that match all these fields. An empty string matches any value. */
export async function listProjectSessions(
  deps: Deps,
  { id: project_id }: ProjectRow,
  filter: SessionFilter,
  query: PageQuery,
) {
  const after = readPlace(query)
  if (after instanceof Refused) return after
  const { from = 0, limit, order = 'oldest' } = query
  const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ''))
  const asked = { ...given, project_id }
  const { network } = deps.sessions
  // One extra row shows whether there is a next page.
  const found = await network.list(asked, {
    ...{ from, order },
    ...(limit !== undefined && { limit: limit + 1 }),
    ...(after && { after }),
  })
  const page = found.slice(0, limit)
  const last = page.at(-1)
  const next = last !== undefined && found.length > page.length ? writePlace(last, query) : null
  return { sessions: page.map(describeSession), total: await network.count(asked), next }
}

function writePlace({ created_at, id }: Place, query: PageQuery): string {
  return Buffer.from(`${cursorName(LIST, query)}:${created_at}:${id}`).toString('base64url')
}

function readPlace(query: PageQuery): Place | undefined | Refused<'invalid_request'> {
  const { from, after } = query
  if (after === undefined) return undefined
  if (from !== undefined) return refuseMember('from', 'cannot be combined with after')
  const [, list, created_at, id] = CURSOR.exec(Buffer.from(after, 'base64url').toString('latin1')) ?? []
  return list === cursorName(LIST, query) && id !== undefined
    ? { created_at: Number(created_at), id }
    : refuseMember('after', 'must be the next cursor of an earlier response to the same list')
}
