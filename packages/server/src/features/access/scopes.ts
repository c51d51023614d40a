/** Scopes: each endpoint declares one. `docs/api/scopes.md` lists them with their endpoints. */

export const SCOPES = {
  'account:read': 'Read the account, its service tier and its totals.',
  'account:write': 'Replace the API key and change account settings.',
  'projects:read': 'Read projects.',
  'projects:write': 'Create, edit and remove projects.',
  'scripts:read': 'Read scripts and versions, without their source code.',
  'scripts:write': 'Upload, edit, enable, disable and remove scripts.',
  'scripts:source': 'Read source code and smoke tests, and trace leaked copies.',
  'users:read': 'Read users with their devices and denials.',
  'users:write': 'Create, edit, reset, blacklist and remove individual users.',
  'users:issue': 'Create and generate users, and nothing else.',
  'users:bulk': 'Import, export, purge, clear, reset and extend all users in a project.',
  'sessions:read': 'Read live sessions.',
  'sessions:write': 'Disconnect live sessions and send messages to them.',
  'ads:read': 'Read ad systems, checkpoints and their visitor statistics.',
  'ads:write': 'Create, edit and remove ad systems and checkpoints.',
  'webhooks:read': 'Read webhook endpoints, without their secrets, and deliveries.',
  'webhooks:write': 'Add, edit, test and remove webhook endpoints, and resend deliveries.',
  'statistics:read': 'Read execution and executor statistics.',
  'tokens:read': 'Read tokens, without their secrets.',
  'tokens:write': 'Create, edit, rotate and revoke tokens.',
  'members:read': 'Read members and invitations.',
  'members:write': 'Invite, edit and remove members.',
  'audit:read': 'Read the audit log.',
  admin: 'Operate the server: accounts, service tiers and user accounts.',
} as const

export type Scope = keyof typeof SCOPES

export const ALL_SCOPES = Object.keys(SCOPES) as readonly Scope[]
const OF_ACCOUNTS: ReadonlySet<Scope> = new Set(ALL_SCOPES.filter((one) => one !== 'admin'))
const OF_OPERATORS: ReadonlySet<Scope> = new Set(ALL_SCOPES)

/** All scopes of an account, plus `admin` if the account belongs to an operator. */
export function scopesOfAccount({ admin }: { readonly admin: number }): ReadonlySet<Scope> {
  return admin === 1 ? OF_OPERATORS : OF_ACCOUNTS
}

/** Adds implied scopes: `write` includes `read`, and `users:write` also includes `users:issue`. */
export function withIncluded(scopes: Iterable<Scope>): Set<Scope> {
  const all = new Set(scopes)
  for (const one of [...all]) {
    const read = one.replace(/:write$/, ':read')
    if (isScope(read)) all.add(read)
  }
  if (all.has('users:write')) all.add('users:issue')
  return all
}

export function isScope(text: string): text is Scope {
  return Object.hasOwn(SCOPES, text)
}
