/**
 * A noun together with its project and its owner, for the API key that asks for it: one statement over several
 * tables, so that asking for what is missing and for what is somebody else's is the same work.
 */
import { sql } from 'kysely'
import type { AdCheckpointRow } from './ad-checkpoints.ts'
import type { AdSystemRow } from './ad-systems.ts'
import type { CustomerRow } from './customers.ts'
import type { Queries } from './db.ts'
import { prepared } from './prepared.ts'
import type { ProjectRow } from './projects.ts'
import type { ScriptRow } from './scripts.ts'
import type { UserRow } from './users.ts'

export type ProjectSubject = { customer: CustomerRow; project: ProjectRow }
export type ScriptSubject = ProjectSubject & { script: ScriptRow }
export type UserSubject = ProjectSubject & { user: UserRow }
export type AdSystemSubject = ProjectSubject & { system: AdSystemRow }
export type AdCheckpointSubject = AdSystemSubject & { checkpoint: AdCheckpointRow }

/** Columns are listed because the tables share names; a row type that gains one fails to compile here. */
type Columns<Row> = { readonly [C in keyof Row]: 1 }
type Joined = Readonly<Record<string, unknown>>

const customerColumns: Columns<CustomerRow> = {
  seq: 1,
  id: 1,
  api_key_hash: 1,
  api_key_start: 1,
  email: 1,
  chat_id: 1,
  tier: 1,
  plan_expires: 1,
  created_at: 1,
  obfuscations_used: 1,
  obfuscations_month: 1,
  bonus_obfuscations_left: 1,
  admin: 1,
  verified: 1,
  blacklisted: 1,
  blacklist_reason: 1,
  blacklist_expires: 1,
  total_executions: 1,
}
const projectColumns: Columns<ProjectRow> = {
  seq: 1,
  id: 1,
  customer_id: 1,
  name: 1,
  fingerprint_reset_cooldown: 1,
  allow_fingerprint_resets: 1,
  delete_expired_users: 1,
  execution_webhook: 1,
  information_webhook: 1,
  blacklist_webhook: 1,
  require_chat: 1,
  require_join_chat_server: 1,
  allow_checks: 1,
  total_executions: 1,
  created_at: 1,
  total_users: 1,
  ad_users: 1,
}
const scriptColumns: Columns<ScriptRow> = {
  seq: 1,
  id: 1,
  project_id: 1,
  name: 1,
  free_for_all: 1,
  use_heartbeat: 1,
  kick_outdated: 1,
  require_sessions: 1,
  options: 1,
  silent: 1,
  enabled: 1,
  version: 1,
  total_executions: 1,
  created_at: 1,
}
const userColumns: Columns<UserRow> = {
  seq: 1,
  key: 1,
  project_id: 1,
  chat_id: 1,
  executor: 1,
  executions: 1,
  key_expires: 1,
  created_at: 1,
  last_reset: 1,
  total_fingerprint_resets: 1,
  note: 1,
  blacklisted: 1,
  blacklist_reason: 1,
  blacklist_expires: 1,
  max_instances: 1,
  max_executions: 1,
  use_fingerprint: 1,
  ad_system_id: 1,
  fingerprint_assigned: 1,
  fingerprint_display: 1,
}
const adSystemColumns: Columns<AdSystemRow> = {
  seq: 1,
  id: 1,
  project_id: 1,
  name: 1,
  url: 1,
  key_duration: 1,
  max_keys: 1,
  allow_extending: 1,
  max_duration: 1,
  created_at: 1,
  total_keys: 1,
  total_completions: 1,
}
const adCheckpointColumns: Columns<AdCheckpointRow> = {
  seq: 1,
  id: 1,
  system_id: 1,
  index: 1,
  name: 1,
  url: 1,
  provider: 1,
  provider_data: 1,
  callback_id: 1,
  postback_id: 1,
  created_at: 1,
  total_started: 1,
  total_completed: 1,
  fallback_checkpoint_id: 1,
  misconfigured_at: 1,
  misconfigured_told: 1,
}

const CUSTOMER = part<CustomerRow>('c', customerColumns)
const PROJECT = part<ProjectRow>('p', projectColumns)
const SCRIPT = part<ScriptRow>('s', scriptColumns)
const USER = part<UserRow>('u', userColumns)
const SYSTEM = part<AdSystemRow>('a', adSystemColumns)
const CHECKPOINT = part<AdCheckpointRow>('k', adCheckpointColumns)

type Asked = { api_key_hash: string; id: string }

const projectSubject = prepared((db, p: Asked) =>
  db
    .selectFrom('projects as p')
    .innerJoin('customers as c', 'c.id', 'p.customer_id')
    .select([...PROJECT.list, ...CUSTOMER.list])
    .where('p.id', '=', p.id)
    .where('c.api_key_hash', '=', p.api_key_hash),
)
export const findProjectSubject = async (
  db: Queries,
  apiKeyHash: string,
  id: string,
): Promise<ProjectSubject | undefined> => {
  const row = await projectSubject.first(db, { api_key_hash: apiKeyHash, id })
  return row ? { customer: CUSTOMER.take(row), project: PROJECT.take(row) } : undefined
}

const scriptSubject = prepared((db, p: Asked) =>
  db
    .selectFrom('scripts as s')
    .innerJoin('projects as p', 'p.id', 's.project_id')
    .innerJoin('customers as c', 'c.id', 'p.customer_id')
    .select([...SCRIPT.list, ...PROJECT.list, ...CUSTOMER.list])
    .where('s.id', '=', p.id)
    .where('c.api_key_hash', '=', p.api_key_hash),
)
export const findScriptSubject = async (
  db: Queries,
  apiKeyHash: string,
  id: string,
): Promise<ScriptSubject | undefined> => {
  const row = await scriptSubject.first(db, { api_key_hash: apiKeyHash, id })
  return row
    ? { customer: CUSTOMER.take(row), project: PROJECT.take(row), script: SCRIPT.take(row) }
    : undefined
}

const keySubject = prepared((db, p: { key: string }) =>
  db
    .selectFrom('users as u')
    .innerJoin('projects as p', 'p.id', 'u.project_id')
    .innerJoin('customers as c', 'c.id', 'p.customer_id')
    .select([...USER.list, ...PROJECT.list, ...CUSTOMER.list])
    .where('u.key', '=', p.key),
)
/** A user by his own key, of whatever project, for what he may see and do himself. */
export const findKeySubject = async (db: Queries, key: string): Promise<UserSubject | undefined> => {
  const row = await keySubject.first(db, { key })
  return row ? { customer: CUSTOMER.take(row), project: PROJECT.take(row), user: USER.take(row) } : undefined
}

const userAlone = prepared((db, p: { key: string }) =>
  db.selectFrom('users').selectAll().where('key', '=', p.key),
)
/** A user of any owner; the caller checks next whether the project is theirs. */
export const findAnyUser = (db: Queries, key: string): Promise<UserRow | null> => userAlone.first(db, { key })

const adSystemSubject = prepared((db, p: Asked) =>
  db
    .selectFrom('ad_systems as a')
    .innerJoin('projects as p', 'p.id', 'a.project_id')
    .innerJoin('customers as c', 'c.id', 'p.customer_id')
    .select([...SYSTEM.list, ...PROJECT.list, ...CUSTOMER.list])
    .where('a.id', '=', p.id)
    .where('c.api_key_hash', '=', p.api_key_hash),
)
export const findAdSystemSubject = async (
  db: Queries,
  apiKeyHash: string,
  id: string,
): Promise<AdSystemSubject | undefined> => {
  const row = await adSystemSubject.first(db, { api_key_hash: apiKeyHash, id })
  return row
    ? { customer: CUSTOMER.take(row), project: PROJECT.take(row), system: SYSTEM.take(row) }
    : undefined
}

const adCheckpointSubject = prepared((db, p: Asked) =>
  db
    .selectFrom('ad_checkpoints as k')
    .innerJoin('ad_systems as a', 'a.id', 'k.system_id')
    .innerJoin('projects as p', 'p.id', 'a.project_id')
    .innerJoin('customers as c', 'c.id', 'p.customer_id')
    .select([...CHECKPOINT.list, ...SYSTEM.list, ...PROJECT.list, ...CUSTOMER.list])
    .where('k.id', '=', p.id)
    .where('c.api_key_hash', '=', p.api_key_hash),
)
export const findAdCheckpointSubject = async (
  db: Queries,
  apiKeyHash: string,
  id: string,
): Promise<AdCheckpointSubject | undefined> => {
  const row = await adCheckpointSubject.first(db, { api_key_hash: apiKeyHash, id })
  if (!row) return undefined
  const owner = { customer: CUSTOMER.take(row), project: PROJECT.take(row) }
  return { ...owner, system: SYSTEM.take(row), checkpoint: CHECKPOINT.take(row) }
}

/**
 * The columns of one table under names that no other table has, and the way back to that table's row. The way back is
 * compiled from the names: a loop over them costs as much as the whole statement.
 */
function part<Row>(alias: string, columns: Columns<Row>) {
  const pairs = Object.keys(columns).map((name) => [name, `${alias}_${name}`] as const)
  const members = pairs.map(([name, joined]) => `${name}: row.${joined}`)
  return {
    list: pairs.map(([name, joined]) => sql.ref(`${alias}.${name}`).as(joined)),
    take: new Function('row', `return { ${members.join(', ')} }`) as (row: Joined) => Row,
  }
}
