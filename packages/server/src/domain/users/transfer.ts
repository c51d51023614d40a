/**
 * Imports users from other services and exports them: which entries are skipped and why, and the texts of an export. An
 * export of this service can be imported again.
 */
import type { Deps } from '../../deps.ts'
import type { Queries } from '../../store/engine/db.ts'
import { isUniqueViolation } from '../../store/engine/dialect.ts'
import {
  changeUserCount,
  countCustomerUsers,
  lockProject,
  type ProjectRow,
} from '../../store/tables/projects.ts'
import type { ProjectSubject } from '../../store/tables/subjects.ts'
import {
  type ExportedUser,
  insertListedFingerprints,
  insertUsers,
  type ListedUser,
  listTakenChats,
  listTakenKeys,
  readExportedJson,
} from '../../store/tables/user-bulk.ts'
import type { NewUserFingerprint } from '../../store/tables/user-fingerprints.ts'
import { newUserKey } from '../accounts/credentials.ts'
import { isAccountExpired, isExceeded, lockAccount } from '../accounts/quotas.ts'
import { Refused, refuse, refuseCall } from '../refusals.ts'
import { addEvent } from '../webhooks/events.ts'
import { changeMany, INSERT_BATCH } from './bulk.ts'
import { type Device, importDevice, maskDevice } from './devices.ts'
import { type Entry, readEntry } from './import-entries.ts'
import { everyUser } from './lists.ts'

export type Skipped = { readonly index: number; readonly reason: string }
export type Imported = {
  readonly imported: number
  readonly skipped: number
  readonly skipped_entries: Skipped[]
}

/** Skipped entries whose reason is in the answer. */
const MAX_REPORTED = 1000
/** Users of one piece of an export; on SQLite it blocks the event loop for a few milliseconds. */
const EXPORT_BATCH = 500

type ImportReason = 'too_many_users_to_import' | 'account_expired' | 'not_found' | 'unauthorized'

export async function importUsers(
  deps: Deps,
  subject: ProjectSubject,
  entries: readonly unknown[],
): Promise<Imported | Refused<ImportReason | 'no_users_given'>> {
  const { importLimit } = deps.config
  if (isAccountExpired(subject.customer, deps.now())) return refuse('account_expired')
  if (entries.length === 0) return refuse('no_users_given')
  if (entries.length > importLimit) return refuseCall('too_many_users_to_import', importLimit)
  const change = (tx: Queries) => importAll(deps, tx, subject, entries)
  try {
    return await changeMany(deps, entries.length)(change)
  } catch (error) {
    // Another request took one of the keys after it was looked up; the second attempt sees it.
    if (!isUniqueViolation(error)) throw error
    return changeMany(deps, entries.length)(change)
  }
}

export async function* exportJson({ db, now }: Deps, { id }: ProjectRow): AsyncGenerator<string> {
  const whose = { projectId: id, now: now() }
  yield '['
  for (let after = 0; ; ) {
    const { text, last } = await readExportedJson(db.read, whose, { after, limit: EXPORT_BATCH })
    if (text === null || last === null) break
    yield after === 0 ? text : `,${text}`
    after = last
  }
  yield ']'
}

/** Reads the users twice, because those who are unused come first. */
export async function* exportText(deps: Deps, project: ProjectRow): AsyncGenerator<string> {
  yield 'Unused keys (key):\n'
  for await (const rows of everyUser(deps, project)) {
    yield rows
      .filter(isUnused)
      .map((row) => `${row.key}\n`)
      .join('')
  }
  yield '\nUsed keys (key, chat id, executor):\n'
  for await (const rows of everyUser(deps, project)) {
    const used = rows.filter((row) => !isUnused(row))
    yield used.map((row) => `${row.key}, ${row.chat_id ?? 'N/A'}, ${row.executor ?? 'N/A'}\n`).join('')
  }
}

/** Never executed, no fingerprint, no chat id. */
function isUnused(row: ExportedUser): boolean {
  return row.executions === 0 && row.fingerprint_assigned === 0 && row.chat_id === null
}

async function importAll(
  deps: Deps,
  tx: Queries,
  { customer, project }: ProjectSubject,
  entries: readonly unknown[],
): Promise<Imported | Refused<ImportReason>> {
  const now = deps.now()
  const account = await lockAccount(tx, customer.id)
  if (account instanceof Refused) return account
  if (isAccountExpired(account.customer, now)) return refuse('account_expired')
  if (!(await lockProject(tx, customer.id, project.id))) return refuse('not_found')
  const skipped: Skipped[] = []
  for (let start = 0; start < entries.length; start += INSERT_BATCH) {
    const some = entries.slice(start, start + INSERT_BATCH)
    skipped.push(...(await importSome({ deps, tx, project, now }, some, start)))
  }
  const imported = entries.length - skipped.length
  const count = async () => (await countCustomerUsers(tx, customer.id)).ordinary + imported
  if (await isExceeded(account.tier.max_users, count)) return refuse('too_many_users_to_import')
  await changeUserCount(tx, customer.id, project.id, { users: imported, fromAds: 0 })
  const data = { actor: 'owner', imported, skipped: skipped.length } as const
  await addEvent(tx, deps, { type: 'users.imported', project_id: project.id, data })
  return { imported, skipped: skipped.length, skipped_entries: skipped.slice(0, MAX_REPORTED) }
}

type Import = {
  readonly deps: Deps
  readonly tx: Queries
  readonly project: ProjectRow
  readonly now: number
}

/** Earlier entries are users already, so that only the entries at hand need comparing with each other. */
async function importSome(
  { deps, tx, project, now }: Import,
  given: readonly unknown[],
  start: number,
): Promise<Skipped[]> {
  const read = given.map((entry) => readEntry(entry, now))
  const entries = read.filter((entry) => typeof entry !== 'string')
  const keys = new Set(
    await listTakenKeys(
      tx,
      entries.flatMap(({ key }) => key ?? []),
    ),
  )
  const chats = new Set(
    await listTakenChats(
      tx,
      project.id,
      entries.flatMap(({ chat_id }) => chat_id ?? []),
    ),
  )
  const valid: Entry[] = []
  const skipped: Skipped[] = []
  for (const [offset, entry] of read.entries()) {
    const reason = typeof entry === 'string' ? entry : refuseTaken(entry, keys, chats)
    if (reason !== undefined) skipped.push({ index: start + offset, reason })
    else if (typeof entry !== 'string') valid.push(entry)
  }
  await insertEntries({ deps, tx, project, now }, valid)
  return skipped
}

function refuseTaken({ key, chat_id }: Entry, keys: Set<string>, chats: Set<string>): string | undefined {
  if (key !== null && keys.has(key)) return 'key: is taken'
  if (chat_id !== null && chats.has(chat_id)) return 'chat_id: a user of the project has it'
  if (key !== null) keys.add(key)
  if (chat_id !== null) chats.add(chat_id)
  return undefined
}

async function insertEntries({ deps, tx, project, now }: Import, entries: readonly Entry[]): Promise<void> {
  const pepper = deps.secrets.fingerprintPepper
  const users: ListedUser[] = []
  const fingerprints: NewUserFingerprint[] = []
  for (const { fingerprint, ...entry } of entries) {
    const key = entry.key ?? newUserKey(deps.random)
    const device = fingerprint === null ? undefined : importDevice(pepper, project.id, fingerprint)
    const components = device?.components ?? []
    fingerprints.push(...components.map((one) => ({ user_key: key, project_id: project.id, ...one })))
    users.push({ ...entry, key, ...bound(device, entry.executor) })
  }
  await insertUsers(tx, { projectId: project.id, createdAt: now }, users)
  await insertListedFingerprints(tx, fingerprints)
}

/** The address of an imported device is unknown. */
function bound(device: Device | undefined, executor: string | null) {
  if (!device) return { fingerprint_assigned: 0, fingerprint_display: null } as const
  const { fingerprint, executor: masked } = maskDevice(device, '', executor ?? '')
  const display = executor === null ? { fingerprint } : { fingerprint, executor: masked }
  return { fingerprint_assigned: 1, fingerprint_display: JSON.stringify(display) } as const
}
