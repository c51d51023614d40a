/**
 * Writes the audit entry of a change into the transaction of that change. Everything that changes something for a request
 * or an operator's command goes through here, so no endpoint can forget it.
 */
import type { Deps } from '../../deps.ts'
import type { Database, Queries } from '../../store/engine/db.ts'
import { insertAuditEntry, updateAuditCount } from '../../store/tables/audit-entries.ts'
import { newId } from '../ids.ts'
import { Refused } from '../refusals.ts'
import type { Deed, Note } from './entry.ts'

export type Recording = {
  /** For the change: its first transaction also writes the entry. */
  readonly deps: Deps
  /** After the change succeeded: writes the entry of a change that needed no transaction, and its count. */
  finish(): Promise<void>
}

export function recordingOf(deps: Deps, deed: Deed): Recording {
  const id = newId('aud', deps.now(), deps.random)
  let noted: Note = {}
  let isWritten = false
  const write = (tx: Queries) => insertAuditEntry(tx, rowOf(deps, { ...deed, id }, noted))
  const within = async <T>(tx: Queries, change: (tx: Queries) => Promise<T>): Promise<T> => {
    const value = await change(tx)
    if (!isWritten && !(value instanceof Refused)) await write(tx)
    return value
  }
  const done = <T>(value: T): T => {
    if (!(value instanceof Refused)) isWritten = true
    return value
  }
  const db: Database = {
    ...deps.db,
    transaction: (change) => deps.db.transaction((tx) => within(tx, change)).then(done),
    bulk: (change) => deps.db.bulk((tx) => within(tx, change)).then(done),
  }
  const note = (more: Note) => {
    noted = { ...noted, ...more, nouns: { ...noted.nouns, ...more.nouns } }
  }
  const finish = async () => {
    if (!isWritten) await deps.db.transaction(write)
    else if (noted.count !== undefined) await countLater(deps, id, noted.count)
  }
  return { deps: { ...deps, db, note }, finish }
}

async function countLater({ db }: Deps, id: string, count: number): Promise<void> {
  await db.transaction((tx) => updateAuditCount(tx, id, count))
}

function rowOf(deps: Deps, { id, ...deed }: Deed & { readonly id: string }, noted: Note) {
  const actor = noted.actor ?? deed.actor
  return {
    id,
    customer_id: noted.customerId ?? deed.customerId ?? '',
    created_at: deps.now(),
    actor_kind: actor.kind,
    actor_id: actor.id,
    actor_name: actor.name,
    network: deed.address ?? null,
    request_id: deed.requestId,
    action: deed.action,
    nouns: JSON.stringify({ ...deed.nouns, ...noted.nouns }),
    changes: JSON.stringify(deed.changes),
    count: noted.count ?? null,
  }
}
