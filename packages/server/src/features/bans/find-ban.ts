/** Checks whether a run is banned. Needs one indexed read, or none if the project has no bans. */
import type { Queries } from '../../database/engine/db.ts'
import { isStrong } from '../devices/device-data.ts'
import { listUserFingerprints } from '../devices/store/user-fingerprints.ts'
import { type Blacklist, isActive } from '../key-validity/blacklist.ts'
import type { UserRow } from '../keys/store/users.ts'
import { namesOf, type Shown } from './ban-names.ts'
import { listBansNamed } from './store/bans.ts'

export type BanQuestion = {
  readonly projectId: string
  readonly bans: number
  readonly now: number
}

/** Returns the longest-lasting ban that applies, or undefined if none does. */
export async function findActiveBan(
  db: Queries,
  { projectId, bans, now }: BanQuestion,
  shown: Shown,
): Promise<Blacklist | undefined> {
  if (bans === 0) return undefined
  const found = await listBansNamed(db, projectId, namesOf(shown))
  const active = found.filter((one) => isActive(one, now))
  return active.reduce<Blacklist | undefined>(
    (longest, one) => (longest && !lastsLonger(one, longest) ? longest : one),
    undefined,
  )
}

export function lastsLonger(one: Pick<Blacklist, 'expires'>, other: Pick<Blacklist, 'expires'>): boolean {
  return endOf(one) > endOf(other)
}

/** The strong components of all devices bound to a user. */
export async function listDeviceHashes(db: Queries, user: UserRow): Promise<string[]> {
  const stored = await listUserFingerprints(db, user)
  return [...new Set(stored.filter(isStrong).map(({ hash }) => hash))]
}

function endOf({ expires }: Pick<Blacklist, 'expires'>): number {
  return expires ?? Number.MAX_SAFE_INTEGER
}
