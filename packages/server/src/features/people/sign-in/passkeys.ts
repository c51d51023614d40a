/**
 * Adds and removes users' passkeys, and signs users in with a passkey. A challenge also serves as the token
 * of its ceremony and is single-use.
 */

import { newId } from '../../../api/ids.ts'
import { Refused, refuse } from '../../../api/refusals.ts'
import type { Queries } from '../../../database/engine/db.ts'
import type { Deps } from '../../../deps.ts'
import { networkOf } from '../../../platform/limits/networks.ts'
import { limitAddress } from '../../abuse/attempts.ts'
import { report } from '../../abuse/security-events.ts'
import { issueOnce, type NewUse, takeOnce } from '../../access/single-use.ts'
import type { Purpose, SingleUseRow } from '../../access/store/single-uses.ts'
import { queueMail } from '../../accounts/mails.ts'
import { factorsChanged } from '../notices.ts'
import {
  deletePasskey,
  findPasskey,
  insertPasskey,
  listPasskeys,
  type PasskeyRow,
  updatePasskeyName,
  updatePasskeyUse,
} from '../store/passkeys.ts'
import { lockPerson } from '../store/people.ts'
import type { PersonRow, SignInRow } from '../store/sign-ins.ts'
import { type RelyingParty, relyingParty } from './relying-party.ts'
import { renewSignIn, startSignIn, type Whence } from './start-sign-in.ts'
import {
  type Assertion,
  assertionOptions,
  CEREMONY_MS,
  type Challenge,
  type NewCredential,
  type Options,
  registrationOptions,
  transportsOf,
  verifyAssertion,
  verifyNewCredential,
} from './webauthn.ts'

const MAX_PASSKEYS = 20

export type Begun = { readonly ticket: Challenge; readonly options: Options }
export type Passkey = Pick<PasskeyRow, 'id' | 'name' | 'created_at' | 'last_used_at'>
/** The value of a request's `Origin` header. */
export type Asking = string | string[] | undefined
type Ceremony = Omit<NewUse, 'forMs'>

/** The user remains unknown until the ceremony ends. */
export async function beginPasskeySignIn(
  deps: Deps,
  asking: Asking,
  address: string,
): Promise<Begun | Refused<'passkeys_unavailable' | 'rate_limited'>> {
  const limited = await limitAddress(deps, 'authAddress', address)
  if (limited) return limited
  const party = relyingParty(deps.config, asking)
  if (party instanceof Refused) return party
  const ticket = await beginCeremony(deps, { purpose: 'passkey_sign_in' })
  return { ticket, options: await assertionOptions(party, ticket) }
}

export type Shown = { readonly ticket: Challenge; readonly response: Assertion }
type ShownRefusal = Refused<'passkey_refused' | 'passkeys_unavailable' | 'rate_limited' | 'ticket_gone'>

/** Returns the cookie. */
export async function signInWithPasskey(
  deps: Deps,
  shown: Shown,
  whence: Whence,
): Promise<string | ShownRefusal> {
  const proof = await verifyShown(deps, shown, whence.address)
  if (proof instanceof Refused) return proof
  return deps.db.transaction(async (tx) => {
    const person = await usePasskey(deps, tx, proof)
    return person ? startSignIn(deps, tx, person, whence) : refuse('passkey_refused')
  })
}

/** Confirms the user's identity in the same session. Returns the new cookie. */
export async function confirmWithPasskey(
  deps: Deps,
  signIn: SignInRow,
  { shown, address }: { readonly shown: Shown; readonly address: string },
): Promise<string | ShownRefusal | Refused<'unauthorized'>> {
  const proof = await verifyShown(deps, shown, address)
  if (proof instanceof Refused) return proof
  if (proof.passkey.person_id !== signIn.person_id) return refuse('passkey_refused')
  return deps.db.transaction(async (tx) => {
    const person = await usePasskey(deps, tx, proof)
    return person ? renewSignIn(deps, tx, signIn, { proved_at: deps.now() }) : refuse('passkey_refused')
  })
}

type Proof = { readonly passkey: PasskeyRow; readonly counter: number }

async function verifyShown(
  deps: Deps,
  { ticket, response }: Shown,
  address: string,
): Promise<Proof | ShownRefusal> {
  const limited = await limitAddress(deps, 'authAddress', address)
  if (limited) return limited
  const party = relyingParty(deps.config)
  if (party instanceof Refused) return party
  if (!(await endCeremony(deps, ticket, 'passkey_sign_in'))) return refuse('ticket_gone')
  const passkey = await findPasskey(deps.db.read, response.id)
  const counter = passkey && (await verifyAssertion(party, ticket, { passkey, response }))
  if (passkey && counter !== undefined) return { passkey, counter }
  const person = passkey?.person_id ?? null
  report(deps, 'sign_in_refused', { person, network: networkOf(address), why: 'wrong_passkey' })
  return refuse('passkey_refused')
}

/**
 * Returns the passkey's user, or undefined if the user is disabled or the passkey has been removed or used
 * since it was checked.
 */
async function usePasskey(
  { now }: Pick<Deps, 'now'>,
  tx: Queries,
  { passkey, counter }: Proof,
): Promise<PersonRow | undefined> {
  const person = await lockPerson(tx, passkey.person_id)
  const isUsed = await updatePasskeyUse(tx, passkey.id, { counter, at: now() })
  return isUsed && person?.disabled === 0 ? person : undefined
}

export async function beginPasskey(
  deps: Deps,
  person: PersonRow,
  asking: Asking,
): Promise<Begun | Refused<'passkeys_unavailable' | 'too_many_passkeys'>> {
  const party = relyingParty(deps.config, asking)
  if (party instanceof Refused) return party
  const known = await listPasskeys(deps.db.read, person.id)
  if (known.length >= MAX_PASSKEYS) return refuse('too_many_passkeys')
  const ticket = await beginCeremony(deps, { purpose: 'passkey_add', personId: person.id })
  return { ticket, options: await registrationOptions(party, ticket, { person, known }) }
}

export type FinishedPasskey = {
  readonly ticket: Challenge
  readonly response: NewCredential
  readonly name: string
}
type AddRefusal = Refused<
  'passkey_already_added' | 'passkey_refused' | 'passkeys_unavailable' | 'ticket_gone' | 'too_many_passkeys'
>

export async function finishPasskey(
  deps: Deps,
  person: PersonRow,
  { ticket, response, name }: FinishedPasskey,
): Promise<Passkey | AddRefusal> {
  const party = relyingParty(deps.config)
  if (party instanceof Refused) return party
  const begun = await endCeremony(deps, ticket, 'passkey_add')
  if (begun?.person_id !== person.id) return refuse('ticket_gone')
  const row = await newPasskey(deps, party, { person, ticket, response, name })
  if (row === undefined) return refuse('passkey_refused')
  return deps.db.transaction(async (tx) => {
    await lockPerson(tx, person.id)
    if ((await listPasskeys(tx, person.id)).length >= MAX_PASSKEYS) return refuse('too_many_passkeys')
    const added = await insertPasskey(tx, row)
    if (added === undefined) return refuse('passkey_already_added')
    deps.annotateAudit({ nouns: { passkey_id: added.id } })
    await queueMail(deps, tx, factorsChanged(person.email, `The passkey “${added.name}” was added.`))
    return describePasskey(added)
  })
}

/** Returns the row for a new credential, or undefined if the browser's response is invalid. */
export async function newPasskey(
  { now, random }: Deps,
  party: RelyingParty,
  { person, ticket, response, name }: FinishedPasskey & { readonly person: Pick<PersonRow, 'id'> },
) {
  const credential = await verifyNewCredential(party, ticket, response)
  if (credential === undefined) return undefined
  return {
    id: newId('pky', now(), random),
    person_id: person.id,
    credential_id: credential.id,
    public_key: Buffer.from(credential.publicKey),
    counter: credential.counter,
    transports: transportsOf(credential),
    name: name.trim(),
    created_at: now(),
  }
}

export async function listOwnPasskeys({ db }: Deps, { id }: PersonRow): Promise<Passkey[]> {
  return (await listPasskeys(db.read, id)).map(describePasskey)
}

export async function renamePasskey(
  { db }: Deps,
  { id: personId }: PersonRow,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<Refused<'not_found'> | undefined> {
  return db.transaction(async (tx) => {
    const renamed = await updatePasskeyName(tx, { id, personId, name: name.trim() })
    return renamed ? undefined : refuse('not_found')
  })
}

/** A user's last sign-in method cannot be removed. */
export async function removePasskey(
  deps: Deps,
  { id: personId, email }: PersonRow,
  id: string,
): Promise<Refused<'last_way_in' | 'not_found'> | undefined> {
  return deps.db.transaction(async (tx) => {
    const person = await lockPerson(tx, personId)
    if (!(await deletePasskey(tx, id, personId))) return refuse('not_found')
    const isLast = person?.password_hash === null && (await listPasskeys(tx, personId)).length === 0
    if (isLast) return refuse('last_way_in')
    await queueMail(deps, tx, factorsChanged(email, 'A passkey was removed.'))
    return undefined
  })
}

/** Returns the challenge, which is also the token. */
export function beginCeremony(deps: Deps, ceremony: Ceremony): Promise<Challenge> {
  return deps.unauditedDb.transaction((tx) => issueOnce(deps, tx, { ...ceremony, forMs: CEREMONY_MS }))
}

/** Consumes the challenge, whatever the outcome. */
export function endCeremony(
  deps: Deps,
  ticket: Challenge,
  purpose: Purpose,
): Promise<SingleUseRow | undefined> {
  return deps.unauditedDb.transaction((tx) => takeOnce(deps, tx, ticket, [purpose]))
}

function describePasskey({ id, name, created_at, last_used_at }: PasskeyRow): Passkey {
  return { id, name, created_at, last_used_at }
}
