/**
 * SQL that changes when keys expire, for a single key or a million. A key's remaining time is the time that
 * would be left if the key were resumed now, so a paused key keeps the time that it had when it was paused.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import type { PlanRow } from '../../plans/store.ts'
import type { Effect } from './effect.ts'

/** `latest` is the latest expiry date allowed. */
export type Ends = { readonly now: number; readonly latest: number }
export type PlanEffect = Ends & {
  /** Null removes the users from their plan. */
  readonly plan: Pick<PlanRow, 'id' | 'clock_basis' | 'clock_duration'> | null
}

/** The result is typed as `never` so that it fits a column of any type. */
const number = (value: number | null) => sql<never>`cast(${value} as bigint)`
const text = (value: string | null) => sql<never>`cast(${value} as text)`

export type Extension = Ends & {
  /** Milliseconds. */
  readonly duration: number
  /** Whether to include expired keys, which are then extended from now. */
  readonly expired: boolean
}

/**
 * Adds to the remaining time, also for clocks that are waiting for first use. Keys that never expire are
 * unchanged.
 */
export const extend = ({ duration, expired, now, latest }: Extension): Effect => {
  const at = sql`coalesce(paused_at, ${number(now)})`
  const added = sql`(${number(duration)} + case when key_expires < ${at} then ${at} - key_expires else 0 end)`
  const isLeft = expired
    ? sql`u.key_expires is not null`
    : sql`u.key_expires > coalesce(u.paused_at, ${number(now)})`
  return {
    where: sql`(${isLeft} or (u.key_expires is null and u.clock_waits = 1))`,
    set: {
      clock_extra: capped(sql`clock_extra + ${added}`, latest),
      key_expires: capped(sql`key_expires + ${added}`, latest),
    },
    takes: [],
  }
}

export const pause = ({ now }: Ends): Effect => ({
  where: sql`(u.paused_at is null and (u.key_expires is null or u.key_expires + coalesce(
    (select p.grace from plans as p where p.id = u.plan_id), 0) > ${number(now)}))`,
  set: { paused_at: number(now) },
  takes: [],
  kick: 'key_paused',
})

/**
 * Restores the time during which the key was paused. A clock that has not started has lost no time, and one
 * that started during the pause has lost only the time since then.
 */
export const resume = ({ now, latest }: Ends): Effect => {
  const since = sql`case when starts_at > paused_at then starts_at else paused_at end`
  const lost = sql`case when clock_waits = 1 or starts_at > ${number(now)} then 0
    when clock_began > ${since} then ${number(now)} - clock_began else ${number(now)} - ${since} end`
  return {
    where: sql`(u.paused_at is not null)`,
    set: {
      paused_at: number(null),
      clock_extra: capped(sql`clock_extra + ${lost}`, latest),
      key_expires: capped(sql`key_expires + ${lost}`, latest),
    },
    takes: [],
  }
}

const IS_OWN = sql<SqlBool>`clock_basis in ('creation', 'first_use')`

export const followPlan = ({ plan, now, latest }: PlanEffect): Effect => {
  const ofOthers = plan === null ? withoutPlan() : restart(plan, { now, latest })
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

type ClockColumn = 'key_expires' | `clock_${'basis' | 'duration' | 'began' | 'waits' | 'extra'}`
export type ClockValues = Partial<Record<ClockColumn, RawBuilder<never>>>

/**
 * Detaches a key from its clock. The key keeps its expiry date unless `end` sets another. For a key on a
 * plan, use the `none` basis, so that the plan's clock no longer changes the expiry date.
 */
export const clockless = ({
  basis,
  end,
}: {
  readonly basis: 'none' | null
  readonly end?: number | null
}): ClockValues => ({
  clock_basis: text(basis),
  clock_duration: number(null),
  clock_began: number(null),
  clock_waits: number(0),
  clock_extra: number(0),
  ...(end === undefined ? {} : { key_expires: number(end) }),
})

/**
 * The clock of a key that leaves its plan. The key keeps its expiry date. If it waits for its first use, it
 * keeps the plan's duration as a clock of its own, because it would otherwise never expire.
 */
export const withoutPlan = (): ClockValues => {
  const ifWaiting = (value: RawBuilder<unknown>) => sql<never>`case when clock_waits = 1 then ${value} end`
  return {
    ...clockless({ basis: null }),
    clock_basis: ifWaiting(text('first_use')),
    clock_duration: ifWaiting(sql`(select p.clock_duration from plans as p where p.id = plan_id)`),
    clock_waits: sql`clock_waits`,
    clock_extra: sql`case when clock_waits = 1 then clock_extra else 0 end`,
  }
}

type Restart = Ends & {
  /** True if the clock belongs to the key rather than to its plan. */
  readonly isOwn?: boolean
  /** The start date, if it is set by the same edit. 0 means immediately. */
  readonly startsAt?: number | undefined
}

/**
 * Applies a new clock. A running clock keeps its start and any added time. A clock waiting for first use
 * starts now if the new clock starts at creation. A clock waiting for its start date follows that date.
 */
export const restart = (
  { clock_basis: basis, clock_duration: duration }: Pick<PlanRow, 'clock_basis' | 'clock_duration'>,
  { now, latest, isOwn = false, startsAt }: Restart,
): ClockValues => {
  const isCounted = basis === 'creation'
  const starts = startsAt === undefined ? sql`coalesce(starts_at, 0)` : number(startsAt)
  const start = sql`case when ${starts} > ${number(now)} then ${starts} else ${number(now)} end`
  const running = sql<never>`(case when clock_began <= ${number(now)} then clock_began end)`
  const began: RawBuilder<never> = isCounted ? sql`coalesce(${running}, ${start})` : running
  const extra = sql<never>`case when clock_began is not null or clock_waits = 1 then clock_extra else 0 end`
  const end =
    duration === null ? number(null) : capped(sql`${began} + (${extra}) + ${number(duration)}`, latest)
  return {
    clock_basis: text(isOwn ? basis : null),
    clock_duration: number(isOwn ? duration : null),
    clock_began: began,
    clock_waits: isCounted ? number(0) : sql`case when ${running} is null then 1 else 0 end`,
    clock_extra: extra,
    key_expires: end,
  }
}

/** Limits the sum to `latest`. Null stays null. */
function capped(sum: RawBuilder<unknown>, latest: number): RawBuilder<never> {
  return sql`(case when ${sum} > ${number(latest)} then ${number(latest)} else ${sum} end)`
}

/** Applies a plan's changed clock to all of its users who have no clock of their own. */
export const updateClocks = async (
  tx: Queries,
  plan: Pick<PlanRow, 'id' | 'clock_basis' | 'clock_duration'>,
  ends: Ends,
): Promise<void> => {
  const set = Object.entries(restart(plan, ends)).map(([column, value]) => sql`${sql.id(column)} = ${value}`)
  await sql`update users set ${sql.join(set)} where plan_id = ${plan.id} and clock_basis is null`.execute(tx)
}
