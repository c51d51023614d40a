/** Formats values of an audit log entry. */

import { durationText } from '../../lib/durations.ts'
import { number } from '../../lib/format.ts'
import { exactly } from '../../lib/when.ts'
import { text } from '../../messages/text.ts'
import type { AuditChange } from '../../queries/access.ts'

/** Display names by ID. */
export type Names = ReadonlyMap<string, string>

/** Placeholder that the API uses for secrets. */
export const HIDDEN = '•••'
/** Numbers above this are treated as times in milliseconds. */
const FIRST_TIME = 1e11
const LONG_ID = 14
const ID = /^[a-z]{2,4}_[0-9A-Za-z]{16,}$/

/** Fields whose null value means that they apply to everything. */
const WITHOUT_LIMIT: Readonly<Record<string, string>> = {
  ...{ projects: text.everything, scripts: text.everything, events: text.everything },
  networks: text.anyValue,
}
const DURATIONS: ReadonlySet<string> = new Set(['duration', 'key_duration', 'max_duration', 'grace'])
const EXPIRY = /(^|_)expires(_at)?$/
const ENUMS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  basis: text.plans.bases,
  after_expiry: text.plans.afterExpiries,
  role: text.roleNames,
}
/** Requests with these actions contain only the fields that were changed. */
const EDITING = /(edit|set|put|replace|toggle)$/
/** Fields that are on by default. */
const ON: ReadonlySet<string> = new Set(['enabled', 'use_fingerprint'])

/** Returns true for the default values of a new resource. Unlimited access is always shown. */
export function isDefault(action: string, name: string, { before, after }: AuditChange): boolean {
  if (before !== undefined || EDITING.test(action) || name in WITHOUT_LIMIT) return false
  if (typeof after === 'object' && after !== null) return Object.keys(after).length === 0
  return after === null || after === '' || after === 0 || (after === false && !ON.has(name))
}

export function shownField(field: string, value: unknown, names?: Names): string {
  if (value === null && field in WITHOUT_LIMIT) return WITHOUT_LIMIT[field] ?? ''
  if (EXPIRY.test(field) && (value === null || value === 0)) return text.never
  if (DURATIONS.has(field) && typeof value === 'number' && value > 0) return durationText(value)
  const word = typeof value === 'string' ? (ENUMS[field]?.[value] ?? names?.get(value)) : undefined
  return word ?? shownValue(value, names)
}

/** With `names`, IDs are shown as names or shortened. */
function shownValue(value: unknown, names?: Names): string {
  if (value === null || value === undefined || value === '') return text.nothing
  if (value === HIDDEN) return text.hiddenValue
  if (typeof value === 'boolean') return value ? text.yes : text.no
  if (typeof value === 'number') return value >= FIRST_TIME ? exactly(value) : number(value)
  if (Array.isArray(value)) return value.map((each) => shownValue(each, names)).join(', ') || text.nothing
  if (typeof value === 'object') return shownMembers(value, names)
  const word = String(value)
  return names !== undefined && ID.test(word) ? (names.get(word) ?? shortId(word)) : word
}

/** Formats an object, such as `30 days from first run` or `fly yes, speed 7`. */
function shownMembers(value: object, names: Names | undefined): string {
  return (
    clockText(value) ??
    Object.entries(value)
      .map(([name, each]) => `${name.replaceAll('_', ' ')} ${shownField(name, each, names)}`)
      .join(', ')
  )
}

function clockText(value: object): string | undefined {
  const { basis, duration, ...rest } = value as Readonly<Record<string, unknown>>
  const sentence = Object.entries(text.plans.sentence.from).find(([each]) => each === basis)?.[1]
  const isClock = typeof duration === 'number' && Object.keys(rest).length === 0
  return isClock ? sentence?.(durationText(duration)) : undefined
}

/** IDs begin with their kind and time, so only the end distinguishes them. */
export function shortId(id: string): string {
  return id.length <= LONG_ID ? id : `${id.slice(0, 4)}…${id.slice(-6)}`
}
