/**
 * Roles of team members. A member can have a custom list of scopes instead. `docs/api/scopes.md` lists the
 * scopes of each role.
 */
import { ALL_SCOPES, type Scope, withIncluded } from './scopes.ts'

export type Role = 'owner' | 'admin' | 'developer' | 'support' | 'reader' | 'reseller' | 'custom'

const EVERYTHING = ALL_SCOPES
const READING = ALL_SCOPES.filter((one) => one.endsWith(':read'))

/** Only owners may create, edit and remove owners. That is the only difference between owners and admins. */
export const ROLES: Readonly<Record<Exclude<Role, 'custom'>, readonly Scope[]>> = {
  owner: EVERYTHING,
  admin: EVERYTHING,
  developer: [
    ...READING.filter((one) => one !== 'audit:read'),
    'projects:write',
    'scripts:write',
    'scripts:source',
    'sessions:write',
    'webhooks:write',
  ],
  support: ['projects:read', 'scripts:read', 'users:write', 'sessions:write', 'statistics:read'],
  reader: READING.filter((one) => one !== 'tokens:read' && one !== 'audit:read'),
  reseller: ['users:issue'],
}

export const ROLE_NAMES = [...Object.keys(ROLES), 'custom'] as readonly Role[]

/**
 * Returns the scopes of a member with this role in an account that has the `available` scopes. `custom` is
 * the member's own list.
 */
export function scopesOfMember(
  { role, scopes }: { readonly role: Role; readonly scopes: readonly Scope[] },
  available: ReadonlySet<Scope>,
): ReadonlySet<Scope> {
  const given = withIncluded(role === 'custom' ? scopes : ROLES[role])
  return given.intersection(available)
}
