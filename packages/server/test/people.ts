/** Creates signed-in dashboard users for tests, directly in the database as members of an account. */
import { randomBytes } from 'node:crypto'
import { newId } from '../src/api/ids.ts'
import { csrfToken, hashCredential } from '../src/features/access/credential.ts'
import type { Role } from '../src/features/access/roles.ts'
import { startSignIn } from '../src/features/people/sign-in/start-sign-in.ts'
import { insertMember } from '../src/features/people/store/members.ts'
import { insertPerson } from '../src/features/people/store/people.ts'
import type { PersonRow } from '../src/features/people/store/sign-ins.ts'
import type { TestServer } from './harness.ts'

export type Seat = {
  readonly role: Role
  readonly scopes?: readonly string[]
  readonly projects?: readonly string[]
  readonly maxKeys?: number
}

/** Creates a dashboard user without a password, as a member of this account if one is given. */
export async function createPerson(
  { deps }: Pick<TestServer, 'deps'>,
  customerId?: string,
  { role, scopes = [], projects, maxKeys }: Seat = { role: 'owner' },
): Promise<PersonRow> {
  const { db, now, random } = deps
  return db.transaction(async (tx) => {
    const email = `${randomBytes(8).toString('hex')}@example.com`
    const row = { id: newId('psn', now(), random), email, name: 'Person', created_at: now() }
    const person = await insertPerson(tx, row)
    if (customerId === undefined) return person
    await insertMember(tx, {
      id: newId('mem', now(), random),
      customer_id: customerId,
      person_id: person.id,
      role,
      scopes: JSON.stringify(scopes),
      projects: projects === undefined ? null : JSON.stringify(projects),
      max_keys: maxKeys ?? null,
      created_at: now(),
    })
    return person
  })
}

/** Returns the headers that a newly signed-in user's browser sends with each request. */
export async function signIn(
  { deps }: Pick<TestServer, 'deps'>,
  person: PersonRow,
): Promise<Record<string, string>> {
  const whence = { address: '127.0.0.1', browser: 'Firefox on Linux' }
  const cookie = await deps.db.transaction((tx) => startSignIn(deps, tx, person, whence))
  return headersOf(cookie)
}

export function headersOf(cookie: string): Record<string, string> {
  return { cookie: `scriptward=${cookie}`, 'x-scriptward-csrf': csrfToken(cookie) }
}

/** Returns whether the dashboard session that these headers belong to still exists. */
export async function isSignedIn(
  { deps }: Pick<TestServer, 'deps'>,
  { cookie = '' }: Record<string, string>,
) {
  const hash = hashCredential(cookie.slice('scriptward='.length))
  const row = await deps.db.read
    .selectFrom('sign_ins')
    .select('id')
    .where('hash', '=', hash)
    .executeTakeFirst()
  return row !== undefined
}
