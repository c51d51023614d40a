/**
 * Why executions were denied, kept for the author: which check said no, what it looked at, and from when on the same
 * attempt may succeed. Anybody can be denied as often as he pleases, so what is kept of one user or project is bounded in
 * number, in age and in how fast it is written; what is left out is counted.
 */
import { DENIALS, type Denial, type DenialReason, type Hello } from '@scriptward/client/messages'
import type { Deps } from '../deps.ts'
import {
  type DenialRow,
  type DeniedOne,
  deleteSurplusDenials,
  insertDenial,
  listDenials,
  type NewDenial,
  updateRepeatedDenial,
} from '../store/denials.ts'
import { isForeignKeyViolation } from '../store/dialect.ts'
import { findRunnable, type RunnableRow } from '../store/executions.ts'
import type { ProjectRow } from '../store/projects.ts'
import type { UserRow } from '../store/users.ts'
import { type Device, type Headers, maskDevice, readDevice } from './device.ts'
import { type Attempt, executorOf, findKeyUser } from './execution-facts.ts'

/** An attempt that was denied, with what is known of who made it. */
export type DeniedAttempt = {
  readonly attempt: Pick<Attempt, 'now' | 'hello' | 'device'>
  readonly script: RunnableRow
  readonly user: UserRow | null
  readonly address: string
}

export type Presented = { readonly hello: Hello; readonly headers: Headers; readonly address: string }

/** Newest denials that are kept of one user. */
export const KEPT_OF_USER = 50
/** The same of a project's attempts without the key of a user. */
export const KEPT_OF_PROJECT = 200
export const DENIAL_KEPT_MS = 30 * 86_400_000

export async function recordDenial(deps: Deps, denied: DeniedAttempt, denial: Denial): Promise<void> {
  const { attempt, script, user } = denied
  const owner = { project_id: script.project_id, user_key: user?.key ?? null }
  const left_out = deps.protocol.denialRecords.take(owner.user_key ?? owner.project_id, attempt.now)
  if (left_out === undefined) return
  const row = { ...owner, ...describe(denied, denial), left_out }
  try {
    await deps.db.transaction((tx) => write(tx, row))
  } catch (error) {
    // The user or the project was removed in between, and nobody is left to be told.
    if (!isForeignKeyViolation(error)) throw error
  }
}

/** A denial that was made before anybody was looked up. */
export async function recordLimited(deps: Deps, presented: Presented, denial: Denial): Promise<void> {
  const { hello, headers, address } = presented
  const script = await findRunnable(deps.db.readPoint, hello.script)
  if (!script) return
  const user = await findKeyUser(deps.db.readPoint, script, hello.key)
  const { keyring } = deps.protocol
  const device = readDevice(keyring.fingerprintPepper, { hello, headers, projectId: script.project_id })
  await recordDenial(deps, { attempt: { now: deps.now(), hello, device }, script, user, address }, denial)
}

/** Newest first. */
export async function listUserDenials(deps: Deps, { key, project_id }: UserRow) {
  const rows = await listDenials(deps.db.read, { project_id, user_key: key }, KEPT_OF_USER)
  return rows.map(describeDenial)
}

/** Those of attempts that came without the key of a user. Newest first. */
export async function listProjectDenials(deps: Deps, { id }: ProjectRow) {
  const rows = await listDenials(deps.db.read, { project_id: id, user_key: null }, KEPT_OF_PROJECT)
  return rows.map(describeDenial)
}

type Written = NewDenial & DeniedOne & { readonly left_out: number }

async function write(tx: Parameters<typeof insertDenial>[0], row: Written): Promise<void> {
  const { project_id, user_key, left_out, allowed_at = null, last_at } = row
  const owner = { project_id, user_key }
  const [newest] = await listDenials(tx, owner, 1)
  if (newest && isSame(newest, row)) {
    await updateRepeatedDenial(tx, { seq: newest.seq, left_out, allowed_at, last_at })
    return
  }
  await insertDenial(tx, row)
  await deleteSurplusDenials(tx, owner, user_key === null ? KEPT_OF_PROJECT : KEPT_OF_USER)
}

const SAME: readonly (keyof DenialRow & keyof NewDenial)[] = [
  ...(['script_id', 'script_version', 'reason', 'value'] as const),
  ...(['ip', 'fingerprint', 'executor', 'runtime'] as const),
]

function isSame(newest: DenialRow, row: Written): boolean {
  return SAME.every((member) => newest[member] === row[member])
}

function describe(denied: DeniedAttempt, denial: Denial) {
  const { attempt, script, address } = denied
  const { now, hello, device } = attempt
  const executor = executorOf(hello)
  const { ip, fingerprint } = maskDevice(device, address, executor)
  return {
    script_id: script.id,
    script_version: script.version,
    reason: denial.reason,
    value: VALUES[denial.reason]?.(denied) ?? null,
    allowed_at: allowedAt(denial, now),
    ...{ ip, fingerprint, executor, runtime: hello.rt },
    ...{ first_at: now, last_at: now },
  }
}

/** Null when it is not time alone that stands in the way. */
function allowedAt({ retry_after, details }: Denial, now: number): number | null {
  if (retry_after !== undefined) return now + retry_after * 1000
  const at = details?.reset_available_at ?? details?.blacklist_expires
  return typeof at === 'number' ? at : null
}

type Value = (denied: DeniedAttempt) => string | null

/** What each check looked at. Of a key no more is kept than its owner needs to see that it was mistyped. */
const VALUES: Readonly<Partial<Record<DenialReason, Value>>> = {
  outdated_loader: ({ attempt }) => `loader build ${attempt.hello.lb}`,
  invalid_key: ({ attempt }) => maskKey(attempt.hello.key),
  key_expired: ({ user }) => isoOf(user?.key_expires),
  blacklisted: ({ user }) => user?.blacklist_reason ?? null,
  fingerprint_mismatch: ({ attempt }) => fingerprintOf(attempt.device),
  fingerprint_missing: ({ attempt }) => namesOf(attempt.device),
  fingerprint_ambiguous: ({ attempt }) => namesOf(attempt.device),
  join_required: ({ user }) => user?.chat_id ?? null,
  max_executions: ({ user }) => user && `${user.executions} of ${user.max_executions}`,
  max_instances: ({ user }) => user && `at most ${user.max_instances}`,
  sessions_required: ({ attempt }) => attempt.hello.rt,
}

const SHORTEST_SHOWN_KEY = 16

function maskKey(key: string | null): string {
  if (key === null || key === '') return 'none'
  // Keys come from the wire, so that what is shown of one must be fit for every database and screen.
  const start = key.slice(0, 4).replace(/[^\x21-\x7e]/g, '?')
  return key.length >= SHORTEST_SHOWN_KEY ? `${start}…` : '…'
}

function isoOf(time: number | null | undefined): string | null {
  return typeof time === 'number' ? new Date(time).toISOString() : null
}

function fingerprintOf(device: Device): string {
  return maskDevice(device, '', '').fingerprint
}

function namesOf({ components }: Device): string {
  return components.map(({ component }) => component).join(', ') || 'none'
}

function describeDenial(row: DenialRow) {
  const { ip, fingerprint, executor, runtime } = row
  const { reason, value, allowed_at, script_id, script_version, count, left_out, first_at, last_at } = row
  return {
    ...{ reason, code: DENIALS[reason].code, value, allowed_at, script_id, script_version },
    client: { ip, fingerprint, executor, runtime },
    ...{ count, left_out, first_at, last_at },
  }
}
