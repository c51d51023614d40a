/**
 * How often a password may be tried. Wrong tries of others never keep a person out of a browser in which they signed in
 * before: that browser has a count of its own.
 */
import type { Deps } from '../../deps.ts'
import { prefixOf } from '../../limits/networks.ts'
import type { Limit } from '../../limits/rules.ts'
import { isKnownBrowser } from '../../store/tables/known-browsers.ts'
import type { PersonRow } from '../../store/tables/sign-ins.ts'
import { hashCredential } from '../access/credential.ts'
import { type Refused, refuse } from '../refusals.ts'
import type { Whence } from './start-sign-in.ts'

/** `person` is undefined for an unknown e-mail address. */
export type Tried = { readonly email: string; readonly person: PersonRow | undefined }
/** A try that was counted as a wrong one; `wasRight` undoes that. */
export type Try = { wasRight(): Promise<void> }

type Bucket = readonly [Limit, string]

export async function beginTry(
  { db, limits, now }: Deps,
  tried: Tried,
  whence: Whence,
): Promise<Try | Refused<'rate_limited'>> {
  const { signIns } = limits
  const at = now()
  const taken: Bucket[] = []
  const giveBack = () => Promise.all(taken.map(([limit, who]) => signIns.giveBack(limit, who, at)))
  for (const [limit, who] of await bucketsOf({ db }, tried, whence)) {
    const waitMs = await signIns.takeAttempt(limit, who, at)
    if (waitMs > 0) {
      await giveBack()
      return refuse('rate_limited', { retry_after: Math.ceil(waitMs / 1000) })
    }
    taken.push([limit, who])
  }
  return { wasRight: async () => void (await giveBack()) }
}

async function bucketsOf(
  { db }: Pick<Deps, 'db'>,
  { email, person }: Tried,
  { address, known }: Whence,
): Promise<Bucket[]> {
  const hash = known === undefined ? '' : hashCredential(known)
  if (person && hash !== '' && (await isKnownBrowser(db.read, person.id, hash)))
    return [['passwordBrowser', `${person.id} ${hash}`]]
  const prefix = prefixOf(address)
  return [
    ['passwordEmail', `${email} ${prefix}`],
    ['passwordPrefix', prefix],
  ]
}
