/**
 * The SQL of bulk changes: which users each change affects, and how it changes them. A change that is added
 * here, and whose fields are added in `features/changes/endpoints/bulk-action-members.ts`, supports dry runs
 * and undo.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { dialectOf } from '../../../database/engine/dialect.ts'
import { tagLabel } from '../../../database/engine/labels.ts'
import type { Effect } from '../../key-validity/store/effect.ts'
import {
  type Ends,
  type Extension,
  extend,
  followPlan,
  type PlanEffect,
  pause,
  resume,
} from '../../key-validity/store/time-left-effects.ts'
import { isBlacklistedNow } from '../../key-validity/store/user-status.ts'

type Now = { readonly now: number }
export type UserActions = {
  remove: object
  purge: object
  extend: Extension
  blacklist: Now & { readonly reason: string | null; readonly expires: number | null }
  unblacklist: Now
  reset: Now
  pause: Ends
  resume: Ends
  plan: PlanEffect
  tag: { readonly tags: readonly string[]; readonly most: number }
  untag: { readonly tags: readonly string[] }
}
export type UserAction = keyof UserActions

const ANYBODY = sql<SqlBool>`1 = 1`
const number = (value: number | null) => sql`cast(${value} as bigint)`
const text = (value: string | null) => sql`cast(${value} as text)`

const EFFECTS: { readonly [A in UserAction]: (given: UserActions[A]) => Effect } = {
  remove: () => ({ where: ANYBODY, set: {}, takes: [], kick: 'key_removed', removes: true }),
  // Only the condition on `standing` may use an index. The unary plus prevents SQLite from choosing another
  // index, which would not return users in order.
  purge: () => ({
    where: sql`(u.standing <> 0 and u.executions = 0 and +u.fingerprint_assigned = 0 and u.chat_id is null)`,
    set: {},
    takes: [],
    kick: 'key_removed',
    removes: true,
  }),
  extend,
  blacklist: ({ reason, expires, now }) => ({
    where: sql`(not ${isBlacklistedNow(now)})`,
    set: { blacklisted: number(1), blacklist_reason: text(reason), blacklist_expires: number(expires) },
    takes: [],
    kick: 'blacklisted',
  }),
  unblacklist: ({ now }) => ({
    where: isBlacklistedNow(now),
    set: { blacklisted: number(0), blacklist_reason: text(null), blacklist_expires: number(null) },
    takes: [],
  }),
  reset: ({ now }) => ({
    where: sql`(u.fingerprint_assigned = 1)`,
    set: {
      fingerprint_assigned: number(0),
      fingerprint_display: text(null),
      last_reset: number(now),
      total_fingerprint_resets: sql`total_fingerprint_resets + ${number(1)}`,
    },
    takes: ['user_devices', 'user_fingerprints'],
    kick: 'fingerprint_reset',
  }),
  pause,
  resume,
  plan: followPlan,
  tag: ({ tags, most }) => {
    const labels = labelsAmong(tags)
    const all = sql`(select count(*) from user_labels as l where l.user_seq = u.seq and l.label like '#%')`
    const missing = sql`(${number(tags.length)} - (select count(*) ${labels}))`
    return {
      where: sql`(${missing} > 0 and ${all} + ${missing} <= ${number(most)})`,
      set: { tags: (db) => dialectOf(db).tagsWith(JSON.stringify(tags)) },
      takes: [],
    }
  },
  untag: ({ tags }) => ({
    where: sql`(exists (select 1 ${labelsAmong(tags)}))`,
    set: { tags: (db) => dialectOf(db).tagsWithout(JSON.stringify(tags)) },
    takes: [],
  }),
}

/** A user's labels that represent these tags. */
function labelsAmong(tags: readonly string[]): RawBuilder<unknown> {
  return sql`from user_labels as l where l.user_seq = u.seq and l.label in (${sql.join(tags.map(tagLabel))})`
}

export function effectOf<A extends UserAction>(action: A, given: UserActions[A]): Effect {
  return EFFECTS[action](given)
}
