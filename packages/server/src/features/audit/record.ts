/**
 * Writes a change's audit entry in the same transaction as the change. All requests and operator commands go
 * through this module, so no endpoint can omit the entry.
 */

import { newId } from '../../api/ids.ts'
import { Refused } from '../../api/refusals.ts'
import type { Database, Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { prefixOf } from '../../platform/limits/networks.ts'
import { changesBetween } from './changes.ts'
import type { Actor, Deed, Note } from './entry.ts'
import { type Keyed, macOfEntry } from './mac.ts'
import { masked } from './mask.ts'
import {
  findAuditEntry,
  insertAuditEntry,
  type NewAuditEntry,
  updateAuditCount,
} from './store/audit-entries.ts'
import { nameSubject } from './subject.ts'

export type Recording = {
  /** Dependencies to pass to the change. With them, the change's first transaction also writes the entry. */
  readonly deps: Deps
  /**
   * Call this after the change has succeeded. Writes the entry if the change needed no transaction, updates
   * the count, and returns the note.
   */
  finish(): Promise<Note>
}

/** A request without credentials gets an entry only if its note sets the actor. */
export function recordingOf(deps: Deps, deed: Deed): Recording {
  let id: string | undefined
  let noted: Note = {}
  let isWritten = false
  const write = async (tx: Queries) => {
    const actor = noted.actor ?? deed.actor
    if (actor === undefined) return
    id = newId('aud', deps.now(), deps.random)
    await writeEntry(tx, deps, rowOf(deps, id, { ...deed, actor }, noted))
  }
  const within = async <T>(tx: Queries, change: (tx: Queries) => Promise<T>): Promise<T> => {
    const value = await change(tx)
    if (!isWritten && !(value instanceof Refused)) await write(tx)
    return value
  }
  const done = <T>(value: T): T => {
    if (!(value instanceof Refused)) isWritten = id !== undefined
    return value
  }
  const db: Database = {
    ...deps.db,
    transaction: (change) => deps.db.transaction((tx) => within(tx, change)).then(done),
    bulk: (change) => deps.db.bulk((tx) => within(tx, change)).then(done),
  }
  const annotateAudit = (more: Note) => {
    noted = { ...noted, ...more, nouns: { ...noted.nouns, ...more.nouns } }
  }
  const finish = async () => {
    const { count } = noted
    if (!isWritten) await deps.db.transaction(write)
    else if (count !== undefined && id !== undefined) await countLater(deps, id, count)
    return noted
  }
  const author = deed.actor && { author: deed.actor }
  return { deps: { ...deps, ...author, db, annotateAudit }, finish }
}

type Entry = Omit<NewAuditEntry, 'seal'>

export async function writeEntry(tx: Queries, keyed: Keyed, row: Entry): Promise<void> {
  await insertAuditEntry(tx, { ...row, seal: macOfEntry(keyed, row) })
}

/** Does nothing if the entry has already been deleted because of its age. */
export async function countLater(deps: Keyed & Pick<Deps, 'db'>, id: string, count: number): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const row = await findAuditEntry(tx, id)
    if (row) await updateAuditCount(tx, id, { count, seal: macOfEntry(deps, { ...row, count }) })
  })
}

function rowOf(deps: Deps, id: string, deed: Deed & { readonly actor: Actor }, noted: Note) {
  const { actor } = deed
  const customerId = noted.customerId ?? deed.customerId ?? ''
  const nouns = { ...deed.nouns, ...noted.nouns }
  return {
    id,
    customer_id: customerId,
    created_at: deps.now(),
    actor_kind: actor.kind,
    actor_id: actor.id,
    actor_name: actor.name,
    network: networkFor(deps, deed.address),
    request_id: deed.requestId,
    action: deed.action,
    nouns: JSON.stringify({ ...masked(nouns), ...subjectOf(deps, customerId, nouns) }),
    changes: JSON.stringify(changesBetween(noted.before ?? deed.before, deed.body, noted.isNullValue)),
    count: noted.count ?? null,
  }
}

function subjectOf(deps: Deps, customerId: string, { user_key }: Readonly<Record<string, string>>) {
  return user_key === undefined ? {} : { user: nameSubject(deps.secrets, customerId, user_key) }
}

export function networkFor({ config }: Pick<Deps, 'config'>, address: string | undefined): string | null {
  if (address === undefined || config.auditAddresses === 'none') return null
  return config.auditAddresses === 'whole' ? address : prefixOf(address)
}

/** A job's change to one account, made in a single transaction. */
export type JobDeed = {
  readonly customerId: string
  readonly job: string
  readonly nouns: Readonly<Record<string, string>>
  /** Number of rows that the job changed. */
  readonly count: number
  readonly now: number
}

export async function recordJob(
  tx: Queries,
  deps: Pick<Deps, 'random'> & Keyed,
  { customerId, job, nouns, count, now }: JobDeed,
): Promise<void> {
  await writeEntry(tx, deps, {
    id: newId('aud', now, deps.random),
    customer_id: customerId,
    created_at: now,
    actor_kind: 'job',
    actor_id: null,
    actor_name: job,
    network: null,
    request_id: '',
    action: job,
    nouns: JSON.stringify(nouns),
    changes: '{}',
    count,
  })
}
