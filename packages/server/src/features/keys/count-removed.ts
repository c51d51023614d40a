/** Calculates how a project's user counters change when users are removed or restored. */
import type { UserChange } from '../projects/store/projects.ts'

/** Returns how removing these users changes the counts of an account. */
export function countRemoved(deleted: readonly { readonly ad_system_id: string | null }[]): UserChange {
  const fromAds = deleted.filter(({ ad_system_id }) => ad_system_id !== null).length
  return { users: 0 - deleted.length, fromAds: 0 - fromAds }
}

/** Returns how restoring these users changes the counts. */
export function countRestored(restored: readonly { readonly ad_system_id: string | null }[]): UserChange {
  const { users, fromAds } = countRemoved(restored)
  return { users: 0 - users, fromAds: 0 - fromAds }
}
