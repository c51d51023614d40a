/** Decides whether a user or account is blacklisted, and whether an account's scripts can run. */

/** A blacklist entry. If `expires` is null, the entry is permanent. */
export type Blacklist = { readonly reason: string | null; readonly expires: number | null }

/** The blacklist columns of a user or an account. */
export type BlacklistColumns = {
  readonly blacklisted: number | null
  readonly blacklist_expires: number | null
}

/** A blacklist entry ends exactly at its expiry, even if no job has cleared the row yet. */
export function isBlacklisted({ blacklisted, blacklist_expires }: BlacklistColumns, now: number): boolean {
  return blacklisted === 1 && (blacklist_expires === null || now < blacklist_expires)
}

export function isActive(blacklist: Blacklist | undefined, now: number): blacklist is Blacklist {
  return blacklist !== undefined && (blacklist.expires === null || now < blacklist.expires)
}

/**
 * Returns whether an account's scripts can run: the account must be active or in its grace period, and not
 * blacklisted.
 */
export function isOwnerServed(
  owner: BlacklistColumns & { readonly plan_expires: number },
  { now, graceMs }: { readonly now: number; readonly graceMs: number },
): boolean {
  return !isBlacklisted(owner, now) && now < owner.plan_expires + graceMs
}
