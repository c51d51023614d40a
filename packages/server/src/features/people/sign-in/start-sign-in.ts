/** Starts a session after any kind of sign-in, and issues its cookie. */

import { newId } from '../../../api/ids.ts'
import { type Refused, refuse } from '../../../api/refusals.ts'
import type { Queries } from '../../../database/engine/db.ts'
import type { Deps } from '../../../deps.ts'
import { networkOf } from '../../../platform/limits/networks.ts'
import { report } from '../../abuse/security-events.ts'
import { browserToken, hashCredential } from '../../access/credential.ts'
import { insertKnownBrowser } from '../store/known-browsers.ts'
import { listMemberships } from '../store/members.ts'
import { updatePerson } from '../store/people.ts'
import { insertSignIn, type PersonRow, type SignInRow, updateSignIn } from '../store/sign-ins.ts'
import { browserName } from './browser-names.ts'

const COOKIE_BYTES = 32

/** Where a session comes from. */
export type Whence = {
  readonly address: string
  /** The browser's user agent. */
  readonly browser: string
  /** The token that an earlier session left in the browser. */
  readonly known?: string | undefined
  /** The account to open first. Defaults to the account of the user's oldest membership. */
  readonly account?: string
}

/**
 * Returns the cookie's value: 256 random bits in base64url. By default, opens the account of the user's
 * oldest membership.
 */
export async function startSignIn(
  deps: Deps,
  tx: Queries,
  person: PersonRow,
  { address, browser, account }: Whence,
): Promise<string> {
  const cookie = newCookie(deps)
  const now = deps.now()
  const all = await listMemberships(tx, person.id)
  const first = all.find(({ customer_id }) => customer_id === account) ?? all[0]
  await insertSignIn(tx, {
    id: newId('sgn', now, deps.random),
    hash: hashCredential(cookie),
    person_id: person.id,
    customer_id: first?.customer_id ?? null,
    created_at: now,
    proved_at: now,
    last_used_at: now,
    network: networkOf(address),
    browser: browserName(browser),
  })
  deps.annotateAudit({
    actor: { kind: 'person', id: person.id, name: person.email },
    ...(first && { customerId: first.customer_id }),
  })
  await rememberBrowser(tx, person.id, { cookie, now })
  await updatePerson(tx, person.id, { last_sign_in_at: now })
  report(deps, 'signed_in', { person: person.id, network: networkOf(address) })
  return cookie
}

export type SignInChanges = { readonly proved_at?: number; readonly customer_id?: string | null }

/**
 * Replaces a session's cookie and returns the new value. Called whenever the user's permissions change, so
 * that a cookie that leaked earlier becomes useless. Fails if the session has ended.
 */
export async function renewSignIn(
  deps: Pick<Deps, 'now' | 'random'>,
  tx: Queries,
  { id, person_id }: Pick<SignInRow, 'id' | 'person_id'>,
  changes: SignInChanges = {},
): Promise<string | Refused<'unauthorized'>> {
  const cookie = newCookie(deps)
  const now = deps.now()
  const isThere = await updateSignIn(tx, id, { ...changes, hash: hashCredential(cookie), last_used_at: now })
  if (!isThere) return refuse('unauthorized')
  await rememberBrowser(tx, person_id, { cookie, now })
  return cookie
}

function newCookie({ random }: Pick<Deps, 'random'>): string {
  return random(COOKIE_BYTES).toString('base64url')
}

async function rememberBrowser(
  tx: Queries,
  personId: string,
  { cookie, now }: { readonly cookie: string; readonly now: number },
): Promise<void> {
  const hash = hashCredential(browserToken(cookie))
  await insertKnownBrowser(tx, { person_id: personId, hash, last_used_at: now })
}
