/** Seats in an account: the permissions of members and invitations, and who may grant them. */
import type { CustomerRow } from '../accounts/store/customers.ts'
import type { Caller } from './caller.ts'
import { type Role, scopesOfMember } from './roles.ts'
import { type Scope, scopesOfAccount } from './scopes.ts'

/** The columns that contain the permissions of a member or an invitation. */
export type SeatRow = {
  readonly role: string
  /** A JSON list of scopes. */
  readonly scopes: string
  /** A JSON list of IDs. Null for all projects. */
  readonly projects: string | null
  readonly max_keys: number | null
}

export type Rights = Pick<Caller, 'scopes' | 'projects' | 'isOwner' | 'bounds'>

export function rightsOf(
  { role, scopes, projects }: Omit<SeatRow, 'max_keys'>,
  customer: Pick<CustomerRow, 'admin'>,
): Rights {
  const given = { role: role as Role, scopes: listIn(scopes) as Scope[] }
  return {
    scopes: scopesOfMember(given, scopesOfAccount(customer)),
    projects: projectsIn(projects),
    isOwner: role === 'owner',
  }
}

/** Names the permissions in `given` that `own` lacks, for an error message. Empty if there are none. */
export function beyond(given: Rights, own: Rights): string[] {
  const scopes = [...given.scopes.difference(own.scopes)]
  const hasMoreProjects = own.projects !== undefined && !(given.projects?.isSubsetOf(own.projects) ?? false)
  return [...scopes, ...(hasMoreProjects ? ['access to more projects'] : [])]
}

export function projectsIn(projects: string | null): ReadonlySet<string> | undefined {
  return projects === null ? undefined : new Set(listIn(projects))
}

export function listIn(json: string): string[] {
  return JSON.parse(json) as string[]
}
