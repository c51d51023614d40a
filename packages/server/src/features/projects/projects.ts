/** Creates, edits, removes and describes an account's projects. */

import { newId } from '../../api/ids.ts'
import { type ListSpec, type PageQuery, readPage } from '../../api/pagination.ts'
import { Refused, refuse, refuseMember } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../access/caller.ts'
import { isAccountExpired, isReached, lockAccount } from '../accounts/quotas.ts'
import type { CustomerRow } from '../accounts/store/customers.ts'
import { countInstances } from '../accounts/store/totals.ts'
import { KINDS, openAddress, saveWebhooks, sealAddress, WEBHOOK_MEMBERS } from '../webhooks/addresses.ts'
import { visibleAddress } from '../webhooks/events/visible-address.ts'
import { readAddress } from '../webhooks/send/address.ts'
import type { WebhookKind } from '../webhooks/store/webhooks.ts'
import { refuseMistakenKeys } from './key-format-conflicts.ts'
import { readKeyFormat } from './key-formats.ts'
import { listProjectCounts, type ProjectCounts } from './store/counts.ts'
import {
  countProjects,
  insertProject,
  listProjects as listProjectRows,
  type ProjectRow,
  updateProject,
} from './store/projects.ts'

/**
 * Fields for creating or editing a project. An omitted field gets its default in a new project, and keeps its
 * value in an edit.
 */
export type ProjectMembers = {
  name?: string
  fingerprint_reset_cooldown?: number
  allow_fingerprint_resets?: boolean
  delete_expired_users?: boolean
  execution_webhook?: string
  information_webhook?: string
  blacklist_webhook?: string
  support_url?: string
  require_chat?: boolean
  require_join_chat_server?: boolean
  allow_checks?: boolean
  guests_need_device?: boolean
  share_threshold?: number
  expiring_lead?: number
  key_format?: string
}
type Owner = { readonly customer: CustomerRow; readonly project: ProjectRow }
/** The caller's permissions, which determine the visible projects and fields. */
type Viewer = Pick<Caller, 'scopes' | 'projects'>

const DAY_MS = 86_400_000
const LISTED: ListSpec<ProjectRow> = { name: 'project', numberOf: ({ seq }) => seq }

export async function createProject(
  deps: Deps,
  { customerId, caller }: { readonly customerId: string; readonly caller: Viewer },
  members: ProjectMembers & { name: string },
): Promise<
  | string
  | Refused<'max_projects_reached' | 'account_expired' | 'invalid_request' | 'unauthorized' | 'forbidden'>
> {
  const unseen = refuseUnseen(caller, members)
  if (unseen) return unseen
  const id = newId('prj', deps.now(), deps.random)
  const columns = columnsOf(deps, id, members)
  if (columns instanceof Refused) return columns
  deps.annotateAudit({ nouns: { project_id: id } })
  return deps.db.transaction(async (tx) => {
    const account = await lockAccount(tx, customerId)
    if (account instanceof Refused) return account
    const { customer, tier } = account
    if (isAccountExpired(customer, deps.now())) return refuse('account_expired')
    if (await isReached(tier.max_projects, () => countProjects(tx, customerId)))
      return refuse('max_projects_reached')
    await insertProject(tx, {
      ...DEFAULTS,
      ...columns,
      name: members.name.trim(),
      id,
      customer_id: customerId,
      created_at: deps.now(),
    })
    await saveWebhooks(deps, tx, id, columns)
    return id
  })
}

type ListedProject = ProjectResource & { readonly counts?: ProjectCounts }

/** Callers who are limited to some projects get only those projects. */
export async function listProjects(
  deps: Deps,
  { customerId, caller }: { readonly customerId: string; readonly caller: Viewer },
  { counts: isCounted, ...query }: PageQuery & { readonly counts?: boolean },
): Promise<{ projects: ListedProject[]; total: number; next: string | null } | Refused<'invalid_request'>> {
  const only = caller.projects
  const found = await readPage(LISTED, query, (range) =>
    listProjectRows(deps.db.read, customerId, range, only),
  )
  if (found instanceof Refused) return found
  const instances = await countInstances(deps.db.read, customerId, deps.now())
  const sessions = await deps.sessions.network.countByProject(customerId)
  const ids = found.rows.map(({ id }) => id)
  const counts = isCounted ? await listProjectCounts(deps.db.read, ids, deps.now() - DAY_MS) : undefined
  const projects = found.rows.map((row) => {
    const total_sessions = sessions.get(row.id) ?? 0
    const live = { total_sessions, total_instances: instances.get(row.id) ?? 0 }
    const counted = counts?.get(row.id)
    return { ...describe(deps, row, live, caller), ...(counted && { counts: counted }) }
  })
  return { projects, total: await countProjects(deps.db.read, customerId, only), next: found.next }
}

export async function getProject(
  deps: Deps,
  { customer, project }: Owner,
  caller: Viewer,
): Promise<ProjectResource> {
  const instances = await countInstances(deps.db.read, customer.id, deps.now(), project.id)
  const total_sessions = await deps.sessions.network.count({ project_id: project.id })
  const live = { total_sessions, total_instances: instances.get(project.id) ?? 0 }
  return describe(deps, project, live, caller)
}

/** Returns the edited project in the shape of the unversioned API. */
export async function editProject(
  deps: Deps,
  { customer, project }: Owner,
  members: ProjectMembers,
  caller: Viewer,
): Promise<
  | ProjectResource
  | Refused<'account_expired' | 'cannot_edit_nothing' | 'invalid_request' | 'not_found' | 'forbidden'>
> {
  const unseen = refuseUnseen(caller, members)
  if (unseen) return unseen
  if (isAccountExpired(customer, deps.now())) return refuse('account_expired')
  if (Object.keys(members).length === 0) return refuse('cannot_edit_nothing')
  const columns = columnsOf(deps, project.id, members)
  if (columns instanceof Refused) return columns
  const mistaken = await refuseMistakenKeys(deps, project, columns)
  if (mistaken) return mistaken
  const edited = await deps.db.transaction(async (tx) => {
    const row = await updateProject(tx, customer.id, project.id, columns)
    if (row === undefined) return refuse('not_found')
    await saveWebhooks(deps, tx, project.id, columns)
    return row
  })
  return edited instanceof Refused ? edited : getProject(deps, { customer, project: edited }, caller)
}

export type ProjectResource = ReturnType<typeof describe>

type Live = { readonly total_sessions: number; readonly total_instances: number }

function describe(deps: Deps, row: ProjectRow, live: Live, viewer: Viewer) {
  const address = (kind: WebhookKind) => {
    const whole = openAddress(deps, row.id, kind, row[WEBHOOK_MEMBERS[kind]])
    return whole === null ? null : visibleAddress(whole, viewer)
  }
  return {
    id: row.id,
    name: row.name,
    fingerprint_reset_cooldown: row.fingerprint_reset_cooldown,
    allow_fingerprint_resets: row.allow_fingerprint_resets === 1,
    delete_expired_users: row.delete_expired_users === 1,
    execution_webhook: address('execution'),
    information_webhook: address('information'),
    blacklist_webhook: address('blacklist'),
    support_url: row.support_url,
    total_executions: row.total_executions,
    require_chat: row.require_chat === 1,
    require_join_chat_server: row.require_join_chat_server === 1,
    allow_checks: row.allow_checks === 1,
    guests_need_device: row.guests_need_device === 1,
    share_threshold: row.share_threshold,
    expiring_lead: row.expiring_lead,
    key_format: row.key_format,
    ...live,
  }
}

/** Callers who may not see webhook URLs may not set them either. */
function refuseUnseen({ scopes }: Viewer, members: ProjectMembers): Refused<'forbidden'> | undefined {
  const isGiven = KINDS.some((kind) => members[WEBHOOK_MEMBERS[kind]] !== undefined)
  return isGiven && !scopes.has('webhooks:write')
    ? refuse('forbidden', { needs: 'webhooks:write' })
    : undefined
}

const DEFAULTS = {
  fingerprint_reset_cooldown: DAY_MS,
  allow_fingerprint_resets: 1,
  delete_expired_users: 0,
  execution_webhook: null,
  information_webhook: null,
  blacklist_webhook: null,
  support_url: null,
  require_chat: 0,
  require_join_chat_server: 0,
} as const

const FLAGS = [
  ...(['allow_fingerprint_resets', 'delete_expired_users'] as const),
  ...(['require_chat', 'require_join_chat_server', 'allow_checks', 'guests_need_device'] as const),
] as const

type Columns = Partial<Pick<ProjectRow, keyof ProjectMembers>>

function columnsOf(deps: Deps, id: string, members: ProjectMembers): Columns | Refused<'invalid_request'> {
  const columns: Columns = {}
  if (members.name !== undefined) columns.name = members.name.trim()
  if (members.fingerprint_reset_cooldown !== undefined)
    columns.fingerprint_reset_cooldown = members.fingerprint_reset_cooldown
  if (members.share_threshold !== undefined) columns.share_threshold = members.share_threshold
  if (members.expiring_lead !== undefined) columns.expiring_lead = members.expiring_lead
  if (members.key_format !== undefined) {
    const format = readKeyFormat('key_format', members.key_format)
    if (format instanceof Refused) return format
    columns.key_format = format
  }
  for (const name of FLAGS) {
    if (members[name] !== undefined) columns[name] = members[name] ? 1 : 0
  }
  if (members.support_url !== undefined) {
    const address = readSupportAddress(members.support_url)
    if (address instanceof Refused) return address
    columns.support_url = address
  }
  for (const kind of KINDS) {
    const name = WEBHOOK_MEMBERS[kind]
    const given = members[name]
    if (given === undefined) continue
    const address = readWebhook(deps, name, given)
    if (address instanceof Refused) return address
    columns[name] = address && sealAddress(deps, id, kind, address)
  }
  return columns
}

/**
 * This URL is only for people to open, so the server parses it but never requests it. An empty string clears
 * it.
 */
function readSupportAddress(text: string): string | null | Refused<'invalid_request'> {
  if (text === '') return null
  const url = URL.parse(text)
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
  if (url === null || !isWeb) return refuseMember('support_url', 'must be an http or https URL')
  return url.href
}

/** Validates a webhook URL. An empty string clears it. The host name is not resolved here. */
function readWebhook(deps: Deps, member: string, text: string): string | null | Refused<'invalid_request'> {
  if (text === '') return null
  const address = readAddress(text, deps.config)
  return typeof address === 'string' ? refuseMember(member, address) : address.href
}
