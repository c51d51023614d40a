/**
 * Traces a copy of a protected script to the users and devices that it was served to: every version of the script is
 * searched for in the text, and the code word of every execution of a found version is compared with it.
 */
import { readOrder, readText } from '@scriptward/obfuscator'
import type { Deps } from '../../deps.ts'
import { unpack } from '../../obfuscation/lz4.ts'
import { keyStreams, type WatermarkKey, watermarkKey } from '../../obfuscation/watermark.ts'
import { type ExecutionMarkRow, listExecutionMarks } from '../../store/tables/execution-marks.ts'
import { findPayload, listMarkedVersions } from '../../store/tables/script-versions.ts'
import type { ScriptSubject } from '../../store/tables/subjects.ts'
import { readOrders, readSlots } from '../payloads.ts'
import { type Refused, refuse } from '../refusals.ts'
import {
  chanceOf,
  countMatches,
  deviationsOf,
  isExecutionKnown,
  isSuspect,
  MIN_SLOTS_READ,
  type SplitEvidence,
  splitEvidence,
} from './attribute-leak.ts'
import { readMarks, withOrder } from './decode-watermark.ts'

/** A user or device that the text was served to, and what supports that. */
type Accused = {
  readonly user_key: string | null
  readonly version: number
  /** The execution that the text was taken from; null when it mixes too many runs to tell. */
  readonly execution: string | null
  /** Of the execution that agrees best with the text. */
  readonly executor: string
  readonly granted_at: number
  readonly matches: number
  readonly deviations: number
  readonly chance: number
}

/** A version that the text is a copy of. */
type TracedVersion = {
  readonly version: number
  readonly slots: number
  readonly slots_read: number
  /** Of those, slots that only the order of statements and comparisons told: the text was lifted. */
  readonly slots_lifted: number
  readonly executions: number
}

export type Trace = { readonly versions: readonly TracedVersion[]; readonly accused: readonly Accused[] }

/** Newer versions are looked for first. */
const MAX_VERSIONS = 50
const MARKS_BATCH = 2000
const MAX_ACCUSED = 100

/** Seconds until a customer should retry who has a search running and another one waiting. */
const BUSY_RETRY_S = 10

export async function traceCopy(
  deps: Deps,
  subject: ScriptSubject,
  text: string,
): Promise<Trace | Refused<'rate_limited'>> {
  const { id } = subject.customer
  const waitMs = await deps.limits.attempts.takeAttempt('trace', id, deps.now())
  if (waitMs > 0) return refuse('rate_limited', { retry_after: Math.ceil(waitMs / 1000) })
  const queued = await deps.limits.traces.run(id, () => searchVersions(deps, subject, text))
  return 'done' in queued ? queued.done : refuse('rate_limited', { retry_after: BUSY_RETRY_S })
}

async function searchVersions(deps: Deps, { project, script }: ScriptSubject, text: string): Promise<Trace> {
  const key = watermarkKey(deps.secrets.watermarkRoot, project.id)
  const tokens = readText(Buffer.from(text).toString('latin1'))
  const versions: TracedVersion[] = []
  const accused: Accused[] = []
  for (const version of await listMarkedVersions(deps.db.read, script.id, MAX_VERSIONS)) {
    const found = await traceVersion(deps, { scriptId: script.id, version, key, text, tokens })
    if (!found) continue
    versions.push(found.version)
    accused.push(...found.accused)
  }
  return { versions, accused: accused.sort((a, b) => b.deviations - a.deviations).slice(0, MAX_ACCUSED) }
}

type Search = {
  readonly scriptId: string
  readonly version: number
  readonly key: WatermarkKey
  readonly text: string
  /** Of the text, for what is left of it after lifting. */
  readonly tokens: readonly number[]
}

async function traceVersion(deps: Deps, { scriptId, version, key, text, tokens }: Search) {
  const row = await findPayload(deps.db.read, scriptId, version)
  if (!row) return undefined
  const slots = readSlots(row.slots)
  const numbers = readMarks(text, unpack(row.payload, row.payload_size), slots)
  const reading = withOrder(numbers, readOrder(tokens, readOrders(row.slots)))
  const evidence = splitEvidence(reading)
  if (evidence.read < MIN_SLOTS_READ) return undefined
  const compared = await compare(deps, { scriptId, version, key, slots: slots.length }, evidence)
  const { read } = evidence
  const accused = compared.suspects.map((suspect) => accuse(suspect, { version, evidence, ...compared }))
  return {
    version: {
      version,
      slots: slots.length,
      slots_read: read,
      slots_lifted: reading.filter((bit, i) => bit !== numbers[i]).length,
      executions: compared.executions,
    },
    accused,
  }
}

/** The execution of a holder that agrees best, with its matches in all slots and in those of executions. */
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
    deviations: round(deviationsOf(evidence, matches)),
    chance: chanceOf(evidence, matches, executions),
  }
}

/** In parts, and others' requests between them, since there may be millions. */
async function compare(
  deps: Deps,
  { scriptId, version, key, slots }: Omit<Search, 'text' | 'tokens'> & { readonly slots: number },
  evidence: SplitEvidence,
): Promise<{ executions: number; suspects: Suspect[] }> {
  const suspects = new Map<string, Suspect>()
  let executions = 0
  for (let after = 0; ; ) {
    const page = { after, limit: MARKS_BATCH }
    const rows = await listExecutionMarks(deps.db.read, { script_id: scriptId, version }, page)
    for (const one of matchAll(rows, { key, slots, evidence })) {
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

type Matching = { readonly key: WatermarkKey; readonly slots: number; readonly evidence: SplitEvidence }

function matchAll(rows: readonly ExecutionMarkRow[], { key, slots, evidence }: Matching): Suspect[] {
  const holders = [...new Set(rows.map(({ holder }) => holder))]
  const words = keyStreams(key, holders, slots)
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
