/**
 * The users that a bulk change may affect: all users of a project, those that match a filter, or those with
 * given keys.
 */
import { setImmediate } from 'node:timers/promises'
import { Refused } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import type { Effect } from '../key-validity/store/effect.ts'
import { findRangeEnd } from '../key-validity/store/user-status.ts'
import { filterUsers, type Visible } from '../keys/lists.ts'
import { listKeySeqs, listRange } from '../keys/store/user-bulk.ts'
import type { UserFilter } from '../keys/store/user-filter.ts'
import { findLastUserSeq } from '../keys/store/users.ts'
import type { Candidates } from './apply-change.ts'
import { SLICE } from './customer-lock.ts'

/** Yields the users that existed when the iteration started and that the effect applies to. */
export async function* allOf(
  { db }: Pick<Deps, 'db'>,
  projectId: string,
  { where }: Pick<Effect, 'where'>,
): Candidates {
  const last = await findLastUserSeq(db.read, projectId)
  const whose = { projectId, now: 0 }
  for (let after: number | undefined = 0; after !== undefined && after < last; await setImmediate()) {
    const end: number | undefined = await findRangeEnd(db.read, whose, { after, size: db.rowsAtOnce })
    yield await listRange(db.read, projectId, { after, end: Math.min(end ?? last, last) }, where)
    after = end
  }
}

export async function* only(seqs: readonly number[]): Candidates {
  yield seqs
}

export async function* withKeys(
  { db }: Pick<Deps, 'db'>,
  projectId: string,
  keys: readonly string[],
): Candidates {
  for (let start = 0; start < keys.length; start += SLICE)
    yield await listKeySeqs(db.read, projectId, keys.slice(start, start + SLICE))
}

/** Uses the same filter as the list of users. */
export async function matching(
  deps: Deps,
  visible: Visible,
  filter: UserFilter,
): Promise<(() => Candidates) | Refused<'must_filter_something' | 'invalid_request'>> {
  const first = await filterUsers(deps, visible, filter, {})
  if (first instanceof Refused) return first
  return async function* () {
    const found = await filterUsers(deps, visible, filter, {})
    if (found instanceof Refused) return
    for await (const page of found.pages) yield page.map(({ seq }) => seq)
  }
}
