/** Statuses of user keys as returned by the API, in the order shown in lists. */
export const USER_STATUSES = [
  ...(['active', 'issued', 'unused', 'not_started', 'quota_spent', 'grace'] as const),
  ...(['paused', 'locked', 'expired', 'blacklisted'] as const),
] as const
export type UserStatus = (typeof USER_STATUSES)[number]
