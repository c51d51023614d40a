/** Creates dashboard users, and manages them for operators. */

import { newId } from '../../api/ids.ts'
import { type ListSpec, type PageQuery, readPage } from '../../api/pagination.ts'
import { Refused, refuse } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../access/caller.ts'
import { accountsOf, describeOwnPerson } from './own-person.ts'
import { isOperatorAnywhere } from './sign-in/required-factors.ts'
import { listPasskeys } from './store/passkeys.ts'
import {
  countPeople,
  findPerson,
  insertPerson,
  listPeople,
  lockPerson,
  updatePerson,
} from './store/people.ts'
import { deleteOtherSignIns, type PersonRow } from './store/sign-ins.ts'

export type NewPerson = {
  /** The user's ID, if the user's passkey already contains one. Otherwise, a new ID is generated. */
  readonly id?: string
  readonly email: string
  readonly name: string
  readonly password_hash: string | null
}

const LISTED: ListSpec<PersonRow> = { name: 'person', numberOf: ({ seq }) => seq }

/** Fails on the unique index if another user has the email address. */
export function createPerson(
  { now, random }: Pick<Deps, 'now' | 'random'>,
  tx: Queries,
  { id, email, name, password_hash }: NewPerson,
): Promise<PersonRow> {
  const at = now()
  return insertPerson(tx, {
    id: id ?? newId('psn', at, random),
    email: email.toLowerCase(),
    name: name.trim(),
    password_hash,
    created_at: at,
  })
}

export async function getPerson(deps: Deps, id: string) {
  const row = await findPerson(deps.db.read, id)
  return row === undefined ? refuse('not_found') : describePerson(deps, row)
}

export async function listAllPeople(deps: Deps, query: PageQuery) {
  const found = await readPage(LISTED, query, (range) => listPeople(deps.db.read, range))
  if (found instanceof Refused) return found
  const people: PersonResource[] = []
  for (const row of found.rows) people.push(await describePerson(deps, row))
  return { people, total: await countPeople(deps.db.read), next: found.next }
}

type PersonResource = Awaited<ReturnType<typeof describePerson>>

async function describePerson(deps: Deps, row: PersonRow) {
  return {
    ...(await describeOwnPerson(deps, row)),
    passkeys: (await listPasskeys(deps.db.read, row.id)).length,
    disabled: row.disabled === 1,
    created_at: row.created_at,
    last_sign_in_at: row.last_sign_in_at,
    accounts: await accountsOf(deps, row.id),
  }
}

export async function hasNoPeople({ db }: Pick<Deps, 'db'>): Promise<boolean> {
  return (await countPeople(db.read)) === 0
}

/**
 * Only signed-in owners and the command line may manage users in operator accounts. A link to sign in as such
 * a user grants all of the user's permissions, so no token, API key or operator with another role may create
 * one.
 */
export async function refuseColleague(
  { db }: Deps,
  { actor, isOwner }: Caller,
  personId: string,
): Promise<undefined | Refused<'forbidden'>> {
  if (isOwner && (actor.kind === 'person' || actor.kind === 'command_line')) return undefined
  return (await isOperatorAnywhere(db.read, personId))
    ? refuse('forbidden', {
        needs: 'a signed-in owner, because this person belongs to an operator account',
      })
    : undefined
}

/** A disabled user cannot sign in, and all of the user's sessions end immediately. */
export function setDisabled(
  { db }: Deps,
  id: string,
  isDisabled: boolean,
): Promise<undefined | Refused<'not_found'>> {
  return db.transaction(async (tx) => {
    if (!(await lockPerson(tx, id))) return refuse('not_found')
    await updatePerson(tx, id, { disabled: isDisabled ? 1 : 0 })
    if (isDisabled) await deleteOtherSignIns(tx, id)
    return undefined
  })
}
