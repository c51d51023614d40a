/** Statuses of user keys in the API, in the order used by lists. */
export const USER_STATUSES = [
  ...(['active', 'issued', 'unused', 'not_started', 'quota_spent', 'grace'] as const),
  ...(['paused', 'locked', 'expired', 'blacklisted'] as const),
] as const
export type UserStatus = (typeof USER_STATUSES)[number]
