/** Calculates how many more users an account or an issuer can create. */
import type { Deps } from '../../deps.ts'
import type { Issuer } from '../access/caller.ts'
import { isExceeded } from '../accounts/quotas.ts'
import { findTier } from '../accounts/store/tiers.ts'
import { countCustomerUsers } from '../projects/store/projects.ts'
import type { ProjectSubject } from '../projects/store/subjects.ts'
import { countIssuedUsers } from './store/users.ts'

export type RemainingUsers = {
  /** Null if there is no limit. */
  readonly places_left: number | null
  readonly fits: boolean
}

export async function remainingUsers(
  deps: Deps,
  subject: ProjectSubject,
  users: number,
  issuer: Issuer | undefined,
): Promise<RemainingUsers> {
  const places = await countPlaces(deps, subject, issuer)
  return { places_left: Number.isFinite(places) ? Math.max(0, places) : null, fits: users <= places }
}

/** Returns infinity if there is no limit, and a negative number after a downgrade to a smaller tier. */
export async function countPlaces(
  { db: { read } }: Deps,
  { customer }: ProjectSubject,
  issuer: Issuer | undefined,
): Promise<number> {
  const ofIssuer = issuer
    ? (issuer.maxKeys ?? Number.POSITIVE_INFINITY) - (await countIssuedUsers(read, issuer.id))
    : Number.POSITIVE_INFINITY
  const tier = await findTier(read, customer.tier)
  const isLimited =
    tier !== undefined && (await isExceeded(tier.max_users, async () => Number.POSITIVE_INFINITY))
  if (!isLimited) return ofIssuer
  return Math.min(ofIssuer, tier.max_users - (await countCustomerUsers(read, customer.id)).ordinary)
}
