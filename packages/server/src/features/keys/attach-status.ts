/** Users as `/v1` shows them: with their status, the plan that they follow, and the ban that hits them. */
import type { UserStatus } from '@scriptward/client/user-statuses'
import type { Deps } from '../../deps.ts'
import { findUserBans, type UserBan } from '../bans/banned-users.ts'
import { listStandings, type UserStanding } from '../key-validity/store/user-status.ts'
import { findPlanOf, listPlans, type PlanRow } from '../plans/store.ts'
import type { ProjectRow } from '../projects/store/projects.ts'
import type { UserSubject } from '../projects/store/subjects.ts'
import type { UserRow } from './store/users.ts'

export type UserOfStatus = {
  readonly user: UserRow
  readonly standing: UserStanding
  readonly plan: PlanRow | null
  readonly ban: UserBan | null
}

type Known = {
  readonly plans: ReadonlyMap<string, PlanRow>
  readonly bans: ReadonlyMap<number, UserBan>
}

/** A page of users of one project after another; those who are removed meanwhile are left out. */
export async function* withStatuses(
  deps: Deps,
  project: ProjectRow,
  pages: AsyncIterable<readonly UserRow[]>,
): AsyncGenerator<readonly UserOfStatus[]> {
  for await (const rows of pages) {
    const plans = rows.some(({ plan_id }) => plan_id !== null)
      ? await listPlans(deps.db.read, project.id)
      : []
    const bans = await findUserBans(deps, project, rows)
    yield await joined(deps, rows, { plans: new Map(plans.map((plan) => [plan.id, plan])), bans })
  }
}

/** Undefined for one who is removed meanwhile. */
export async function addStatus(
  deps: Deps,
  { project, user }: Pick<UserSubject, 'project' | 'user'>,
): Promise<UserOfStatus | undefined> {
  const plan = await findPlanOf(deps.db.readPoint, user)
  const bans = await findUserBans(deps, project, [user])
  const [found] = await joined(deps, [user], { plans: new Map(plan ? [[plan.id, plan]] : []), bans })
  return found
}

async function joined(deps: Deps, rows: readonly UserRow[], { plans, bans }: Known): Promise<UserOfStatus[]> {
  const seqs = rows.map(({ seq }) => seq)
  const standings = await listStandings(deps.db.readPoint, seqs, deps.now())
  const bySeq = new Map(standings.map((one) => [one.seq, one]))
  return rows.flatMap((user) => {
    const standing = bySeq.get(user.seq)
    const plan = plans.get(user.plan_id ?? '') ?? null
    return standing ? [{ user, standing, plan, ban: bans.get(user.seq) ?? null }] : []
  })
}

/** Of a user as they see themselves: a ban of their last network is none where they are now. */
export async function findOwnStatus(
  deps: Deps,
  user: UserRow,
): Promise<{ readonly status: UserStatus | undefined; readonly plan: PlanRow | null }> {
  const plan = await findPlanOf(deps.db.readPoint, user)
  const [standing] = await listStandings(deps.db.readPoint, [user.seq], deps.now())
  return { plan, status: standing?.status }
}
