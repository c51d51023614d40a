/**
 * The effects on many users that move their ends, in SQL: what `domain/users/pauses.ts` and `domain/users/user-terms.ts` do to
 * one. For `user-effects.ts`.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { PlanRow } from './plans.ts'
import type { Effect } from './user-effect.ts'

/** `latest` is the latest end that a key may have. */
export type Ends = { readonly now: number; readonly latest: number }
export type PlanEffect = Ends & {
  /** Null takes them out of their plan. */
  readonly plan: Pick<PlanRow, 'id' | 'clock_basis' | 'clock_duration'> | null
}

const number = (value: number | null) => sql`cast(${value} as bigint)`
const text = (value: string | null) => sql`cast(${value} as text)`

export const pause = ({ now }: Ends): Effect => ({
  where: sql`(u.paused_at is null and (u.key_expires is null or u.key_expires + coalesce(
    (select p.grace from plans as p where p.id = u.plan_id), 0) > ${number(now)}))`,
  set: { paused_at: number(now) },
  takes: [],
  kick: 'key_paused',
})

export const resume = ({ now, latest }: Ends): Effect => {
  const paused = sql`${number(now)} - paused_at`
  return {
    where: sql`(u.paused_at is not null)`,
    set: {
      paused_at: number(null),
      clock_extra: capped(sql`clock_extra + ${paused}`, latest),
      key_expires: capped(sql`key_expires + ${paused}`, latest),
    },
    takes: [],
  }
}

const IS_OWN = sql<SqlBool>`clock_basis in ('creation', 'first_use')`

export const followPlan = ({ plan, now, latest }: PlanEffect): Effect => {
  const ofOthers = plan === null ? BY_HAND : clockOf(plan, { now, latest })
  const set = Object.entries(ofOthers).map(([column, value]) => [
    column,
    sql`case when ${IS_OWN} then ${sql.id(column)} else ${value} end`,
  ])
  return {
    where: sql`(coalesce(u.plan_id, '') <> ${text(plan?.id ?? '')})`,
    set: { plan_id: text(plan?.id ?? null), ...Object.fromEntries(set) },
    takes: [],
  }
}

/** A key that leaves its plan keeps its end, as one that was set by hand. */
const BY_HAND = {
  clock_basis: text(null),
  clock_duration: number(null),
  clock_began: number(null),
  clock_waits: number(0),
  clock_extra: number(0),
} as const

/** A clock that runs keeps its beginning and what was added to it; others begin as the new one does. */
function clockOf({ clock_basis, clock_duration }: NonNullable<PlanEffect['plan']>, { now, latest }: Ends) {
  const isCounted = clock_basis === 'creation'
  const start = sql`case when coalesce(starts_at, 0) > ${number(now)} then starts_at else ${number(now)} end`
  const began: RawBuilder<unknown> = isCounted ? sql`coalesce(clock_began, ${start})` : sql`clock_began`
  const extra = sql`case when clock_began is not null or clock_waits = 1 then clock_extra else 0 end`
  const end =
    clock_duration === null
      ? number(null)
      : capped(sql`${began} + (${extra}) + ${number(clock_duration)}`, latest)
  return {
    clock_basis: text(null),
    clock_duration: number(null),
    clock_began: began,
    clock_waits: isCounted ? number(0) : sql`case when clock_began is null then 1 else 0 end`,
    clock_extra: extra,
    key_expires: end,
  }
}

/** Null stays null. */
function capped(sum: RawBuilder<unknown>, latest: number): RawBuilder<unknown> {
  return sql`(case when ${sum} > ${number(latest)} then ${number(latest)} else ${sum} end)`
}
