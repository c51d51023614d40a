/**
 * Determines who is calling, what they may do, and whether the resource in the path is theirs, all before the
 * body is used. Resources that are missing, malformed, owned by another account or outside the caller's
 * projects fail in the same code path, so that neither the response nor its timing differs.
 */

import type { Auth, Endpoint, Subjects } from '../api/endpoint.ts'
import { Refused, refuse } from '../api/refusals.ts'
import type { Database, Queries } from '../database/engine/db.ts'
import type { Deps } from '../deps.ts'
import { type Caller, mayReach, mayReachUser } from '../features/access/caller.ts'
import { callerWithKey, findCaller, type Identified } from '../features/access/callers.ts'
import type { Credential } from '../features/access/credential.ts'
import { hashApiKey } from '../features/accounts/credentials.ts'
import type { CustomerRow } from '../features/accounts/store/customers.ts'
import { isBlacklisted } from '../features/key-validity/blacklist.ts'
import { isBarred } from '../features/people/sign-in/required-factors.ts'
import {
  findAdCheckpointSubject,
  findAdSystemSubject,
  findPlanSubject,
  findProjectSubject,
  findScriptSubject,
  findUserSubject,
  type NounOwner,
} from '../features/projects/store/subjects.ts'

export type Given = {
  readonly credential: Credential | undefined
  readonly params: Readonly<Record<string, string>>
  readonly address: string
}
/** An admitted request. `caller` is undefined for endpoints without credentials. */
export type Admitted = {
  readonly subject: Subjects[Auth]
  readonly caller: Caller | undefined
  /** Set for a token or a cookie. */
  readonly identified?: Identified
}
export type Guarded = Pick<Endpoint, 'auth' | 'scope' | 'filtersByProject' | 'issued' | 'requiresRecentAuth'>

/** Maximum age of a login for changes that need a recent one. */
const FRESH_MS = 600_000

export async function authenticate(deps: Deps, endpoint: Guarded, given: Given): Promise<Admitted | Refused> {
  const { auth } = endpoint
  if (auth === 'none' || auth === 'client') return { subject: undefined, caller: undefined }
  const { credential, params } = given
  if (credential === undefined) return refuse('unauthorized')
  // With an API key, a single statement checks the ownership. The caller is looked up only to determine the
  // error.
  const isNoun = auth in NOUNS
  const early =
    isNoun && credential.kind === 'key' && (await findNoun(deps, auth, params, ownerOf(credential)))
  if (early) {
    const caller = callerWithKey(early.customer)
    return refuseBlacklisted(deps, early.customer) ?? { subject: early, caller }
  }
  const identified = await findCaller(deps, credential, given.address)
  if (identified instanceof Refused) return identified
  const refused = refuseCaller(deps, endpoint, identified)
  if (refused) return refused
  const subject = await subjectOf(deps, auth, params, identified)
  return subject instanceof Refused ? subject : { subject, caller: identified.caller, identified }
}

type NounSubject = Subjects['project' | 'script' | 'user' | 'plan' | 'adSystem' | 'adCheckpoint']
type FindNoun = (db: Database, owner: NounOwner, id: string) => Promise<NounSubject | undefined>
type Noun = 'project' | 'script' | 'user' | 'plan' | 'adSystem' | 'adCheckpoint'

/** The path parameter of each resource, and the query that loads the resource together with its owner. */
const NOUNS: Readonly<Record<Noun, { readonly param: string; readonly find: FindNoun }>> = {
  project: { param: 'project_id', find: findOwnProject },
  script: { param: 'script_id', find: reading(findScriptSubject) },
  user: { param: 'user_key', find: reading(findUserSubject) },
  plan: { param: 'plan_id', find: reading(findPlanSubject) },
  adSystem: { param: 'system_id', find: reading(findAdSystemSubject) },
  adCheckpoint: { param: 'checkpoint_id', find: reading(findAdCheckpointSubject) },
}

function ownerOf({ text }: Credential): NounOwner {
  return { apiKeyHash: hashApiKey(text) }
}

function findNoun(
  { db }: Deps,
  auth: Auth,
  params: Given['params'],
  owner: NounOwner,
): Promise<NounSubject | undefined> {
  const { param, find } = NOUNS[auth as Noun]
  const id = params[param] ?? ''
  return find(db, owner, isStorable(id) ? id : '')
}

async function subjectOf(
  deps: Deps,
  auth: Auth,
  params: Given['params'],
  identified: Identified,
): Promise<Subjects[Auth] | Refused> {
  const { caller, customer, signedIn } = identified
  if (auth === 'caller') return identified
  if (auth === 'person') return signedIn ?? refuse('forbidden', { needs: 'a dashboard session' })
  if (customer === undefined) return refuse('forbidden', { needs: 'membership in an account' })
  if (auth === 'session') {
    const session = await deps.sessions.network.find(params.session_id ?? '')
    const isTheirs = session?.customer_id === customer.id && mayReach(caller, session.project_id)
    return isTheirs ? { customer, session } : refuse('not_found')
  }
  if (!(auth in NOUNS)) return customer
  const subject = await findNoun(deps, auth, params, { customerId: customer.id })
  return subject && isReachable(caller, subject) ? subject : refuse('not_found')
}

function isReachable(caller: Caller, subject: NounSubject): boolean {
  return mayReach(caller, subject.project.id) && (!('user' in subject) || mayReachUser(caller, subject.user))
}

/** Checks the restrictions of a caller that don't depend on the resource. */
function refuseCaller(
  deps: Deps,
  { auth, scope, filtersByProject, issued, requiresRecentAuth }: Guarded,
  { caller, customer, signedIn }: Identified,
): Refused | undefined {
  const isOfPerson = signedIn !== undefined && scope === null && (auth === 'person' || auth === 'caller')
  const blacklisted = customer && !isOfPerson && refuseBlacklisted(deps, customer)
  if (blacklisted) return blacklisted
  if (auth === 'customerByPathKey' && customer?.allow_path_key === 0) return refuse('path_key_closed')
  const isAllowed = scope === null || caller.scopes.has(scope) || (issued && caller.issuer !== undefined)
  if (!isAllowed) return refuse('forbidden', { needs: scope })
  if (scope !== null && signedIn && isBarred(deps.config, signedIn, caller))
    return refuse('second_factor_needed')
  const isAccountWide = auth === 'customer' || auth === 'account' || auth === 'admin'
  if (caller.projects && isAccountWide && scope !== null && !filtersByProject)
    return refuse('forbidden', { needs: "access to all of the account's projects" })
  const isStale = caller.authenticatedAt !== undefined && deps.now() - caller.authenticatedAt > FRESH_MS
  return requiresRecentAuth && isStale ? refuse('fresh_sign_in_needed') : undefined
}

function refuseBlacklisted({ now }: Deps, customer: CustomerRow): Refused | undefined {
  return isBlacklisted(customer, now()) ? refuse('forbidden') : undefined
}

function reading<S extends NounSubject>(
  find: (db: Queries, owner: NounOwner, id: string) => Promise<S | undefined>,
): FindNoun {
  return (db, owner, id) => find(db.readPoint, owner, id)
}

async function findOwnProject(db: Database, owner: NounOwner, id: string) {
  const read = () => findProjectSubject(db.readPoint, owner, id)
  const name = 'apiKeyHash' in owner ? owner.apiKeyHash : owner.customerId
  const byOwner = await db.cache.find(`project ${id}`, async () => {
    const subject = await read()
    return subject && new Map([[name, subject]])
  })
  return byOwner && (byOwner.get(name) ?? read())
}

/** Returns whether the databases can store the ID. All other strings are treated as IDs that don't exist. */
function isStorable(id: string): boolean {
  return !id.includes('\0')
}
