/**
 * Accounts: their public details, how operators create and edit them, and the first admin of an empty
 * database.
 */

import { newId } from '../../api/ids.ts'
import { NEVER } from '../../api/limits.ts'
import { type ListSpec, type PageQuery, readPage } from '../../api/pagination.ts'
import { Refused, refuse } from '../../api/refusals.ts'
import type { Database, Queries } from '../../database/engine/db.ts'
import { isUniqueViolation } from '../../database/engine/dialect.ts'
import type { Deps } from '../../deps.ts'
import { countCustomerAdCheckpoints } from '../ads/store/ad-checkpoints.ts'
import { countAdSystems } from '../ads/store/ad-systems.ts'
import { isBlacklisted } from '../key-validity/blacklist.ts'
import { countProjects } from '../projects/store/projects.ts'
import { countCustomerScripts } from '../scripts/store/scripts.ts'
import { type ApiKey, apiKeyOf, newApiKey } from './credentials.ts'
import { obfuscationsUsed } from './obfuscation-reservations.ts'
import {
  type CustomerChanges,
  type CustomerRow,
  countCustomers,
  findCustomer,
  findCustomerByApiKeyHash,
  findCustomerByEmail,
  insertCustomer,
  listCustomers as listCustomerRows,
  lockCustomer,
  updateCustomer,
} from './store/customers.ts'
import { findTier, insertFirstTiers } from './store/tiers.ts'
import { countFfaDevices, countInstances, countUsersByState } from './store/totals.ts'
import { hasWaitingApiKey } from './store/waiting-api-keys.ts'
import { FIRST_TIER, FIRST_TIERS, UNLIMITED_TIER } from './tiers.ts'

export type NewAccount = { email: string; tier?: number; plan_expires?: number }
export type AccountChanges = Partial<NewAccount> & {
  bonus_obfuscations_left?: number
  verified?: boolean
  admin?: boolean
}
export type CreatedCustomer = { readonly customer: CustomerResource; readonly apiKey: string }

const FIRST_EMAIL = 'admin@localhost'
const LISTED: ListSpec<CustomerRow> = { name: 'customer', numberOf: ({ seq }) => seq }

export async function getCustomer(deps: Deps, id: string): Promise<CustomerResource | Refused<'not_found'>> {
  const row = await findCustomer(deps.db.read, id)
  return row === undefined ? refuse('not_found') : describeCustomer(deps, row)
}

export async function listCustomers(deps: Deps, query: PageQuery) {
  const found = await readPage(LISTED, query, (range) => listCustomerRows(deps.db.read, range))
  if (found instanceof Refused) return found
  const customers: CustomerResource[] = []
  for (const row of found.rows) customers.push(await describeCustomer(deps, row))
  return { customers, total: await countCustomers(deps.db.read), next: found.next }
}

/** Only this response contains the API key. */
export async function createCustomer(
  deps: Deps,
  account: NewAccount,
): Promise<CreatedCustomer | Refused<'email_already_taken' | 'unknown_tier'>> {
  const apiKey = newApiKey(deps.random)
  const { email, tier = FIRST_TIER, plan_expires = NEVER } = account
  const made = newRow(deps, apiKey, { email: normal(email), tier, plan_expires })
  deps.annotateAudit({ nouns: { id: made.id } })
  const row = await changeAccount(deps, async (tx) => {
    const refused = await refuseAccount(tx, { email, tier })
    return refused ?? insertCustomer(tx, made)
  })
  return row instanceof Refused ? row : { customer: await describeCustomer(deps, row), apiKey: apiKey.text }
}

/**
 * Creates an account on sign-up, in the transaction that creates its user. Nobody knows its API key until the
 * key is reset.
 */
export async function insertOwnAccount(
  deps: Deps,
  tx: Queries,
  { email, tier }: { readonly email: string; readonly tier: number },
): Promise<CustomerRow | Refused<'email_already_taken' | 'unknown_tier'>> {
  const refused = await refuseAccount(tx, { email, tier })
  if (refused) return refused
  const account = { email: normal(email), tier, plan_expires: NEVER }
  return insertCustomer(tx, { ...newRow(deps, newApiKey(deps.random), account), verified: 1 })
}

export async function editCustomer(
  deps: Deps,
  id: string,
  changes: AccountChanges,
): Promise<
  CustomerResource | Refused<'cannot_edit_nothing' | 'email_already_taken' | 'unknown_tier' | 'not_found'>
> {
  if (Object.keys(changes).length === 0) return refuse('cannot_edit_nothing')
  const row = await changeAccount(deps, async (tx) => {
    const before = await lockCustomer(tx, id)
    if (!before) return refuse('not_found')
    deps.annotateAudit({ before })
    const refused = await refuseAccount(tx, { ...changes, id })
    return refused ?? (await updateCustomer(tx, id, columnsOf(changes))) ?? refuse('not_found')
  })
  return row instanceof Refused ? row : describeCustomer(deps, row)
}

/**
 * Creates the tiers of an empty database, and an admin on the unlimited tier. Only the call that creates the
 * admin returns its API key. If two processes start at the same time, only one of them prints the key.
 */
export async function createFirstAdmin(deps: Deps): Promise<string | undefined> {
  const apiKey = deps.config.adminKey === undefined ? newApiKey(deps.random) : apiKeyOf(deps.config.adminKey)
  return deps.db.transaction(async (tx) => {
    if ((await countCustomers(tx)) > 0) return undefined
    await insertFirstTiers(tx, FIRST_TIERS)
    const account = { email: FIRST_EMAIL, tier: UNLIMITED_TIER, plan_expires: NEVER }
    await insertCustomer(tx, { ...newRow(deps, apiKey, account), admin: 1, verified: 1 })
    return apiKey.text
  })
}

/**
 * Whether the configured admin key is ignored because no admin has it. The key is used only while a database
 * has no accounts.
 */
export async function isAdminKeyIgnored({ config, db }: Deps): Promise<boolean> {
  if (config.adminKey === undefined) return false
  const holder = await findCustomerByApiKeyHash(db.read, apiKeyOf(config.adminKey).hash)
  return holder?.admin !== 1
}

/**
 * Returns whether the database is empty, in which case a new keyring makes no data unreadable. Must be
 * checked before the keyring is looked up. Otherwise, if two processes started at the same time on an empty
 * database, one could miss the other's keyring.
 */
export async function isNewStore(db: Database): Promise<boolean> {
  return (await countCustomers(db.read)) === 0
}

export type CustomerResource = Awaited<ReturnType<typeof describeCustomer>>

export async function describeCustomer(deps: Deps, row: CustomerRow) {
  const { read } = deps.db
  const now = deps.now()
  const users = await countUsersByState(read, row.id, now)
  const instances = await countInstances(read, row.id, now)
  return {
    ...ownMembers(row, now),
    total_projects: await countProjects(read, row.id),
    total_scripts: await countCustomerScripts(read, row.id),
    total_users: users.total,
    banned_users: users.banned,
    unused_users: users.unused,
    ffa_users: await countFfaDevices(read, row.id),
    total_ad_users: users.from_ads,
    total_systems: await countAdSystems(read, row.id),
    total_checkpoints: await countCustomerAdCheckpoints(read, row.id),
    total_sessions: await deps.sessions.network.count({ customer_id: row.id }),
    total_instances: [...instances.values()].reduce((sum, count) => sum + count, 0),
  }
}

/** Additional details for the account's own pages. */
export async function describeAccount(deps: Deps, row: CustomerRow) {
  return {
    ...(await describeCustomer(deps, row)),
    allow_path_key: row.allow_path_key === 1,
    path_key_used_at: row.path_key_used_at,
    api_key_waits: await hasWaitingApiKey(deps.db.read, row.id),
  }
}

/** Settings that an account can change for itself. */
export async function editAccount(
  deps: Deps,
  id: string,
  { allow_path_key }: { readonly allow_path_key?: boolean },
): Promise<CustomerRow | Refused<'cannot_edit_nothing' | 'unauthorized'>> {
  if (allow_path_key === undefined) return refuse('cannot_edit_nothing')
  return deps.db.transaction(
    async (tx) =>
      (await updateCustomer(tx, id, { allow_path_key: allow_path_key ? 1 : 0 })) ?? refuse('unauthorized'),
  )
}

function ownMembers(row: CustomerRow, now: number) {
  const blacklisted = isBlacklisted(row, now)
  return {
    id: row.id,
    chat_id: row.chat_id,
    tier: row.tier,
    email: row.email,
    plan_expires: row.plan_expires,
    created_at: row.created_at,
    obfuscations_used: obfuscationsUsed(row, now),
    bonus_obfuscations_left: row.bonus_obfuscations_left,
    admin: row.admin === 1,
    verified: row.verified === 1,
    blacklisted,
    blacklist_reason: blacklisted ? row.blacklist_reason : null,
    total_executions: row.total_executions,
  }
}

function newRow(deps: Deps, apiKey: ApiKey, account: Required<NewAccount>) {
  return {
    ...account,
    id: newId('cus', deps.now(), deps.random),
    api_key_hash: apiKey.hash,
    api_key_start: apiKey.start,
    created_at: deps.now(),
  }
}

/** If two accounts claim the same email address concurrently, the database rejects the later one. */
async function changeAccount<T>(
  deps: Deps,
  change: (tx: Queries) => Promise<T>,
): Promise<T | Refused<'email_already_taken'>> {
  try {
    return await deps.db.transaction(change)
  } catch (error) {
    if (isUniqueViolation(error)) return refuse('email_already_taken')
    throw error
  }
}

async function refuseAccount(
  tx: Queries,
  account: { id?: string; email?: string; tier?: number },
): Promise<Refused<'email_already_taken' | 'unknown_tier'> | undefined> {
  if (account.tier !== undefined && (await findTier(tx, account.tier)) === undefined)
    return refuse('unknown_tier')
  const holder =
    account.email === undefined ? undefined : await findCustomerByEmail(tx, normal(account.email))
  return holder === undefined || holder.id === account.id ? undefined : refuse('email_already_taken')
}

function columnsOf({ email, verified, admin, ...rest }: AccountChanges): CustomerChanges {
  return {
    ...rest,
    ...(email === undefined ? {} : { email: normal(email) }),
    ...(verified === undefined ? {} : { verified: verified ? 1 : 0 }),
    ...(admin === undefined ? {} : { admin: admin ? 1 : 0 }),
  }
}

/** Returns the address in lowercase, so that a mailbox has only one account. */
function normal(email: string): string {
  return email.toLowerCase()
}
