/**
 * Imports users from other services or from Scriptward's own exports, and decides which entries to skip and
 * why.
 */
import { setImmediate } from 'node:timers/promises'
import { newId } from '../../api/ids.ts'
import { Refused, refuse, refuseCall } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { isAccountExpired } from '../accounts/quotas.ts'
import { type Added, type AdditionRefused, addUsers, type Part } from '../changes/add-users.ts'
import { SLICE } from '../changes/customer-lock.ts'
import { type Device, importDevice, maskDevice } from '../devices/device-data.ts'
import type { NewUserFingerprint } from '../devices/store/user-fingerprints.ts'
import { type Maker, refuseUngranted } from '../keys/issuers.ts'
import {
  insertListedDevices,
  insertListedFingerprints,
  insertUsers,
  type ListedDevice,
  type ListedUser,
  listTakenChats,
  listTakenKeys,
  type NewUsers,
} from '../keys/store/user-bulk.ts'
import { countPlaces, type RemainingUsers, remainingUsers } from '../keys/user-quota.ts'
import { NO_TERMS, newTerms, type TermsColumns } from '../keys/user-terms.ts'
import { isMistaken, newKey } from '../projects/key-formats.ts'
import type { ProjectRow } from '../projects/store/projects.ts'
import type { ProjectSubject } from '../projects/store/subjects.ts'
import { addEvent } from '../webhooks/events/events.ts'
import { entriesBetween, type ListedEntries } from './formats/entries.ts'
import type { Entry } from './read-entry.ts'

/** The reason for skipping an entry: its key or chat ID is taken, or the entry is otherwise invalid. */
export const SKIP_TYPES = ['key_taken', 'chat_id_taken', 'invalid'] as const
export type SkipType = (typeof SKIP_TYPES)[number]
type Skip = { readonly type: SkipType; readonly reason: string }
type Skipped = Skip & { readonly index: number }
export type Imported = {
  readonly imported: number
  readonly skipped: number
  readonly skipped_entries: Skipped[]
  /** Source of the records, and the mapping of their fields. Absent for Scriptward's own export format. */
  readonly from?: string
  readonly mapped?: Readonly<Record<string, string>>
  readonly unknown_members?: string[]
}
export type ImportOrder = {
  readonly entries: ListedEntries
  /** Plan for entries that specify neither an expiry date nor a duration. */
  readonly plan_id?: string | undefined
}

/** Maximum number of skipped entries whose reasons are included in the response. */
const MAX_REPORTED = 1000

type GivenRefused = Refused<
  'account_expired' | 'no_users_given' | 'too_many_users_to_import' | 'invalid_request'
>

export async function importUsers(
  deps: Deps,
  subject: ProjectSubject,
  order: ImportOrder,
  maker?: Maker,
): Promise<
  | (Imported & Added)
  | AdditionRefused<'too_many_users_to_import'>
  | Refused<'no_users_given' | 'invalid_request'>
> {
  const { entries, plan_id } = order
  const refused = refuseGiven(deps, subject, entries)
  if (refused) return refused
  const planned = await termsFor(deps, subject, order)
  if (planned instanceof Refused) return planned
  if (await isMoreThanPlaces(deps, subject, { entries, maker })) return refuse('too_many_users_to_import')
  const skipped = new Map<number, Skipped[]>()
  let unfit: Refused<'invalid_request'> | undefined
  return addUsers(deps, subject, {
    issuer: maker?.issuer,
    count: entries.count,
    tooMany: 'too_many_users_to_import',
    insert: async (tx, place, { start, end }) => {
      const from = { db: tx, project: subject.project, maker }
      const given = { entries, start, end }
      const sorted = await sortEntries(from, given, { keys: new Set(), chats: new Set() })
      const terms = await newTerms(tx, subject.project, plan_id ? { plan_id } : {}, place.createdAt)
      skipped.set(start, sorted.skipped)
      if (terms instanceof Refused) {
        unfit = terms
        return []
      }
      return insertEntries(
        deps,
        tx,
        place,
        sorted.valid.map(withTerms(terms)).map(withKey(deps, subject.project)),
      )
    },
    report: async (tx, imported) =>
      // `unfit` is set if the plan was deleted while the import was running.
      unfit ?? reportImport(deps, tx, subject, answerOf(imported, [...skipped.values()].flat(), entries)),
    draft: { action: 'import', details: { entries: entries.count } },
  })
}

/**
 * Returns the result of importing these entries, and whether the import would exceed the user limit, without
 * changing anything.
 */
export async function previewImport(
  deps: Deps,
  subject: ProjectSubject,
  order: ImportOrder,
  maker?: Maker,
): Promise<(Imported & RemainingUsers & { readonly samples: SampleEntry[] }) | GivenRefused> {
  const { entries } = order
  const refused = refuseGiven(deps, subject, entries)
  if (refused) return refused
  const terms = await termsFor(deps, subject, order)
  if (terms instanceof Refused) return terms
  const skipped: Skipped[] = []
  const samples: SampleEntry[] = []
  let imported = 0
  for await (const sorted of sortAll(deps, subject.project, { entries, maker })) {
    skipped.push(...sorted.skipped)
    imported += sorted.valid.length
    const first = sorted.valid.slice(0, SAMPLES - samples.length)
    samples.push(...first.map(withTerms(terms)).map(describeEntry))
  }
  return {
    ...answerOf(imported, skipped, entries),
    ...(await remainingUsers(deps, subject, imported, maker?.issuer)),
    samples,
  }
}

/** An entry as it would be imported. */
export type SampleEntry = Pick<Entry, 'chat_id' | 'note' | 'key_expires' | 'executions'> & {
  readonly index: number
  readonly blacklisted: boolean
  readonly paused: boolean
  /** Null if a key would be generated. */
  readonly user_key: string | null
}
const SAMPLES = 10

function describeEntry({ index, key, chat_id, note, key_expires, ...entry }: Placed): SampleEntry {
  return {
    ...{ index, user_key: key, chat_id, note, key_expires, executions: entry.executions },
    blacklisted: entry.blacklisted === 1,
    paused: entry.paused_at !== null,
  }
}

function answerOf(imported: number, skipped: Skipped[], { from, mapped, unknown }: ListedEntries): Imported {
  return {
    ...{ imported, skipped: skipped.length, skipped_entries: skipped.slice(0, MAX_REPORTED) },
    ...(from === undefined ? {} : { from, mapped }),
    ...(unknown === undefined ? {} : { unknown_members: [...unknown] }),
  }
}

/** Returns the terms that the plan gives to entries without their own. */
async function termsFor(
  { db, now }: Deps,
  { project }: ProjectSubject,
  { plan_id }: ImportOrder,
): Promise<TermsColumns | Refused<'invalid_request'>> {
  return plan_id ? db.transaction((tx) => newTerms(tx, project, { plan_id }, now())) : NO_TERMS
}

/** Generates a key in the project's format for entries without one. */
function withKey({ random }: Deps, { key_format }: ProjectRow): (entry: Placed) => Keyed {
  return (entry) => ({ ...entry, key: entry.key ?? newKey(random, key_format) })
}

/** The entry's own terms take precedence over those of the plan. */
function withTerms(terms: TermsColumns): (entry: Placed) => Placed {
  const { plan_id } = terms
  return (entry) => {
    if (plan_id === null || entry.clock_basis !== null) return { ...entry, plan_id }
    if (entry.key_expires !== null) return { ...entry, plan_id, clock_basis: 'none' }
    const { key_expires, clock_began, clock_waits } = terms
    return { ...entry, plan_id, key_expires, clock_began, clock_waits }
  }
}

async function reportImport(
  deps: Deps,
  tx: Queries,
  { project }: ProjectSubject,
  answer: Imported,
): Promise<Imported> {
  deps.annotateAudit({ count: answer.imported })
  const data = { actor: 'owner', imported: answer.imported, skipped: answer.skipped } as const
  await addEvent(tx, deps, { type: 'users.imported', project_id: project.id, data })
  return answer
}

function refuseGiven(
  { config: { importLimit }, now }: Deps,
  { customer }: ProjectSubject,
  { count }: ListedEntries,
): GivenRefused | undefined {
  if (isAccountExpired(customer, now())) return refuse('account_expired')
  if (count === 0) return refuse('no_users_given')
  return count > importLimit ? refuseCall('too_many_users_to_import', importLimit) : undefined
}

/**
 * Rejects a list that is too long before anything is written. Reads at most as many entries as the service
 * tier has room for.
 */
async function isMoreThanPlaces(deps: Deps, subject: ProjectSubject, list: MadeList): Promise<boolean> {
  const places = await countPlaces(deps, subject, undefined)
  if (!Number.isFinite(places)) return false
  let count = 0
  for await (const { valid } of sortAll(deps, subject.project, list)) {
    count += valid.length
    if (count > places) return true
  }
  return count > places
}

/** Processes all entries slice by slice, and lets other requests run between slices. */
async function* sortAll(
  { db: { read } }: Deps,
  project: ProjectRow,
  { entries, maker }: MadeList,
): AsyncGenerator<Sorted> {
  const from = { db: read, project, maker }
  const taken: Taken = { keys: new Set(), chats: new Set() }
  for (let start = 0; start < entries.count; start += SLICE) {
    const end = Math.min(start + SLICE, entries.count)
    yield await sortEntries(from, { entries, start, end }, taken)
    await setImmediate()
  }
}

type Given = Part & Pick<ImportOrder, 'entries'>
type Taken = { readonly keys: Set<string>; readonly chats: Set<string> }
type Placed = Entry & { readonly index: number }
type Keyed = Placed & { readonly key: string }
type Sorted = { readonly valid: readonly Placed[]; readonly skipped: Skipped[] }
type Lookup = { readonly db: Queries; readonly project: ProjectRow; readonly maker: Maker | undefined }
type MadeList = { readonly entries: ListedEntries; readonly maker: Maker | undefined }

/**
 * Decides which entries can become users. `taken` must contain the earlier entries that aren't in the
 * database yet. This function adds to it.
 */
async function sortEntries(
  { db, project, maker }: Lookup,
  { entries, start, end }: Given,
  taken: Taken,
): Promise<Sorted> {
  const read = entriesBetween(entries, start, end)
  const readable = read.filter((entry) => typeof entry !== 'string')
  const keys = readable.flatMap(({ key }) => key ?? [])
  const chats = readable.flatMap(({ chat_id }) => chat_id ?? [])
  for (const key of await listTakenKeys(db, project.customer_id, keys)) taken.keys.add(key)
  for (const chat of await listTakenChats(db, project.id, chats)) taken.chats.add(chat)
  const valid: Placed[] = []
  const skipped: Skipped[] = []
  for (const [offset, entry] of read.entries()) {
    const invalid =
      typeof entry === 'string' ? entry : (refuseUngranted(entry, maker) ?? refuseMistaken(entry, project))
    if (invalid !== undefined) skipped.push({ index: start + offset, type: 'invalid', reason: invalid })
    else if (typeof entry !== 'string') {
      const skip = refuseTaken(entry, taken)
      if (skip) skipped.push({ index: start + offset, ...skip })
      else valid.push({ ...entry, index: start + offset })
    }
  }
  return { valid, skipped }
}

function refuseMistaken({ key }: Entry, { key_format }: ProjectRow): string | undefined {
  if (key === null || key_format === null || !isMistaken(key_format, key)) return undefined
  return "key: matches the project's key format but has a wrong check character, so loaders would treat it as a typo"
}

function refuseTaken({ key, chat_id }: Entry, { keys, chats }: Taken): Skip | undefined {
  if (key !== null && keys.has(key)) return { type: 'key_taken', reason: 'key: is already taken' }
  if (chat_id !== null && chats.has(chat_id))
    return { type: 'chat_id_taken', reason: 'chat_id: is already linked to another user in the project' }
  if (key !== null) keys.add(key)
  if (chat_id !== null) chats.add(chat_id)
  return undefined
}

async function insertEntries(
  deps: Deps,
  tx: Queries,
  place: NewUsers,
  entries: readonly Keyed[],
): Promise<string[]> {
  const pepper = deps.secrets.fingerprintPepper
  const users: ListedUser[] = []
  const devices: ListedDevice[] = []
  const fingerprints: Required<NewUserFingerprint>[] = []
  for (const { fingerprint, index: _, ...entry } of entries) {
    const { key } = entry
    const device = fingerprint === null ? undefined : importDevice(pepper, place.projectId, fingerprint)
    const columns = bound(device, entry.executor)
    users.push({ ...entry, ...columns })
    if (!device) continue
    const owner = { project_id: place.projectId, user_key: key }
    const id = newId('dev', place.createdAt, deps.random)
    devices.push({ ...owner, id, display: columns.fingerprint_display, bound_at: place.createdAt })
    fingerprints.push(...device.components.map((one) => ({ ...owner, ...one, device: id })))
  }
  await insertUsers(tx, place, users)
  await insertListedDevices(tx, devices)
  await insertListedFingerprints(tx, fingerprints)
  return users.map(({ key }) => key)
}

/** The IP address of an imported device is unknown. */
function bound(device: Device | undefined, executor: string | null) {
  if (!device) return { fingerprint_assigned: 0, fingerprint_display: null } as const
  const { fingerprint, executor: masked } = maskDevice(device, '', executor ?? '')
  const display = executor === null ? { fingerprint } : { fingerprint, executor: masked }
  return { fingerprint_assigned: 1, fingerprint_display: JSON.stringify(display) } as const
}
