/**
 * Identifies the caller by their credential. Unknown, expired and revoked credentials all get the same error.
 */

import { Refused, refuse } from '../../api/refusals.ts'
import type { Database } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import {
  type CustomerRow,
  findCustomerByApiKeyHash,
  findCustomerByPreviousKey,
} from '../accounts/store/customers.ts'
import type { Actor } from '../audit/entry.ts'
import { findSignedIn, type SignedIn } from '../people/store/sign-ins.ts'
import { type Bounds, type Caller, issuerWith } from './caller.ts'
import { type Credential, hashCredential } from './credential.ts'
import { isWithin } from './networks.ts'
import { type Scope, scopesOfAccount, withIncluded } from './scopes.ts'
import { listIn, projectsIn, rightsOf } from './seats.ts'
import { findRotatedHolder, findTokenHolder, type TokenHolder, type TokenRow } from './store/tokens.ts'

/** `customer` is undefined for a user who belongs to no account. */
export type Identified = {
  readonly caller: Caller
  readonly customer: CustomerRow | undefined
  readonly token?: TokenRow
  readonly signedIn?: SignedIn
}

/** Idle timeout and maximum lifetime of a dashboard session. */
export const SIGN_IN_IDLE_MS = 12 * 3_600_000
export const SIGN_IN_MAX_MS = 14 * 86_400_000
/** How long a browser is recognized after a sign-in. */
export const KNOWN_BROWSER_MS = 180 * 86_400_000

export async function findCaller(
  deps: Deps,
  { kind, text }: Credential,
  address: string,
): Promise<Identified | Refused> {
  const hash = hashCredential(text)
  if (kind === 'token') return byToken(deps, hash, address)
  if (kind === 'cookie') return byCookie(deps, hash)
  const customer = await findCustomerByApiKeyHash(deps.db.readPoint, hash)
  if (customer) return { caller: callerWithKey(customer), customer }
  const former = await findCustomerByPreviousKey(deps.db.readPoint, hash, deps.now())
  // The previous key may have been replaced because it leaked, so it doesn't act as an owner.
  return former
    ? { caller: { ...callerWithKey(former), isOwner: false }, customer: former }
    : refuse('unauthorized')
}

/**
 * Finds the caller that a credential belongs to, even if the credential has expired or doesn't work from this
 * network.
 */
export async function findHolder(deps: Deps, credential: Credential): Promise<Identified | undefined> {
  if (credential.kind === 'token') return findByToken(deps.db, hashCredential(credential.text))
  const found = await findCaller(deps, credential, '')
  return found instanceof Refused ? undefined : found
}

const ALL = { projects: undefined, authenticatedAt: undefined, issuer: undefined }

export function callerWithKey(customer: CustomerRow): Caller {
  const actor: Actor = { kind: 'api_key', id: null, name: `${customer.api_key_start}…` }
  return { ...ALL, actor, scopes: scopesOfAccount(customer), isOwner: true }
}

async function byToken({ db, now }: Deps, hash: string, address: string): Promise<Identified | Refused> {
  const found = await findByToken(db, hash)
  if (found === undefined) return refuse('unauthorized')
  const { token, bounds } = found
  const isRotated = token.hash !== hash && (token.previous_until ?? 0) <= now()
  if (isRotated || (bounds.expiresAt !== null && bounds.expiresAt <= now())) return refuse('unauthorized')
  if (bounds.networks && !isWithin(bounds.networks, address)) return refuse('network_not_allowed')
  return found
}

type ByToken = Identified & { readonly token: TokenRow; readonly bounds: Bounds }

/** The result is computed once per row and kept for as long as the row is cached. */
function findByToken(db: Database, hash: string): Promise<ByToken | undefined> {
  return db.cache.find(`token ${hash}`, async () => {
    const current = await findTokenHolder(db.readPoint, hash)
    const holder = current ?? (await findRotatedHolder(db.readPoint, hash))
    return holder && describeHolder(holder)
  })
}

function describeHolder({ token, customer }: TokenHolder): ByToken {
  const networks = token.networks === null ? null : listIn(token.networks)
  const bounds = { networks, expiresAt: token.expires_at }
  const scopes = withIncluded(listIn(token.scopes) as Scope[]).intersection(scopesOfAccount(customer))
  const actor: Actor = { kind: 'token', id: token.id, name: token.name }
  const issuer = issuerWith(scopes, { id: token.id, maxKeys: null })
  const rights = { scopes, projects: projectsIn(token.projects), isOwner: false, issuer }
  const caller = { actor, ...rights, authenticatedAt: undefined, bounds }
  return { caller, customer, token, bounds }
}

async function byCookie({ db, now }: Deps, hash: string): Promise<Identified | Refused> {
  const signedIn = await db.cache.find(`sign-in ${hash}`, () => findSignedIn(db.readPoint, hash))
  if (signedIn === undefined || !isAlive(signedIn, now())) return refuse('unauthorized')
  const { signIn, person, seat } = signedIn
  const actor: Actor = { kind: 'person', id: person.id, name: person.email }
  const given = { actor, authenticatedAt: signIn.proved_at }
  if (seat === undefined) return { caller: { ...given, ...NOTHING }, customer: undefined, signedIn }
  const { member, customer } = seat
  const rights = rightsOf(member, customer)
  const issuer = issuerWith(rights.scopes, { id: member.id, maxKeys: member.max_keys })
  return { caller: { ...given, ...rights, issuer }, customer, signedIn }
}

const NOTHING = { scopes: new Set<Scope>(), projects: undefined, isOwner: false, issuer: undefined }

function isAlive({ signIn, person }: SignedIn, now: number): boolean {
  const isUsed = now - signIn.last_used_at < SIGN_IN_IDLE_MS
  return person.disabled === 0 && isUsed && now - signIn.created_at < SIGN_IN_MAX_MS
}
