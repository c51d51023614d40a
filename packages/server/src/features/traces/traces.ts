/**
 * Traces a copy of a protected script to the users and devices that received it. Checks the copy against
 * every version of the script, and compares it with the watermark payload of every execution of a matching
 * version.
 */

import { refuseUndone } from '../../api/offloaded.ts'
import { Refused, refuse, refuseMember } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import { bitsOf, keyStreams, type WatermarkKey, watermarkKey } from '../builds/watermark.ts'
import {
  countHolders,
  type ExecutionMarkRow,
  listExecutionMarks,
} from '../executions/store/execution-marks.ts'
import type { ProjectSubject, ScriptSubject } from '../projects/store/subjects.ts'
import { findPayload, listMarkedVersions } from '../scripts/store/script-versions.ts'
import type { ScriptRow } from '../scripts/store/scripts.ts'
import {
  countDeviations,
  countMatches,
  isExecutionKnown,
  isSuspect,
  MIN_SLOTS_READ,
  probabilityOfChance,
  type SplitEvidence,
  splitEvidence,
} from './attribute-leak.ts'
import { NumberEvidence, type NumberMatch, needed } from './number-evidence.ts'
import type { SearchedVersion, VersionReading } from './search-copy.ts'

/** A user or device that received the copy, and the evidence. */
type Accused = {
  readonly user_key: string | null
  readonly version: number
  /** The execution that the copy came from, or null if too many runs are mixed to identify one. */
  readonly execution: string | null
  /** Executor of the execution that best matches the copy. */
  readonly executor: string
  readonly granted_at: number
  readonly matches: number
  readonly deviations: number
  readonly chance: number
}

/** A user or device whose numbers a lifted copy contains. */
type Candidate = {
  readonly user_key: string | null
  readonly version: number
  readonly executor: string
  readonly granted_at: number
  readonly numbers_matched: number
  readonly likelihood: number
  /** Whether the evidence is strong enough to name this user or device. */
  readonly named: boolean
}

/** A version that the submitted text is a copy of. */
type TracedVersion = {
  readonly version: number
  readonly slots: number
  readonly slots_read: number
  /**
   * Number of slots that were read solely from the order of statements and comparisons, which means that the
   * code was lifted.
   */
  readonly slots_lifted: number
  readonly executions: number
  /**
   * `numbers` is how many numbers differ between keys, `numbers_read` is how many of them were read, and
   * `numbers_needed` is how many are needed to identify a key.
   */
  readonly numbers: number
  readonly numbers_read: number
  readonly numbers_needed: number | null
}

export type Trace = {
  readonly versions: TracedVersion[]
  readonly accused: Accused[]
  readonly candidates: Candidate[]
}

/** Maximum number of versions searched, newest first. */
const MAX_VERSIONS = 50
/** Executions per slice. With 100 numbers, a slice blocks the event loop for up to 40 ms. */
const MARKS_BATCH = 1000
const MAX_ACCUSED = 100

/** Maximum length in characters. A few kilobytes of a copy are enough to trace it. */
export const MAX_TEXT = 1_000_000
/**
 * Maximum total size of compressed payloads and slots per job, in bytes. They are copied on the event loop.
 */
const JOB_BYTES = 4 * 1_048_576
/**
 * Time limit for all versions combined. The largest copy takes a twentieth of this time, which leaves room
 * for other load on the machine.
 */
const TRACE_MS = 60_000

/** Seconds after which an account that already has one running and one queued search should retry. */
const BUSY_RETRY_S = 10

export type TraceRefused = Refused<'rate_limited' | 'invalid_request' | 'internal' | 'unavailable'>
/** The copy, and a signal that aborts if the client disconnects. */
export type Leak = { readonly text: string; readonly closed: AbortSignal | undefined }

export async function traceCopy(
  deps: Deps,
  subject: ScriptSubject,
  leak: Leak,
): Promise<Trace | TraceRefused> {
  if (leak.text.length > MAX_TEXT) return refuseMember('text', TOO_LONG)
  const refused = await countTrace(deps, subject.customer.id)
  if (refused) return refused
  return inTurn(deps, subject.customer.id, leak, (until) => searchVersions(deps, subject, { ...leak, until }))
}

/** Counts one trace for the account, whatever it searches. Returns an error if there were too many. */
export async function countTrace(
  { limits, now }: Deps,
  customerId: string,
): Promise<Refused<'rate_limited'> | undefined> {
  const waitMs = await limits.attempts.takeAttempt('trace', customerId, now())
  return waitMs > 0 ? refuse('rate_limited', { retry_after: Math.ceil(waitMs / 1000) }) : undefined
}

export type TracedScript<S> = { readonly script: S; readonly found: Trace }

/**
 * Searches a project's scripts one at a time until a user or device is found. Returns the last script that
 * the text is a copy of, even if nobody was found, or undefined if it is a copy of none. The caller must have
 * called `countTrace`.
 */
export function traceAmong<S extends Pick<ScriptRow, 'id'>>(
  deps: Deps,
  { customer, project, scripts }: ProjectSubject & { readonly scripts: readonly S[] },
  leak: Leak,
): Promise<TracedScript<S> | undefined | TraceRefused> {
  return inTurn(deps, customer.id, leak, async (until) => {
    let copied: TracedScript<S> | undefined
    for (const script of scripts) {
      const found = await searchVersions(deps, { customer, project, script }, { ...leak, until })
      if (found instanceof Refused) return found
      if (found.versions.length > 0) copied = { script, found }
      if (found.accused.length + found.candidates.length > 0) break
    }
    return copied
  })
}

/** Waits until the account has no other search running. */
async function inTurn<T>(
  deps: Deps,
  customerId: string,
  { closed }: Pick<Leak, 'closed'>,
  search: (until: number) => Promise<T>,
): Promise<T | TraceRefused> {
  const queued = await deps.limits.traces.run(customerId, () => search(deps.now() + TRACE_MS), closed)
  return 'done' in queued ? queued.done : refuse('rate_limited', { retry_after: BUSY_RETRY_S })
}

const TOO_LONG = 'must have at most 1,000,000 characters. Send part of the copy; a few kilobytes are enough'
const TOO_SLOW = 'takes too long to compare with the versions of this script. Send a shorter part of the copy'

type Searched = ProjectSubject & { readonly script: Pick<ScriptRow, 'id'> }

async function searchVersions(
  deps: Deps,
  subject: Searched,
  leak: Leak & { readonly until: number },
): Promise<Trace | TraceRefused> {
  const { project, script } = subject
  const key = watermarkKey(deps.secrets.watermarkRoot, project.id)
  const versions: TracedVersion[] = []
  const accused: Accused[] = []
  const candidates: Candidate[] = []
  for await (const batch of batchesOf(deps, script.id)) {
    const readings = await readBatch(deps, subject.customer.id, { ...leak, batch })
    if (readings instanceof Refused) return readings
    for (const one of readings) {
      const found = await traceVersion(deps, { scriptId: script.id, key, ...one })
      if (!found) continue
      versions.push(found.version)
      accused.push(...found.accused)
      candidates.push(...found.candidates)
    }
  }
  return {
    versions,
    accused: accused.sort((a, b) => b.deviations - a.deviations).slice(0, MAX_ACCUSED),
    candidates: candidates.sort((a, b) => b.likelihood - a.likelihood).slice(0, MAX_ACCUSED),
  }
}

/** Yields the stored versions, newest first, in batches for one job each. */
async function* batchesOf({ db }: Deps, scriptId: string): AsyncGenerator<readonly SearchedVersion[]> {
  let batch: SearchedVersion[] = []
  let bytes = 0
  for (const version of await listMarkedVersions(db.read, scriptId, MAX_VERSIONS)) {
    const row = await findPayload(db.read, scriptId, version)
    if (!row) continue
    const { payload, payload_size: size, slots } = row
    batch.push({ version, payload, size, slots })
    bytes += payload.length + slots.length
    if (bytes < JOB_BYTES) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}

type Batch = Leak & { readonly batch: readonly SearchedVersion[]; readonly until: number }

async function readBatch(
  { offload, now }: Deps,
  owner: string,
  { text, batch, closed, until }: Batch,
): Promise<readonly VersionReading[] | TraceRefused> {
  const deadlineMs = until - now()
  if (deadlineMs <= 0) return refuseMember('text', TOO_SLOW)
  const limits = { deadlineMs, signal: closed }
  const outcome = await offload.run(owner, 'searchCopy', { text, versions: batch }, limits)
  return 'done' in outcome ? outcome.done : refuseUndone(outcome, 'text', TOO_SLOW)
}

type Search = VersionReading & { readonly scriptId: string; readonly key: WatermarkKey }

async function traceVersion(deps: Deps, { scriptId, version, key, reading, lifted, numbers }: Search) {
  const evidence = splitEvidence(reading)
  const found = new NumberEvidence(numbers)
  if (evidence.read < MIN_SLOTS_READ && found.read === 0) return undefined
  const slots = reading.length
  const compared = await compare(deps, { scriptId, version, key, slots }, evidence, found)
  const keys = found.read > 0 ? await countHolders(deps.db.read, { script_id: scriptId, version }) : 0
  const candidates = found.matches(keys).map((match) => suspect(match, version))
  if (evidence.read < MIN_SLOTS_READ && candidates.length === 0) return undefined
  const { read } = evidence
  const accused = compared.suspects.map((one) => accuse(one, { version, evidence, ...compared }))
  const { executions } = compared
  const ofNumbers = {
    numbers: numbers.length,
    numbers_read: found.read,
    numbers_needed: found.read > 0 ? needed(numbers, keys) : null,
  }
  return {
    version: { version, slots, slots_read: read, slots_lifted: lifted, executions, ...ofNumbers },
    accused,
    candidates,
  }
}

function suspect({ row, matched, likelihood, isNamed }: NumberMatch, version: number): Candidate {
  const { user_key, executor, granted_at } = row
  return {
    user_key,
    version,
    executor,
    granted_at,
    numbers_matched: matched,
    // The result is rounded down, because no trace is certain.
    likelihood: Math.floor(likelihood * 1e6) / 1e6,
    named: isNamed,
  }
}

/**
 * The best-matching execution of a user or device, with its matches in all slots and in the slots that
 * identify executions.
 */
type Suspect = { readonly row: ExecutionMarkRow; readonly matches: number; readonly own: number }
type Compared = { readonly version: number; readonly evidence: SplitEvidence; readonly executions: number }

function accuse({ row, matches, own }: Suspect, { version, evidence, executions }: Compared): Accused {
  const { user_key, exec, executor, granted_at } = row
  return {
    user_key,
    version,
    execution: isExecutionKnown(evidence, own, executions) ? exec : null,
    executor,
    granted_at,
    matches,
    deviations: round(countDeviations(evidence, matches)),
    chance: probabilityOfChance(evidence, matches, executions),
  }
}

/**
 * Works in slices, and lets other requests run between slices, because there may be millions of executions.
 */
async function compare(
  deps: Deps,
  {
    scriptId,
    version,
    key,
    slots,
  }: Omit<Search, 'reading' | 'lifted' | 'numbers'> & { readonly slots: number },
  evidence: SplitEvidence,
  numbers: NumberEvidence,
): Promise<{ executions: number; suspects: Suspect[] }> {
  const suspects = new Map<string, Suspect>()
  let executions = 0
  for (let after = 0; ; ) {
    const page = { after, limit: MARKS_BATCH }
    const rows = await listExecutionMarks(deps.db.read, { script_id: scriptId, version }, page)
    for (const one of matchAll(rows, { key, slots, evidence, numbers })) {
      const { holder } = one.row
      const former = suspects.get(holder)?.matches ?? 0
      if (isSuspect(evidence, one.matches) && one.matches > former) suspects.set(holder, one)
    }
    executions += rows.length
    if (rows.length < MARKS_BATCH) return { executions, suspects: [...suspects.values()] }
    after = rows.at(-1)?.seq ?? after
    await new Promise(setImmediate)
  }
}

type Matching = { readonly key: WatermarkKey; readonly slots: number; readonly evidence: SplitEvidence } & {
  readonly numbers: NumberEvidence
}

function matchAll(rows: readonly ExecutionMarkRow[], { key, slots, evidence, numbers }: Matching): Suspect[] {
  const last = new Map(rows.map((row) => [row.holder, row]))
  const holders = [...last.keys()]
  const words = keyStreams(key, holders, bitsOf(slots, numbers.count))
  holders.forEach((holder, i) => {
    numbers.compare(last.get(holder) as ExecutionMarkRow, words[i] as Uint32Array, slots)
  })
  const shared = new Map(
    holders.map((holder, i) => [holder, countMatches(evidence.ofHolder, words[i] as Uint32Array)]),
  )
  const execs = rows.map(({ exec }) => exec)
  const streams = keyStreams(key, execs, Math.ceil(slots / 8))
  return rows.map((row, i) => {
    const own = countMatches(evidence.ofExecution, streams[i] as Uint32Array)
    return { row, own, matches: (shared.get(row.holder) ?? 0) + own }
  })
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
