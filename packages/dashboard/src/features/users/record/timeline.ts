/**
 * Merges the user's runs, denials and changes into one timeline. Repeats are combined, and days without
 * activity are collapsed.
 */
import type { V1ProjectExecutionsLogResponse, V1UserExecutionsListResponse } from '@scriptward/sdk'
import type { Change } from '../../../components/overlays/undo-change.ts'
import type { AuditEntry } from '../../../queries/access.ts'
import type { User } from '../user.ts'
import type { Denial } from './problem.ts'

export type Run = V1ProjectExecutionsLogResponse['executions'][number]
type OldRun = V1UserExecutionsListResponse['executions'][number]
export type Kind = 'run' | 'denied' | 'crashed' | 'change'

type About =
  | { readonly kind: 'run' | 'crashed'; readonly run: RunFacts }
  | { readonly kind: 'denied'; readonly run: RunFacts; readonly denial?: Denial | undefined }
  | { readonly kind: 'change'; readonly entry: AuditEntry }
  | { readonly kind: 'change'; readonly change: Change }
  | { readonly kind: 'change'; readonly word: 'created' | 'reset' }
export type Item = About & {
  readonly id: string
  /** Time of the latest occurrence. */
  readonly at: number
  /** Time of the first occurrence. */
  readonly since: number
  readonly count: number
}
/** A run from the log, or an older run with fewer details. */
export type RunFacts = Pick<Run, 'script_id' | 'script_version' | 'executor'> &
  Partial<Pick<Run, 'id' | 'state' | 'ended_at' | 'reason' | 'value' | 'left_out'>>

export type Sources = {
  readonly user: User
  readonly log: readonly Run[]
  readonly executions: readonly OldRun[]
  readonly denials: readonly Denial[]
  readonly entries: readonly AuditEntry[]
  /** Bulk changes that affected the user. They have no audit log entry for the individual user. */
  readonly changes: readonly Change[]
  /**
   * Time of the oldest loaded entry in each list that is not fully loaded. Showing older entries would leave
   * gaps.
   */
  readonly ends: readonly number[]
}

const NEAR_MS = 1_000
const DAY_MS = 86_400_000
const CREATIONS = /rojectUsers\.(create|generate|import)$/
/**
 * Bulk changes that create users are not listed: the creation already appears once, from the audit log or the
 * user.
 */
const ADDITIONS: readonly Change['action'][] = ['import', 'generate']
const RESETS = /\b(reset|resetAll|resetall)$/
/** Minimum number of equal entries in a row to combine into one line. */
const REPEATS = { run: 4, denied: 2, crashed: 2, change: Number.POSITIVE_INFINITY } as const

/** Returns the items, newest first. */
export function itemsOf(sources: Sources): Item[] {
  const from = Math.max(...sources.ends, Number.NEGATIVE_INFINITY)
  const all = [...runsOf(sources), ...olderOf(sources), ...denialsOf(sources), ...changesOf(sources)]
  const shown = all.filter(({ at }) => at >= from).sort((one, other) => other.at - one.at)
  return combined(shown)
}

function runsOf({ log, denials }: Sources): Item[] {
  return log.map((run) => {
    const common = { id: run.id, at: run.at, since: run.at, run }
    if (run.outcome !== 'denied')
      return { ...common, kind: run.outcome === 'crashed' ? 'crashed' : 'run', count: 1 }
    const denial = denials.find((each) => isOf(each, run))
    return { ...common, kind: 'denied', count: 1 + run.left_out, denial }
  })
}

function isOf({ reason, script_id, first_at, last_at }: Denial, run: Run): boolean {
  const isSame = reason === run.reason && script_id === run.script_id
  return isSame && run.at >= first_at - NEAR_MS && run.at <= last_at + NEAR_MS
}

/** Runs that are no longer in the log. */
function olderOf({ log, executions }: Sources): Item[] {
  const known = new Set(log.map(({ at, script_id }) => `${at} ${script_id}`))
  return executions
    .filter(({ granted_at, script_id }) => !known.has(`${granted_at} ${script_id}`))
    .map((run) => {
      const at = run.granted_at
      return { id: `${at} ${run.script_id}`, kind: 'run', at, since: at, count: 1, run }
    })
}

/** Denials that are not in the log. */
function denialsOf({ log, denials }: Sources): Item[] {
  return denials
    .filter((denial) => !log.some((run) => run.outcome === 'denied' && isOf(denial, run)))
    .map((denial) => {
      const { reason, value, script_id, script_version, client, first_at, last_at, count, left_out } = denial
      const run = { script_id, script_version, executor: client.executor, reason, value }
      const id = `${last_at} ${reason} ${script_id}`
      return { id, kind: 'denied', at: last_at, since: first_at, count: count + left_out, run, denial }
    })
}

function changesOf({ user, entries, changes: bulk }: Sources): Item[] {
  const changes: Item[] = entries.map((entry) => {
    const at = entry.created_at
    return { id: entry.id, kind: 'change', at, since: at, count: 1, entry }
  })
  for (const change of bulk) {
    const at = change.created_at
    if (!ADDITIONS.includes(change.action))
      changes.push({ id: change.id, kind: 'change', at, since: at, count: 1, change })
  }
  const word = (name: 'created' | 'reset', at: number): Item => {
    return { id: `${name} ${at}`, kind: 'change', at, since: at, count: 1, word: name }
  }
  const isNear = ({ action, created_at }: Pick<AuditEntry, 'action' | 'created_at'>) =>
    RESETS.test(action) && Math.abs(created_at - user.last_reset) < NEAR_MS
  // Resets by customers on their own page are not in the audit log.
  if (user.last_reset !== 0 && ![...entries, ...bulk].some(isNear))
    changes.push(word('reset', user.last_reset))
  if (!entries.some(({ action }) => CREATIONS.test(action))) changes.push(word('created', user.created_at))
  return changes
}

function combined(items: readonly Item[]): Item[] {
  const rows: Item[][] = []
  for (const item of items) {
    const row = rows.at(-1)
    if (row?.[0] && isRepeat(row[0], item)) row.push(item)
    else rows.push([item])
  }
  return rows.flatMap((row) => {
    const [first] = row
    const last = row.at(-1)
    if (!(first && last) || row.length < REPEATS[first.kind]) return row
    return [{ ...first, since: last.since, count: row.reduce((sum, { count }) => sum + count, 0) }]
  })
}

/** Whether two items describe the same kind of event on the same day. */
function isRepeat(one: Item, other: Item): boolean {
  if (!('run' in one && 'run' in other) || one.kind !== other.kind) return false
  const [a, b] = [one.run, other.run]
  const isSame =
    a.script_id === b.script_id &&
    a.script_version === b.script_version &&
    a.executor === b.executor &&
    a.reason === b.reason
  return isSame && startOf(one.at) === startOf(other.at)
}

export type Section =
  | { readonly kind: 'day'; readonly day: number; readonly items: readonly Item[]; readonly counts: Counts }
  | { readonly kind: 'idle'; readonly from: number; readonly to: number }
export type Counts = Readonly<Partial<Record<Kind, number>>>

/** Groups the items by local day. */
export function sectionsOf(items: readonly Item[], kind: Kind | undefined): Section[] {
  const days = new Map<number, Item[]>()
  for (const item of items.filter((each) => kind === undefined || each.kind === kind)) {
    const day = startOf(item.at)
    days.set(day, [...(days.get(day) ?? []), item])
  }
  const sections: Section[] = []
  let before: number | undefined
  for (const [day, these] of days) {
    const idle = before === undefined ? 0 : Math.round((before - day) / DAY_MS) - 1
    if (kind === undefined && idle > 0)
      sections.push({ kind: 'idle', from: dayAfter(day, 1), to: dayAfter(day, idle) })
    sections.push({ kind: 'day', day, items: these, counts: countsOf(these) })
    before = day
  }
  return sections
}

function countsOf(items: readonly Item[]): Counts {
  const counts: Partial<Record<Kind, number>> = {}
  for (const { kind, count } of items) counts[kind] = (counts[kind] ?? 0) + count
  return counts
}

/** Start of the local day, as a timestamp. */
export function startOf(time: number): number {
  return new Date(time).setHours(0, 0, 0, 0)
}

/** Uses calendar days, because a day is not always 24 hours long. */
function dayAfter(day: number, count: number): number {
  const date = new Date(day)
  return date.setDate(date.getDate() + count)
}
