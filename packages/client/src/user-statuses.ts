/** In which state a user's key is, as the service answers it, in the order in which lists offer them. */
export const USER_STATUSES = [
  ...(['active', 'issued', 'unused', 'not_started', 'quota_spent', 'grace'] as const),
  ...(['paused', 'locked', 'expired', 'blacklisted'] as const),
] as const
export type UserStatus = (typeof USER_STATUSES)[number]
