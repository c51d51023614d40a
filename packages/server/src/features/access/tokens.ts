/**
 * Tokens of an account: credentials for software. A token never has more permissions than the caller who
 * creates or changes it.
 */

import { newId } from '../../api/ids.ts'
import { type ListSpec, type PageQuery, readPage } from '../../api/pagination.ts'
import { Refused, refuse } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { newTokenSecret } from '../accounts/credentials.ts'
import type { CustomerRow } from '../accounts/store/customers.ts'
import type { Caller } from './caller.ts'
import { lockRights } from './own-rights.ts'
import type { Scope } from './scopes.ts'
import { listIn } from './seats.ts'
import {
  deleteToken,
  findToken,
  insertToken,
  listTokens as listTokenRows,
  lockToken,
  type TokenRow,
  updateToken,
} from './store/tokens.ts'
import { readRights, refuseWider, type TokenRights, widerIn } from './token-rights.ts'

export type TokenMembers = { readonly name: string } & TokenRights
/** The account, and the caller who acts on it. */
export type TokenAsker = { readonly customer: CustomerRow; readonly caller: Caller }
/** The only response that contains the secret. */
export type TokenWithSecret = { readonly token: TokenResource; readonly secret: string }

type LostRights = 'unauthorized' | 'forbidden'

const MAX_TOKENS = 100
const LISTED: ListSpec<TokenRow> = { name: 'token', numberOf: ({ seq }) => seq }

type MakeRefused = Refused<'too_many_tokens' | 'invalid_request' | LostRights>

export function createToken(
  deps: Deps,
  asker: TokenAsker,
  members: TokenMembers,
): Promise<TokenWithSecret | MakeRefused> {
  return deps.db.transaction((tx) => makeToken(deps, tx, asker, members))
}

/** Runs in the caller's transaction, so that the caller can also redeem a code in it. */
export async function makeToken(
  deps: Deps,
  tx: Queries,
  asker: TokenAsker,
  { name, ...given }: TokenMembers,
): Promise<TokenWithSecret | MakeRefused> {
  const { customer } = asker
  const rights = await readNewRights(deps, tx, asker, given)
  if (rights instanceof Refused) return rights
  const secret = newTokenSecret(deps.random)
  const id = newId('tok', deps.now(), deps.random)
  deps.annotateAudit({ nouns: { token_id: id } })
  const row = await insertToken(tx, {
    ...columnsOf(rights),
    scopes: JSON.stringify(rights.scopes),
    id,
    customer_id: customer.id,
    name: name.trim(),
    hash: secret.hash,
    start: secret.start,
    created_at: deps.now(),
    created_by: await makerOf(tx, asker),
  })
  return { token: describe(deps, row), secret: secret.text }
}

/** Normalizes the permissions of a new token. Rejects permissions that the caller cannot grant. */
export async function readNewRights(
  deps: Deps,
  tx: Queries,
  asker: TokenAsker,
  given: TokenRights,
): Promise<TokenRights | MakeRefused> {
  const { customer } = asker
  const caller = await lockAsker(tx, asker)
  if (caller instanceof Refused) return caller
  const rights = await readRights(tx, given, { customer, caller, now: deps.now() })
  if (rights instanceof Refused) return rights
  const refused = refuseWider(caller, rights)
  if (refused) return refused
  return (await listTokenRows(tx, customer.id)).length < MAX_TOKENS ? rights : refuse('too_many_tokens')
}

/** Callers who are limited to some projects see only tokens with access to no other projects. */
export async function listTokens(deps: Deps, { customer, caller }: TokenAsker, query: PageQuery) {
  const all = await listTokenRows(deps.db.read, customer.id)
  const visible = all.filter((row) => isVisible(row, caller))
  const found = await readPage(LISTED, query, async ({ after = 0, from, limit }) =>
    visible.filter(({ seq }) => seq > after).slice(from, from + limit),
  )
  if (found instanceof Refused) return found
  const tokens = found.rows.map((row) => describe(deps, row))
  return { tokens, total: visible.length, next: found.next }
}

export async function getToken(
  deps: Deps,
  { customer, caller }: TokenAsker,
  id: string,
): Promise<TokenResource | Refused<'not_found'>> {
  const row = await findToken(deps.db.read, customer.id, id)
  return row && isVisible(row, caller) ? describe(deps, row) : refuse('not_found')
}

/** Omitted fields stay unchanged. The resulting permissions must not exceed the caller's. */
export async function editToken(
  deps: Deps,
  asker: TokenAsker,
  { id, name, ...given }: Partial<TokenMembers> & { readonly id: string },
): Promise<TokenResource | Refused<'cannot_edit_nothing' | 'invalid_request' | 'not_found' | LostRights>> {
  const { customer } = asker
  if (name === undefined && Object.keys(given).length === 0) return refuse('cannot_edit_nothing')
  const row = await deps.db.transaction(async (tx) => {
    const caller = await lockAsker(tx, asker)
    if (caller instanceof Refused) return caller
    const before = await lockToken(tx, customer.id, id)
    if (!before || !isVisible(before, caller)) return refuse('not_found')
    const kept = rightsOf(before).projects
    const rights = await readRights(tx, given, { customer, caller, now: deps.now(), kept })
    if (rights instanceof Refused) return rights
    const refused = refuseWider(caller, { ...rightsOf(before), ...rights })
    if (refused) return refused
    deps.annotateAudit({ before: { name: before.name, ...rightsOf(before) }, isNullValue: true })
    const changes = { ...columnsOf(rights), ...(name === undefined ? {} : { name: name.trim() }) }
    return updateToken(tx, customer.id, id, changes)
  })
  return row instanceof Refused ? row : describe(deps, row)
}

/** The previous secret keeps working for `overlapMs`. Any secret before that stops working immediately. */
export async function rotateToken(
  deps: Deps,
  asker: TokenAsker,
  { id, overlapMs }: { readonly id: string; readonly overlapMs: number },
): Promise<TokenWithSecret | Refused<'token_expired' | 'not_found' | LostRights>> {
  const { customer } = asker
  const secret = newTokenSecret(deps.random)
  const now = deps.now()
  const row = await deps.db.transaction(async (tx) => {
    const caller = await lockAsker(tx, asker)
    if (caller instanceof Refused) return caller
    const before = await lockToken(tx, customer.id, id)
    if (!before || !isVisible(before, caller)) return refuse('not_found')
    const wider = widerIn(caller, rightsOf(before))[0]
    if (wider) return refuse('forbidden', { needs: wider.needs })
    if (before.expires_at !== null && before.expires_at <= now) return refuse('token_expired')
    return updateToken(tx, customer.id, id, {
      hash: secret.hash,
      start: secret.start,
      previous_hash: overlapMs > 0 ? before.hash : null,
      previous_until: overlapMs > 0 ? now + overlapMs : null,
      // The caller now knows the secret, so the token must be revoked when they lose the token's permissions.
      created_by: await makerOf(tx, asker),
    })
  })
  return row instanceof Refused ? row : { token: describe(deps, row), secret: secret.text }
}

/** Revokes both secrets of the token. */
export async function revokeToken(
  { db }: Deps,
  { customer, caller }: TokenAsker,
  id: string,
): Promise<undefined | Refused<'not_found'>> {
  return db.transaction(async (tx) => {
    const row = await lockToken(tx, customer.id, id)
    if (!row || !isVisible(row, caller)) return refuse('not_found')
    await deleteToken(tx, customer.id, id)
    return undefined
  })
}

/** Revokes the token that makes the request. */
export async function revokeOwn(
  { db, annotateAudit }: Deps,
  { customer_id, id }: Pick<TokenRow, 'customer_id' | 'id'>,
): Promise<void> {
  annotateAudit({ nouns: { token_id: id } })
  await db.transaction((tx) => deleteToken(tx, customer_id, id))
}

/**
 * Reads the caller's permissions and locks them until the transaction ends, so that a user who is being
 * removed cannot leave a token behind.
 */
async function lockAsker(
  tx: Queries,
  { customer, caller }: TokenAsker,
): Promise<Caller | Refused<LostRights>> {
  const own = await lockRights(tx, customer.id, caller, 'tokens:write')
  return own instanceof Refused ? own : { ...caller, ...own.rights }
}

/**
 * The user responsible for the token, even if another token created it. When this user loses permissions that
 * the token needs, the token is revoked.
 */
async function makerOf(tx: Queries, { customer, caller }: TokenAsker): Promise<string | null> {
  const { kind, id } = caller.actor
  if (kind !== 'token' || id === null) return kind === 'person' ? id : null
  return (await findToken(tx, customer.id, id))?.created_by ?? null
}

export type TokenResource = ReturnType<typeof describe>

function describe({ now }: Pick<Deps, 'now'>, row: TokenRow) {
  const { previous_until } = row
  return {
    id: row.id,
    name: row.name,
    start: row.start,
    ...rightsOf(row),
    created_at: row.created_at,
    created_by: row.created_by,
    last_used_at: row.last_used_at,
    last_used_network: row.last_used_network,
    previous_until: previous_until !== null && previous_until > now() ? previous_until : null,
  }
}

function isVisible({ projects }: TokenRow, caller: Caller): boolean {
  if (caller.projects === undefined) return true
  return projects !== null && listIn(projects).every((id) => caller.projects?.has(id))
}

function rightsOf({ scopes, projects, networks, expires_at }: TokenRow) {
  return {
    scopes: listIn(scopes) as Scope[],
    projects: projects === null ? null : listIn(projects),
    networks: networks === null ? null : listIn(networks),
    expires_at,
  } satisfies TokenRights
}

/** Skips the columns of omitted fields. */
function columnsOf<R extends Partial<TokenRights>>({ scopes, projects, networks, ...rest }: R) {
  return {
    ...rest,
    ...(scopes && { scopes: JSON.stringify(scopes) }),
    ...(projects !== undefined && { projects: projects && JSON.stringify(projects) }),
    ...(networks !== undefined && { networks: networks && JSON.stringify(networks) }),
  }
}
