/**
 * Processes a denied execution: sends the reason to the client, counts wrong keys, and informs the author by
 * webhook and in a list. The number of attempts is unlimited, so webhooks and list entries are rate-limited
 * per project or user. The list also has a maximum size and age. Denials that are not listed are counted.
 */
import { DENIALS, type Denial, type DenialReason, denial, type Hello } from '@scriptward/client/messages'
import { toB64u } from '@scriptward/client/wire'
import { isForeignKeyViolation } from '../../../database/engine/dialect.ts'
import type { Deps } from '../../../deps.ts'
import { countWrongKey, isGiven } from '../../abuse/attempts.ts'
import { findAdUrl } from '../../ads/urls.ts'
import { type ClientTraits, type Device, maskDevice, readDevice } from '../../devices/device-data.ts'
import type { UserRow } from '../../keys/store/users.ts'
import { findPlanOf, type PlanRow } from '../../plans/store.ts'
import type { ProjectRow } from '../../projects/store/projects.ts'
import type { RunnableRow } from '../../scripts/store/runnable-scripts.ts'
import { addEvent } from '../../webhooks/events/events.ts'
import {
  type Attempt,
  describeExecution,
  executorOf,
  executorVersion,
  type ReportedExecution,
} from '../facts.ts'
import { reportMetLimit } from '../limit-events.ts'
import {
  type DenialRow,
  type DeniedOne,
  deleteSurplusDenials,
  insertDenial,
  listDenials,
  listExecutorsWithoutDevice,
  type NewDenial,
  updateRepeatedDenial,
} from '../store/denials.ts'
import { type DeniedRow, insertDeniedRow } from '../store/execution-log.ts'
import type { Denied } from '../verdict.ts'
import { linkOf, withLink } from './denial-links.ts'
import { type DeniedHost, languageOf, wordDenial } from './denial-words.ts'

/** An attempt denied by `verdict.ts`. */
export type DeniedExecution = {
  readonly verdict: Denied
  readonly attempt: Attempt
  readonly user: UserRow | null
}

/** A hello that was denied before the data for a verdict was gathered. */
export type UnjudgedHello = {
  readonly hello: Hello
  readonly script: RunnableRow | null
  readonly user: UserRow | null
  readonly traits: ClientTraits
  readonly address: string
}

/** Maximum number of listed denials per user. */
const MAX_OF_USER = 50
/** Maximum number of listed denials without a valid key, per project. */
const MAX_OF_PROJECT = 200
const MAX_EXECUTORS = 50
/** The stored value of a denial that occurred because Discord didn't respond to a membership lookup. */
export const UNREACHABLE_VALUE = 'Discord unreachable'
export const DENIAL_RETENTION_MS = 30 * 86_400_000

/** Records the denial and returns the answer for the client. */
export async function settleDenial(deps: Deps, denied: DeniedExecution, address: string): Promise<Denial> {
  const answer = await describeAnswer(deps, denied)
  const { attempt, user } = denied
  const { script, hello } = attempt
  if (answer.reason === 'invalid_key')
    await countWrongKey(deps, { key: hello.key, isKnownKey: user !== null }, address)
  if (script === null) return answer
  deps.outcomes.countOutcome({ script, outcome: answer.reason, now: attempt.now })
  if (user && answer.reason === 'fingerprint_mismatch')
    deps.keyUses.noteRefused(user, { address, now: attempt.now, device: attempt.guest })
  await reportDenial(deps, { attempt, script, user, address, exec: null }, answer)
  await recordDenial(deps, { attempt, script, user, address }, answer)
  return answer
}

/** Lists a rate-limited attempt. No webhook event is sent for it. */
export async function settleLimited(deps: Deps, limited: UnjudgedHello, answer: Denial): Promise<Denial> {
  const { hello, script, user, traits, address } = limited
  const now = deps.now()
  const host = hostOf(hello, now)
  if (!script) return wordDenial(answer, host)
  deps.outcomes.countOutcome({ script, outcome: answer.reason, now })
  const device = readDevice(deps.secrets.fingerprintPepper, { hello, traits, projectId: script.project_id })
  await recordDenial(deps, { attempt: { now, hello, device }, script, user, address }, answer)
  return wordDenial(
    withLink(answer, linkOf({ config: deps.config, language: host.language }, script, answer)),
    host,
  )
}

/** Builds the answer with the message, the link, and the script's `silent` flag. */
async function describeAnswer(deps: Deps, { verdict, attempt, user }: DeniedExecution): Promise<Denial> {
  const { reason, extras } = verdict
  const { script, device, hello, now } = attempt
  const host = hostOf(hello, now)
  if (script === null) return wordDenial(denial(reason, extras), host)
  const ad_url = await findAdUrl(deps, reason, { projectId: script.project_id, device, user })
  const silent = script.silent === 1 ? ({ silent: true } as const) : {}
  const answer = denial(reason, { ...extras, ...silent, ...(ad_url === undefined ? {} : { ad_url }) })
  return wordDenial(
    withLink(answer, linkOf({ config: deps.config, language: host.language }, script, answer)),
    host,
  )
}

function hostOf(hello: Hello, now: number): DeniedHost {
  const language = languageOf(hello)
  return { now, language, isKeyGiven: isGiven(hello.key), executor: executorOf(hello), runtime: hello.rt }
}

/** Reports the denial in its own transaction, because a denial changes nothing else. */
async function reportDenial(
  deps: Deps,
  reported: ReportedExecution,
  { code, reason }: Denial,
): Promise<void> {
  const { hears_executions, project_id } = reported.script
  if (hears_executions === 0) return
  const left_out = deps.limits.deniedEvents.count(project_id, reported.attempt.now)
  if (left_out === undefined) return
  const data = { ...describeExecution(reported), denial: { code, reason }, left_out }
  await deps.db.transaction((tx) => addEvent(tx, deps, { type: 'execution.denied', project_id, data }))
}

type RecordedAttempt = {
  readonly attempt: Pick<Attempt, 'now' | 'hello' | 'device'>
  readonly script: RunnableRow
  readonly user: UserRow | null
  readonly address: string
}

async function recordDenial(deps: Deps, denied: RecordedAttempt, answer: Denial): Promise<void> {
  const { attempt, script, user } = denied
  const owner = { project_id: script.project_id, user_key: user?.key ?? null }
  const name = `${owner.project_id} ${owner.user_key ?? ''}`
  const left_out = deps.limits.deniedRecords.count(name, attempt.now)
  if (left_out === undefined) return
  const plan = user && answer.reason === 'max_executions' ? await findPlanOf(deps.db.readPoint, user) : null
  const row = { ...owner, ...describeRecord({ ...denied, plan }, answer), left_out }
  try {
    await deps.db.transaction(async (tx) => {
      await write(tx, row)
      await insertDeniedRow(tx, describeDenied(deps, row, attempt.now))
      if (user) await reportMetLimit(tx, deps, user, answer.reason)
    })
  } catch (error) {
    // A foreign key violation means that the denials were removed along with their user or project.
    if (!isForeignKeyViolation(error)) throw error
  }
}

/** Repeated denials share one row of `denials`, but each has its own row in the log. */
function describeDenied({ random }: Pick<Deps, 'random'>, row: RecordedDenial, at: number): DeniedRow {
  const { project_id, script_id, script_version, user_key, executor, runtime } = row
  const { reason, value = null, left_out } = row
  const exec = toB64u(random(16))
  return {
    project_id,
    script_id,
    script_version,
    user_key,
    executor,
    runtime,
    reason,
    value,
    left_out,
    exec,
    at,
  }
}

/** Lists a user's denials, newest first. */
export async function listUserDenials(deps: Deps, { key, project_id }: UserRow) {
  const rows = await listDenials(deps.db.read, { project_id, user_key: key }, MAX_OF_USER)
  return rows.map(describeDenial)
}

/** Lists a project's denials without a valid key, newest first. */
export async function listProjectDenials(deps: Deps, { id }: ProjectRow) {
  const rows = await listDenials(deps.db.read, { project_id: id, user_key: null }, MAX_OF_PROJECT)
  return rows.map(describeDenial)
}

/**
 * Lists executors that can't run scripts because they don't identify the device, sorted by number of affected
 * users, highest first.
 */
export function listAffectedExecutors(deps: Deps, { id }: ProjectRow) {
  return listExecutorsWithoutDevice(deps.db.read, id, MAX_EXECUTORS)
}

type RecordedDenial = NewDenial & DeniedOne & { readonly left_out: number }

async function write(tx: Parameters<typeof insertDenial>[0], row: RecordedDenial): Promise<void> {
  const { project_id, user_key, left_out, allowed_at = null, last_at } = row
  const owner = { project_id, user_key }
  const [newest] = await listDenials(tx, owner, 1)
  if (newest && isSame(newest, row)) {
    await updateRepeatedDenial(tx, { seq: newest.seq, left_out, allowed_at, last_at })
    return
  }
  await insertDenial(tx, row)
  await deleteSurplusDenials(tx, owner, user_key === null ? MAX_OF_PROJECT : MAX_OF_USER)
}

const SAME: readonly (keyof DenialRow & keyof NewDenial)[] = [
  ...(['script_id', 'script_version', 'reason', 'value'] as const),
  ...(['ip', 'fingerprint', 'executor', 'runtime'] as const),
]

function isSame(newest: DenialRow, row: RecordedDenial): boolean {
  return SAME.every((member) => newest[member] === row[member])
}

function describeRecord(denied: ShownAttempt, answer: Denial) {
  const { attempt, script, address } = denied
  const { now, hello, device } = attempt
  const executor = executorOf(hello)
  const { ip, fingerprint } = maskDevice(device, address, executor)
  return {
    script_id: script.id,
    script_version: script.version,
    reason: answer.reason,
    value: VALUES[answer.reason]?.(denied, answer) ?? null,
    allowed_at: allowedAt(answer, now),
    ...{ ip, fingerprint, executor, runtime: hello.rt },
    ...{ first_at: now, last_at: now },
  }
}

/** Null if waiting doesn't help. */
function allowedAt({ retry_after, details }: Denial, now: number): number | null {
  if (retry_after !== undefined) return now + retry_after * 1000
  const { reset_available_at, blacklist_expires, resets_at, starts_at } = details ?? {}
  const at = reset_available_at ?? blacklist_expires ?? resets_at ?? starts_at
  return typeof at === 'number' ? at : null
}

/** `plan` is read only for limits that the plan may set. */
type ShownAttempt = RecordedAttempt & { readonly plan: PlanRow | null }
type ShownValue = (denied: ShownAttempt, answer: Denial) => string | null

/**
 * The value that each check rejected. Only the first few characters of a key are stored, which is enough for
 * the key's owner to spot a typo.
 */
const VALUES: Readonly<Partial<Record<DenialReason, ShownValue>>> = {
  outdated_loader: ({ attempt }) => `loader build ${attempt.hello.lb}`,
  invalid_key: ({ attempt }) => maskKey(attempt.hello.key),
  key_expired: ({ user }) => isoOf(user?.key_expires),
  blacklisted: (_, { details }) => textOrNull(details?.blacklist_reason),
  executor_not_allowed: ({ attempt }) => versionText(attempt),
  fingerprint_mismatch: ({ attempt }) => fingerprintOf(attempt.device),
  fingerprint_missing: ({ attempt }) => namesOf(attempt.device),
  fingerprint_ambiguous: ({ attempt }) => namesOf(attempt.device),
  join_required: ({ user }, { details }) =>
    details?.unreachable ? UNREACHABLE_VALUE : (user?.chat_id ?? null),
  max_executions: ({ user, plan }) =>
    user && `${user.executions} of ${user.max_executions ?? plan?.max_executions}`,
  max_instances: (_, { details }) => `at most ${details?.max}`,
  sessions_required: ({ attempt }) => attempt.hello.rt,
}

function versionText({ hello }: Pick<Attempt, 'hello'>): string {
  const { name, version } = executorVersion(hello)
  return `${name} ${version}`.trim()
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

const MIN_SHOWN_KEY_LENGTH = 16

function maskKey(key: string | null): string {
  if (key === null || key === '') return 'none'
  // A key comes from the client and may contain characters that cannot be stored or displayed.
  const start = key.slice(0, 4).replace(/[^\x21-\x7e]/g, '?')
  return key.length >= MIN_SHOWN_KEY_LENGTH ? `${start}…` : '…'
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

export function describeDenial(row: DenialRow) {
  const { ip, fingerprint, executor, runtime } = row
  const { reason, value, allowed_at, script_id, script_version, count, left_out, first_at, last_at } = row
  return {
    ...{ reason, code: DENIALS[reason].code, value, allowed_at, script_id, script_version },
    client: { ip, fingerprint, executor, runtime },
    ...{ count, left_out, first_at, last_at },
  }
}
