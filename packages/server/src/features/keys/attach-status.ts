/** Adds the fields that `/v1` returns in addition to the user row: status, plan and active ban. */
import type { UserStatus } from '@scriptward/client/user-statuses'
import type { Deps } from '../../deps.ts'
import { findUserBans, type UserBan } from '../bans/banned-users.ts'
import { timesAt } from '../key-validity/quota-periods.ts'
import { listUserStates, type UserState } from '../key-validity/store/user-status.ts'
import { findPlanOf, listPlans, type PlanRow } from '../plans/store.ts'
import type { ProjectRow } from '../projects/store/projects.ts'
import type { UserSubject } from '../projects/store/subjects.ts'
import type { UserRow } from './store/users.ts'

export type UserWithStatus = {
  readonly user: UserRow
  readonly state: UserState
  readonly plan: PlanRow | null
  readonly ban: UserBan | null
}

type Known = {
  readonly plans: ReadonlyMap<string, PlanRow>
  readonly bans: ReadonlyMap<number, UserBan>
}

/** Adds statuses page by page. Omits users that were removed after their page was read. */
export async function* withStatuses(
  deps: Deps,
  project: ProjectRow,
  pages: AsyncIterable<readonly UserRow[]>,
): AsyncGenerator<readonly UserWithStatus[]> {
  let plans: Known['plans'] | undefined
  for await (const rows of pages) {
    if (rows.some(({ plan_id }) => plan_id !== null)) plans ??= await plansOf(deps, project)
    const bans = await findUserBans(deps, project, rows)
    yield await attach(deps, rows, { plans: plans ?? new Map(), bans })
  }
}

async function plansOf({ db }: Deps, { id }: ProjectRow): Promise<Known['plans']> {
  return new Map((await listPlans(db.read, id)).map((plan) => [plan.id, plan]))
}

/** Returns undefined if the user was removed after the row was read. */
export async function withStatus(
  deps: Deps,
  { project, user }: Pick<UserSubject, 'project' | 'user'>,
): Promise<UserWithStatus | undefined> {
  const plan = await findPlanOf(deps.db.readPoint, user)
  const bans = await findUserBans(deps, project, [user])
  const [found] = await attach(deps, [user], { plans: new Map(plan ? [[plan.id, plan]] : []), bans })
  return found
}

async function attach(
  { db, now }: Deps,
  rows: readonly UserRow[],
  { plans, bans }: Known,
): Promise<UserWithStatus[]> {
  const seqs = rows.map(({ seq }) => seq)
  const states = new Map(
    (await listUserStates(db.readPoint, seqs, timesAt(now()))).map((state) => [state.seq, state]),
  )
  return rows.flatMap((user) => {
    const state = states.get(user.seq)
    const plan = plans.get(user.plan_id ?? '') ?? null
    return state ? [{ user, state, plan, ban: bans.get(user.seq) ?? null }] : []
  })
}

/**
 * Returns the status for the customer page. Ignores a ban on the customer's last network, because the
 * customer's network may have changed.
 */
export async function findOwnStatus(
  { db, now }: Deps,
  user: UserRow,
): Promise<{ readonly status: UserStatus | undefined; readonly plan: PlanRow | null }> {
  const plan = await findPlanOf(db.readPoint, user)
  const [state] = await listUserStates(db.readPoint, [user.seq], timesAt(now()))
  return { plan, status: state?.status }
}
