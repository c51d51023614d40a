/** What removals do to the counters of a project. */
import type { UserChange } from '../projects/store/projects.ts'

/** The change of the counts when these are deleted. */
export function countRemoved(deleted: readonly { readonly ad_system_id: string | null }[]): UserChange {
  const fromAds = deleted.filter(({ ad_system_id }) => ad_system_id !== null).length
  return { users: 0 - deleted.length, fromAds: 0 - fromAds }
}

/** The same when they come back. */
export function countRestored(restored: readonly { readonly ad_system_id: string | null }[]): UserChange {
  const { users, fromAds } = countRemoved(restored)
  return { users: 0 - users, fromAds: 0 - fromAds }
}
