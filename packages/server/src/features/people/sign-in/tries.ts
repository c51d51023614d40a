/**
 * Limits password attempts. Failed attempts by others never lock users out of a browser in which they have
 * signed in before, because that browser has a separate limit.
 */

import { type Refused, refuse } from '../../../api/refusals.ts'
import type { Deps } from '../../../deps.ts'
import { networkOf, prefixOf } from '../../../platform/limits/networks.ts'
import type { Limit } from '../../../platform/limits/rules.ts'
import { report } from '../../abuse/security-events.ts'
import { hashCredential } from '../../access/credential.ts'
import { queueMail } from '../../accounts/mails.ts'
import { passwordGuessed } from '../notices.ts'
import { isKnownBrowser } from '../store/known-browsers.ts'
import type { PersonRow } from '../store/sign-ins.ts'
import type { Whence } from './start-sign-in.ts'

/** `person` is undefined for an unknown email address. */
export type Tried = { readonly email: string; readonly person: PersonRow | undefined }
/**
 * An attempt. It counts as wrong until `wasRight` reverts the count. `wasWrong` warns the user after too many
 * wrong attempts.
 */
export type Try = { wasRight(): Promise<void>; wasWrong(): Promise<void> }

type Bucket = readonly [Limit, string]

export async function beginTry(
  deps: Deps,
  tried: Tried,
  whence: Whence,
): Promise<Try | Refused<'rate_limited'>> {
  const { db, limits, now } = deps
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
  const isOwnBrowser = taken.some(([limit]) => limit === 'passwordBrowser')
  return {
    wasRight: async () => void (await giveBack()),
    wasWrong: async () => void (isOwnBrowser || (await countGuess(deps, tried, whence))),
  }
}

/**
 * Counts a wrong guess. Attempts with unknown email addresses are counted too, so that their timing is the
 * same as for known addresses.
 */
async function countGuess(deps: Deps, { email, person }: Tried, { address }: Whence): Promise<void> {
  const { signIns } = deps.limits
  const at = deps.now()
  if ((await signIns.takeAttempt('passwordGuesses', email, at)) === 0 || !person) return
  if ((await signIns.takeAttempt('passwordWarning', person.id, at)) > 0) return
  report(deps, 'password_guessed', { person: person.id, network: networkOf(address) })
  await deps.unauditedDb.transaction((tx) => queueMail(deps, tx, passwordGuessed(person.email)))
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
