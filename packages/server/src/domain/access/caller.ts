/** Who makes a request, and what they may do: an account's API key, a token, or a person who is signed in. */
import type { Actor } from '../audit/entry.ts'
import type { Scope } from './scopes.ts'

export type Caller = {
  readonly actor: Actor
  /** With those that they include. */
  readonly scopes: ReadonlySet<Scope>
  /** Ids of the only projects that they may reach; undefined for all. */
  readonly projects: ReadonlySet<string> | undefined
  /** When a person last proved who they are, in milliseconds since 1970; undefined for keys and tokens. */
  readonly provedAt: number | undefined
  /** Of a token: what bounds the tokens that it makes. */
  readonly bounds?: Bounds
}

/** From where a token may be used and until when; null for everywhere and for ever. */
export type Bounds = { readonly networks: readonly string[] | null; readonly expiresAt: number | null }

/** Whether the caller may reach a project, as far as it depends on the project. */
export function mayReach({ projects }: Pick<Caller, 'projects'>, projectId: string): boolean {
  return projects === undefined || projects.has(projectId)
}
