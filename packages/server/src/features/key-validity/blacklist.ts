/** Whether a blacklist applies now: of a user, of an account, and to the scripts of an account's owner. */

/** Of an entry that is on a blacklist; one without an end never expires. */
export type Blacklist = { readonly reason: string | null; readonly expires: number | null }

/** A row of a user or an account. */
export type BlacklistColumns = {
  readonly blacklisted: number | null
  readonly blacklist_expires: number | null
}

/** A blacklist ends at its very millisecond, whether or not a job has cleared the row yet. */
export function isBlacklisted({ blacklisted, blacklist_expires }: BlacklistColumns, now: number): boolean {
  return blacklisted === 1 && (blacklist_expires === null || now < blacklist_expires)
}

/** The same for a blacklist that was read before. */
export function isActive(blacklist: Blacklist | undefined, now: number): blacklist is Blacklist {
  return blacklist !== undefined && (blacklist.expires === null || now < blacklist.expires)
}

/** Whether an account's scripts are served: its plan runs, grace included, and it is not blacklisted. */
export function isOwnerServed(
  owner: BlacklistColumns & { readonly plan_expires: number },
  { now, graceMs }: { readonly now: number; readonly graceMs: number },
): boolean {
  return !isBlacklisted(owner, now) && now < owner.plan_expires + graceMs
}
