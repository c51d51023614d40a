/**
 * Uses a setup link with a passkey instead of a password, which makes the new user the owner of the account.
 */

import { newId } from '../../../api/ids.ts'
import { Refused, refuse } from '../../../api/refusals.ts'
import type { Deps } from '../../../deps.ts'
import { limitAddress } from '../../abuse/attempts.ts'
import { lookAtOnce } from '../../access/single-use.ts'
import { insertPasskey } from '../store/passkeys.ts'
import { findPersonByEmail } from '../store/people.ts'
import { browserName } from './browser-names.ts'
import { type Asking, type Begun, beginCeremony, endCeremony, newPasskey } from './passkeys.ts'
import { relyingParty } from './relying-party.ts'
import { becomeOwner, withNewPerson } from './set-up.ts'
import type { Whence } from './start-sign-in.ts'
import { type Challenge, type NewCredential, registrationOptions } from './webauthn.ts'

export type Named = { readonly link: string; readonly email: string; readonly name: string }
/** Data stored until the passkey arrives. The link is encrypted, because it remains valid until then. */
type Waiting = { readonly id: string; readonly email: string; readonly name: string; readonly link: string }

type BeginRefusal = Refused<'email_already_taken' | 'link_gone' | 'passkeys_unavailable' | 'rate_limited'>

export async function beginSetUp(
  deps: Deps,
  { link, email, name }: Named,
  { asking, address }: { readonly asking: Asking; readonly address: string },
): Promise<Begun | BeginRefusal> {
  const limited = await limitAddress(deps, 'authAddress', address)
  if (limited) return limited
  const party = relyingParty(deps.config, asking)
  if (party instanceof Refused) return party
  if (!(await lookAtOnce(deps, link, ['set_up']))) return refuse('link_gone')
  const person = { id: newId('psn', deps.now(), deps.random), email: email.toLowerCase(), name: name.trim() }
  if (await findPersonByEmail(deps.db.read, person.email)) return refuse('email_already_taken')
  const data: Waiting = { ...person, link: deps.secrets.sealText('setUpLink', person.id, link) }
  const ticket = await beginCeremony(deps, { purpose: 'passkey_set_up', data })
  return { ticket, options: await registrationOptions(party, ticket, { person, known: [] }) }
}

type FinishRefusal = Refused<
  | 'account_has_people'
  | 'email_already_taken'
  | 'link_gone'
  | 'passkey_already_added'
  | 'passkey_refused'
  | 'passkeys_unavailable'
  | 'rate_limited'
  | 'ticket_gone'
>

/** Returns the cookie of the new owner, who has no password. */
export async function finishSetUp(
  deps: Deps,
  { ticket, response }: { readonly ticket: Challenge; readonly response: NewCredential },
  whence: Whence,
): Promise<string | FinishRefusal> {
  const limited = await limitAddress(deps, 'authAddress', whence.address)
  if (limited) return limited
  const party = relyingParty(deps.config)
  if (party instanceof Refused) return party
  const begun = await endCeremony(deps, ticket, 'passkey_set_up')
  if (!begun?.data) return refuse('ticket_gone')
  const { link, ...named } = JSON.parse(begun.data) as Waiting
  const name = browserName(whence.browser)
  const passkey = await newPasskey(deps, party, { person: named, ticket, response, name })
  if (passkey === undefined) return refuse('passkey_refused')
  return withNewPerson(deps, async (tx) => {
    const person = { ...named, password_hash: null }
    const opened = deps.secrets.openText('setUpLink', named.id, link)
    const cookie = await becomeOwner(deps, tx, { link: opened, person, whence })
    if (cookie instanceof Refused) return cookie
    return (await insertPasskey(tx, passkey)) ? cookie : refuse('passkey_already_added')
  })
}
