/**
 * Imports users from other services and exports them: which entries are skipped and why, and the texts of an export. An
 * export of this service can be imported again.
 */
import { setImmediate } from 'node:timers/promises'
import type { Deps } from '../../deps.ts'
import type { Queries } from '../../store/engine/db.ts'
import { countCustomerUsers, type ProjectRow } from '../../store/tables/projects.ts'
import type { ProjectSubject } from '../../store/tables/subjects.ts'
import { findTier } from '../../store/tables/tiers.ts'
import {
  type ExportedUser,
  insertListedFingerprints,
  insertUsers,
  type ListedUser,
  listTakenChats,
  listTakenKeys,
  type NewUsers,
  readExportedJson,
} from '../../store/tables/user-bulk.ts'
import type { NewUserFingerprint } from '../../store/tables/user-fingerprints.ts'
import { countIssuedUsers } from '../../store/tables/users.ts'
import type { Issuer } from '../access/caller.ts'
import { newUserKey } from '../accounts/credentials.ts'
import { isAccountExpired, isExceeded } from '../accounts/quotas.ts'
import { type Refused, refuse, refuseCall } from '../refusals.ts'
import { addEvent } from '../webhooks/events.ts'
import { type AdditionRefused, addUsers, type Part, SLICE } from './additions.ts'
import { type Device, importDevice, maskDevice } from './devices.ts'
import { quoteFormulas } from './formulas.ts'
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

type GivenRefused = Refused<'account_expired' | 'no_users_given' | 'too_many_users_to_import'>

export async function importUsers(
  deps: Deps,
  subject: ProjectSubject,
  entries: readonly unknown[],
  issuer?: Issuer,
): Promise<Imported | AdditionRefused<'too_many_users_to_import'> | Refused<'no_users_given'>> {
  const refused = refuseGiven(deps, subject, entries)
  if (refused) return refused
  if (await isMoreThanPlaces(deps, subject, entries)) return refuse('too_many_users_to_import')
  const skipped = new Map<number, Skipped[]>()
  return addUsers(deps, subject, {
    issuer,
    count: entries.length,
    tooMany: 'too_many_users_to_import',
    insert: async (tx, place, { start, end }) => {
      const from = { db: tx, project: subject.project, now: place.createdAt }
      const sorted = await sortEntries(from, { entries, start, end }, { keys: new Set(), chats: new Set() })
      await insertEntries(deps, tx, place, sorted.valid)
      skipped.set(start, sorted.skipped)
      return sorted.valid.length
    },
    report: (tx, imported) =>
      reportImport(deps, tx, subject, answerOf(imported, [...skipped.values()].flat())),
  })
}

/** What an import of these entries would answer now, and whether it would be refused for want of places. Changes nothing. */
export async function previewImport(
  deps: Deps,
  subject: ProjectSubject,
  entries: readonly unknown[],
  issuer?: Issuer,
): Promise<(Imported & { readonly places_left: number | null; readonly fits: boolean }) | GivenRefused> {
  const refused = refuseGiven(deps, subject, entries)
  if (refused) return refused
  const skipped: Skipped[] = []
  let imported = 0
  for await (const sorted of sortAll(deps, subject.project, entries)) {
    skipped.push(...sorted.skipped)
    imported += sorted.valid.length
  }
  const places = await countPlaces(deps, subject, issuer)
  const places_left = Number.isFinite(places) ? Math.max(0, places) : null
  return { ...answerOf(imported, skipped), places_left, fits: imported <= places }
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
  for await (const rows of everyUser(deps, project)) yield linesOf(rows.filter(isUnused), ({ key }) => [key])
  yield '\nUsed keys (key, chat id, executor):\n'
  for await (const rows of everyUser(deps, project)) {
    const used = rows.filter((row) => !isUnused(row))
    yield linesOf(used, ({ key, chat_id, executor }) => [key, chat_id, executor])
  }
}

function linesOf(
  rows: readonly ExportedUser[],
  cells: (row: ExportedUser) => readonly (string | null)[],
): string {
  const cell = (text: string | null) => (text === null ? 'N/A' : quoteFormulas(text))
  return rows.map((row) => `${cells(row).map(cell).join(', ')}\n`).join('')
}

/** Never executed, no fingerprint, no chat id. */
function isUnused(row: ExportedUser): boolean {
  return row.executions === 0 && row.fingerprint_assigned === 0 && row.chat_id === null
}

function answerOf(imported: number, skipped: Skipped[]): Imported {
  return { imported, skipped: skipped.length, skipped_entries: skipped.slice(0, MAX_REPORTED) }
}

async function reportImport(
  deps: Deps,
  tx: Queries,
  { project }: ProjectSubject,
  answer: Imported,
): Promise<Imported> {
  deps.note({ count: answer.imported })
  const data = { actor: 'owner', imported: answer.imported, skipped: answer.skipped } as const
  await addEvent(tx, deps, { type: 'users.imported', project_id: project.id, data })
  return answer
}

function refuseGiven(
  { config: { importLimit }, now }: Deps,
  { customer }: ProjectSubject,
  entries: readonly unknown[],
): GivenRefused | undefined {
  if (isAccountExpired(customer, now())) return refuse('account_expired')
  if (entries.length === 0) return refuse('no_users_given')
  return entries.length > importLimit ? refuseCall('too_many_users_to_import', importLimit) : undefined
}

/** Known before anything is written, and after no more entries than the plan has places for. */
async function isMoreThanPlaces(
  deps: Deps,
  subject: ProjectSubject,
  entries: readonly unknown[],
): Promise<boolean> {
  const places = await countPlaces(deps, subject, undefined)
  if (!Number.isFinite(places)) return false
  let count = 0
  for await (const { valid } of sortAll(deps, subject.project, entries)) {
    count += valid.length
    if (count > places) return true
  }
  return count > places
}

/** Infinite where nothing limits them; below zero after a change to a smaller plan. */
async function countPlaces(
  { db: { read } }: Deps,
  { customer }: ProjectSubject,
  issuer: Issuer | undefined,
): Promise<number> {
  const ofIssuer = issuer
    ? (issuer.maxKeys ?? Number.POSITIVE_INFINITY) - (await countIssuedUsers(read, issuer.id))
    : Number.POSITIVE_INFINITY
  const tier = await findTier(read, customer.tier)
  const isLimited =
    tier !== undefined && (await isExceeded(tier.max_users, async () => Number.POSITIVE_INFINITY))
  if (!isLimited) return ofIssuer
  return Math.min(ofIssuer, tier.max_users - (await countCustomerUsers(read, customer.id)).ordinary)
}

/** All entries, a slice at a time, with turns for other requests between them. */
async function* sortAll(
  { db: { read }, now }: Deps,
  project: ProjectRow,
  entries: readonly unknown[],
): AsyncGenerator<Sorted> {
  const from = { db: read, project, now: now() }
  const taken: Taken = { keys: new Set(), chats: new Set() }
  for (let start = 0; start < entries.length; start += SLICE) {
    const end = Math.min(start + SLICE, entries.length)
    yield await sortEntries(from, { entries, start, end }, taken)
    await setImmediate()
  }
}

type Given = Part & { readonly entries: readonly unknown[] }
type Taken = { readonly keys: Set<string>; readonly chats: Set<string> }
type Sorted = { readonly valid: readonly Entry[]; readonly skipped: Skipped[] }
type Lookup = { readonly db: Queries; readonly project: ProjectRow; readonly now: number }

/** Which of the entries can be users. Earlier ones that are not in the database have to be in `taken`, which it fills. */
async function sortEntries(
  { db, project, now }: Lookup,
  { entries, start, end }: Given,
  taken: Taken,
): Promise<Sorted> {
  const read = entries.slice(start, end).map((entry) => readEntry(entry, now))
  const readable = read.filter((entry) => typeof entry !== 'string')
  const keys = readable.flatMap(({ key }) => key ?? [])
  const chats = readable.flatMap(({ chat_id }) => chat_id ?? [])
  for (const key of await listTakenKeys(db, project.customer_id, keys)) taken.keys.add(key)
  for (const chat of await listTakenChats(db, project.id, chats)) taken.chats.add(chat)
  const valid: Entry[] = []
  const skipped: Skipped[] = []
  for (const [offset, entry] of read.entries()) {
    const reason = typeof entry === 'string' ? entry : refuseTaken(entry, taken)
    if (reason !== undefined) skipped.push({ index: start + offset, reason })
    else if (typeof entry !== 'string') valid.push(entry)
  }
  return { valid, skipped }
}

function refuseTaken({ key, chat_id }: Entry, { keys, chats }: Taken): string | undefined {
  if (key !== null && keys.has(key)) return 'key: is taken'
  if (chat_id !== null && chats.has(chat_id)) return 'chat_id: a user of the project has it'
  if (key !== null) keys.add(key)
  if (chat_id !== null) chats.add(chat_id)
  return undefined
}

async function insertEntries(
  deps: Deps,
  tx: Queries,
  place: NewUsers,
  entries: readonly Entry[],
): Promise<void> {
  const pepper = deps.secrets.fingerprintPepper
  const users: ListedUser[] = []
  const fingerprints: NewUserFingerprint[] = []
  for (const { fingerprint, ...entry } of entries) {
    const key = entry.key ?? newUserKey(deps.random)
    const device = fingerprint === null ? undefined : importDevice(pepper, place.projectId, fingerprint)
    const components = device?.components ?? []
    fingerprints.push(...components.map((one) => ({ user_key: key, project_id: place.projectId, ...one })))
    users.push({ ...entry, key, ...bound(device, entry.executor) })
  }
  await insertUsers(tx, place, users)
  await insertListedFingerprints(tx, fingerprints)
}

/** The address of an imported device is unknown. */
function bound(device: Device | undefined, executor: string | null) {
  if (!device) return { fingerprint_assigned: 0, fingerprint_display: null } as const
  const { fingerprint, executor: masked } = maskDevice(device, '', executor ?? '')
  const display = executor === null ? { fingerprint } : { fingerprint, executor: masked }
  return { fingerprint_assigned: 1, fingerprint_display: JSON.stringify(display) } as const
}
