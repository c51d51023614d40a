/** Manages an account's ad systems. Their checkpoints are in `checkpoints.ts`. */

import { newId } from '../../api/ids.ts'
import { type ListSpec, type PageQuery, readPage } from '../../api/pagination.ts'
import { NO_ACCESS, Refused, refuse, refuseMissing, shownId } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import { isUniqueViolation } from '../../database/engine/dialect.ts'
import type { Deps } from '../../deps.ts'
import { type Caller, mayReach } from '../access/caller.ts'
import { isAccountExpired, isReached, lockAccount } from '../accounts/quotas.ts'
import type { CustomerRow } from '../accounts/store/customers.ts'
import { lockProject } from '../projects/store/projects.ts'
import type { AdSystemSubject } from '../projects/store/subjects.ts'
import { adsBase } from './addresses.ts'
import {
  type AdSystemChanges,
  type AdSystemRow,
  type CountedAdSystem,
  countAdSystems,
  deleteAdSystem,
  findAdSystem,
  insertAdSystem,
  listAdSystems as listAdSystemRows,
  lockAdSystem,
  updateAdSystem,
} from './store/ad-systems.ts'

/**
 * Fields for creating or editing a system. On create, omitted fields get their default. On edit, they stay
 * unchanged.
 */
export type AdSystemMembers = {
  readonly project_id?: string
  readonly name?: string
  readonly key_duration?: number
  readonly max_keys?: number
  readonly allow_extending?: boolean
  readonly max_duration?: number
}

type Asker = { readonly customer: CustomerRow; readonly caller: Pick<Caller, 'projects'> }

const DAY_MS = 86_400_000
const DEFAULTS = { key_duration: DAY_MS, max_keys: 1, allow_extending: 1, max_duration: 7 * DAY_MS } as const
const LISTED: ListSpec<CountedAdSystem> = { name: 'system', numberOf: ({ seq }) => seq }
const URL_FORM = /^[A-Za-z0-9-]{3,32}$/
/** Reserved names, which already have a meaning at this position in a visitor's URL. */
const RESERVED: ReadonlySet<string> = new Set('verify postback go state claim assets health v1'.split(' '))

export async function createAdSystem(
  deps: Deps,
  { customer: { id: customerId }, caller }: Asker,
  members: AdSystemMembers & { readonly project_id: string; readonly name: string },
): Promise<
  | string
  | Refused<'max_systems_reached' | 'account_expired' | 'invalid_durations' | 'not_found' | 'unauthorized'>
> {
  const now = deps.now()
  const id = newId('sys', now, deps.random)
  const columns = { ...DEFAULTS, ...columnsOf(members), name: members.name.trim() }
  deps.annotateAudit({ nouns: { system_id: id, project_id: members.project_id } })
  return deps.db.transaction(async (tx) => {
    const account = await lockAccount(tx, customerId)
    if (account instanceof Refused) return account
    const { customer, tier } = account
    if (isAccountExpired(customer, now)) return refuse('account_expired')
    if (!areDurationsValid(columns)) return refuse('invalid_durations')
    if (!(await lockReachable(tx, { customerId, caller }, members.project_id)))
      return refuseProject(members.project_id)
    if (await isReached(tier.max_systems, () => countAdSystems(tx, customerId)))
      return refuse('max_systems_reached')
    await insertAdSystem(tx, { ...columns, id, project_id: members.project_id, url: null, created_at: now })
    return id
  })
}

/** Callers who are limited to some projects see only those projects' systems. */
export async function listAdSystems(deps: Deps, { customer, caller }: Asker, query: PageQuery) {
  const { read } = deps.db
  const only = caller.projects
  const found = await readPage(LISTED, query, (range) => listAdSystemRows(read, customer.id, range, only))
  if (found instanceof Refused) return found
  const total = await countAdSystems(read, customer.id, only)
  return { systems: found.rows.map((row) => describe(deps, row)), total, next: found.next }
}

export async function getAdSystem(deps: Deps, { customer, system }: AdSystemSubject) {
  const row = await findAdSystem(deps.db.read, customer.id, system.id)
  return row === undefined ? refuse('not_found') : describe(deps, row)
}

/** A system can move to another project in its account. Keys that it has issued stay in the old project. */
export async function editAdSystem(
  deps: Deps,
  { customer, project, system }: AdSystemSubject,
  members: AdSystemMembers,
  caller: Asker['caller'],
): Promise<
  undefined | Refused<'account_expired' | 'cannot_edit_nothing' | 'invalid_durations' | 'not_found'>
> {
  if (isAccountExpired(customer, deps.now())) return refuse('account_expired')
  const changes = columnsOf(members)
  if (Object.keys(changes).length === 0) return refuse('cannot_edit_nothing')
  const target = changes.project_id
  const reach = { customerId: customer.id, caller }
  return deps.db.transaction(async (tx) => {
    if (target !== undefined && !(await lockReachable(tx, reach, target))) return refuseProject(target)
    const row = await lockAdSystem(tx, project.id, system.id)
    if (!row) return refuse('not_found')
    if (!areDurationsValid({ ...row, ...changes })) return refuse('invalid_durations')
    await updateAdSystem(tx, project.id, row.id, changes)
    return undefined
  })
}

/** An empty string removes the custom URL. Undefined leaves it unchanged. */
export async function setAdSystemUrl(
  deps: Deps,
  { customer, project, system }: AdSystemSubject,
  url: string | undefined,
): Promise<undefined | Refused<'account_expired' | 'invalid_url' | 'url_already_taken' | 'not_found'>> {
  if (isAccountExpired(customer, deps.now())) return refuse('account_expired')
  if (url === undefined) return undefined
  if (url !== '' && (!URL_FORM.test(url) || RESERVED.has(url.toLowerCase()))) return refuse('invalid_url')
  const changes = { url: url || null }
  try {
    return await deps.db.transaction(async (tx) =>
      (await updateAdSystem(tx, project.id, system.id, changes)) ? undefined : refuse('not_found'),
    )
  } catch (error) {
    if (isUniqueViolation(error)) return refuse('url_already_taken')
    throw error
  }
}

/**
 * Removes the system and its checkpoints. Succeeds even if the account is expired or the system was already
 * removed.
 */
export async function removeAdSystem(deps: Deps, { project, system }: AdSystemSubject): Promise<void> {
  await deps.db.transaction((tx) => deleteAdSystem(tx, project.id, system.id))
}

function refuseProject(id: string): Refused<'not_found'> {
  return refuseMissing(`Project ${shownId(id)} does not exist${NO_ACCESS}`)
}

/** Checks that the caller may access the project in this account, and locks the project. */
async function lockReachable(
  tx: Queries,
  { customerId, caller }: { readonly customerId: string; readonly caller: Asker['caller'] },
  projectId: string,
): Promise<boolean> {
  return mayReach(caller, projectId) && (await lockProject(tx, customerId, projectId)) !== null
}

function describe({ config }: Deps, row: CountedAdSystem) {
  return {
    id: row.id,
    project_id: row.project_id,
    name: row.name,
    url: row.url,
    page_url: `${adsBase(config)}/${row.url ?? row.id}`,
    key_duration: row.key_duration,
    max_keys: row.max_keys,
    allow_extending: row.allow_extending === 1,
    max_duration: row.max_duration,
    created_at: row.created_at,
    total_checkpoints: row.total_checkpoints,
    total_keys: row.total_keys,
    total_completions: row.total_completions,
  }
}

/** Returns the given fields as columns. */
function columnsOf({ name, allow_extending, ...rest }: AdSystemMembers) {
  return {
    ...rest,
    ...(name === undefined ? {} : { name: name.trim() }),
    ...(allow_extending === undefined ? {} : { allow_extending: allow_extending ? 1 : 0 }),
  } satisfies AdSystemChanges
}

/** A key's duration must not exceed `max_duration`. */
function areDurationsValid(system: Pick<AdSystemRow, 'key_duration' | 'max_duration'>): boolean {
  return system.key_duration > 0 && system.key_duration <= system.max_duration
}
