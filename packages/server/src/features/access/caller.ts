/** Who makes a request, and what they may do: an account's API key, a token, or a person who is signed in. */
import type { Actor } from '../audit/entry.ts'
import type { Scope } from './scopes.ts'

export type Caller = {
  readonly actor: Actor
  /** With those that they include. */
  readonly scopes: ReadonlySet<Scope>
  /** Ids of the only projects that they may reach; undefined for all. */
  readonly projects: ReadonlySet<string> | undefined
  /** When a person last signed in or confirmed their sign-in, in milliseconds since 1970; undefined for keys and tokens. */
  readonly provedAt: number | undefined
  /** Whether they own the account: its owners and its API key, but no token. */
  readonly isOwner: boolean
  /** Set for who may issue users and not read them: of all users they see those that they issued. */
  readonly issuer: Issuer | undefined
  /** Of a token: what bounds the tokens that it makes. */
  readonly bounds?: Bounds
}

/** Who issues users without seeing those of others. */
export type Issuer = {
  /** Of the member or the token; the users carry it. */
  readonly id: string
  /** How many of their users may exist at once; null for no limit but the plan's. */
  readonly maxKeys: number | null
}

/** From where a token may be used and until when; null for everywhere and without an end. */
export type Bounds = { readonly networks: readonly string[] | null; readonly expiresAt: number | null }

/** Whether the caller may reach a project, as far as it depends on the project. */
export function mayReach({ projects }: Pick<Caller, 'projects'>, projectId: string): boolean {
  return projects === undefined || projects.has(projectId)
}

/** Whether the caller may reach a user of a project that they may reach. */
export function mayReachUser(
  { issuer }: Pick<Caller, 'issuer'>,
  user: { readonly issuer: string | null },
): boolean {
  return issuer === undefined || user.issuer === issuer.id
}

/** The issuer of callers with these scopes; undefined for those who see all users anyway. */
export function issuerWith(scopes: ReadonlySet<Scope>, issuer: Issuer): Issuer | undefined {
  return scopes.has('users:issue') && !scopes.has('users:read') ? issuer : undefined
}
