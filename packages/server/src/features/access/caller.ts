/** The caller of a request (an account's API key, a token, or a signed-in user), and what they may do. */
import type { Actor } from '../audit/entry.ts'
import type { Scope } from './scopes.ts'

export type Caller = {
  readonly actor: Actor
  /** Includes implied scopes. */
  readonly scopes: ReadonlySet<Scope>
  /** IDs of the projects that the caller may access. Undefined for all projects. */
  readonly projects: ReadonlySet<string> | undefined
  /**
   * When a user last signed in or confirmed their identity, in milliseconds since 1970. Undefined for keys
   * and tokens.
   */
  readonly authenticatedAt: number | undefined
  /** True for owners and the account's API key, but never for tokens. */
  readonly isOwner: boolean
  /** Set for callers who may issue users but not read them. They see only the users that they issued. */
  readonly issuer: Issuer | undefined
  /** Limits that a token passes on to the tokens that it creates. */
  readonly bounds?: Bounds
}

/** A caller who issues users and cannot see other issuers' users. */
export type Issuer = {
  /** ID of the member or the token, stored with each user that it issues. */
  readonly id: string
  /**
   * Maximum number of users that the issuer may have at a time. Null if only the service tier limits the
   * number.
   */
  readonly maxKeys: number | null
}

/** Networks that a token works from, and its expiry date. Null for no limit. */
export type Bounds = { readonly networks: readonly string[] | null; readonly expiresAt: number | null }

/** Whether the caller's project limit allows this project. Scopes are checked elsewhere. */
export function mayReach({ projects }: Pick<Caller, 'projects'>, projectId: string): boolean {
  return projects === undefined || projects.has(projectId)
}

/** Whether the caller may access a user in one of their projects. */
export function mayReachUser(
  { issuer }: Pick<Caller, 'issuer'>,
  user: { readonly issuer: string | null },
): boolean {
  return issuer === undefined || user.issuer === issuer.id
}

/**
 * Returns the issuer for a caller with these scopes, or undefined for callers who may see all users anyway.
 */
export function issuerWith(scopes: ReadonlySet<Scope>, issuer: Issuer): Issuer | undefined {
  return scopes.has('users:issue') && !scopes.has('users:read') ? issuer : undefined
}
