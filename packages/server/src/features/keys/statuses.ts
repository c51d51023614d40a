/** The status of users who were read before, in the words of `features/key-validity/store/user-status.ts`, which counts and filters by it. */
import type { UserStatus } from '@scriptward/client/user-statuses'
import type { Deps } from '../../deps.ts'
import { listLockedKeys } from '../ads/store/ad-keys.ts'
import { findUserBans, type UserBan } from '../bans/banned-users.ts'
import { listSharing } from '../devices/store/user-networks.ts'
import { isBlacklisted } from '../key-validity/blacklist.ts'
import { isInGrace, isQuotaSpent } from '../key-validity/terms.ts'
import { listPlans, type PlanRow } from '../plans/store.ts'
import type { UserRow } from './store/users.ts'

/** In how many networks the key was used within seven days, and on how many other devices it was refused. */
type Sharing = {
  readonly shared: boolean
  readonly networks: number
  readonly refused_devices: number
}
/** With the plan that they follow, and the ban that hits them. */
export type UserOfStatus = UserRow &
  Sharing & {
    readonly status: UserStatus
    readonly plan: PlanRow | null
    readonly ban: UserBan | null
  }

/** A page of users of one project after another, with the status of each. */
export async function* withStatuses(
  deps: Deps,
  pages: AsyncIterable<readonly UserRow[]>,
): AsyncGenerator<readonly UserOfStatus[]> {
  for await (const page of pages) yield await addStatuses(deps, page)
}

export async function addStatus(deps: Deps, row: UserRow): Promise<UserOfStatus> {
  const [user] = await addStatuses(deps, [row])
  return user as UserOfStatus
}

async function addStatuses(deps: Deps, rows: readonly UserRow[]): Promise<UserOfStatus[]> {
  const locked = await findLocked(deps, rows)
  const plans = await findPlans(deps, rows)
  const sharing = await findSharing(deps, rows)
  const bans = await findUserBans(deps, rows)
  const now = deps.now()
  return rows.map((row) => {
    const plan = plans.get(row.plan_id ?? '') ?? null
    const used = sharing.get(row.seq) ?? UNSEEN
    const ban = bans.get(row.seq) ?? null
    const known = { now, plan, isLocked: locked.has(row.key) }
    return { ...row, ...used, plan, ban, status: ban ? 'blacklisted' : statusOf(row, known) }
  })
}

/** All users are of one project. */
async function findPlans({ db }: Deps, rows: readonly UserRow[]): Promise<ReadonlyMap<string, PlanRow>> {
  const follower = rows.find(({ plan_id }) => plan_id !== null)
  const plans = follower ? await listPlans(db.read, follower.project_id) : []
  return new Map(plans.map((plan) => [plan.id, plan]))
}

const UNSEEN: Sharing = { shared: false, networks: 0, refused_devices: 0 }

/** Nobody was seen who never executed anything. */
async function findSharing({ db }: Deps, rows: readonly UserRow[]): Promise<ReadonlyMap<number, Sharing>> {
  const seqs = rows
    .filter((row) => row.fingerprint_assigned === 1 || row.executions > 0)
    .map(({ seq }) => seq)
  const found = await listSharing(db.read, seqs)
  return new Map(
    found.map(({ user_seq, networks, refused_devices, share_threshold }) => {
      const shared = share_threshold > 0 && networks > share_threshold
      return [user_seq, { shared, networks, refused_devices }]
    }),
  )
}

/** Only who may wait for their first use is looked for among the earned keys. */
async function findLocked({ db }: Deps, rows: readonly UserRow[]): Promise<ReadonlySet<string>> {
  const waiting = rows.filter(mayBeLocked)
  const keys = waiting.map(({ key }) => key)
  return new Set(await listLockedKeys(db.read, waiting[0]?.project_id ?? '', keys))
}

/** Of a user as they see themselves: a ban of their last network is none where they are now. */
export async function findOwnStatus(
  deps: Deps,
  row: UserRow,
): Promise<{ readonly status: UserStatus; readonly plan: PlanRow | null }> {
  const plan = (await findPlans(deps, [row])).get(row.plan_id ?? '') ?? null
  const isLocked = (await findLocked(deps, [row])).has(row.key)
  return { plan, status: statusOf(row, { now: deps.now(), plan, isLocked }) }
}

type Known = { readonly now: number; readonly plan: PlanRow | null; readonly isLocked: boolean }

function statusOf(row: UserRow, { now, plan, isLocked }: Known): UserStatus {
  if (isBlacklisted(row, now)) return 'blacklisted'
  if (row.paused_at !== null) return 'paused'
  if (row.key_expires !== null && row.key_expires <= now)
    return isInGrace(row.key_expires, plan?.grace ?? null, now) ? 'grace' : 'expired'
  if (isLocked) return 'locked'
  if (row.clock_waits === 1 || (row.starts_at ?? 0) > now) return 'not_started'
  if (row.executions === 0 && row.fingerprint_assigned === 0 && row.chat_id === null)
    return row.issued_at === null ? 'unused' : 'issued'
  return isQuotaSpent(row, plan?.quota_count ?? null, now) ? 'quota_spent' : 'active'
}

function mayBeLocked({ ad_system_id, executions }: UserRow): boolean {
  return ad_system_id !== null && executions === 0
}
