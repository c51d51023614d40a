/** Describes an audit log entry as a sentence, such as `edited project Garden`, followed by the changes. */

import { durationText } from '../../lib/durations.ts'
import { number } from '../../lib/format.ts'
import { exactly } from '../../lib/when.ts'
import { text } from '../../messages/text.ts'
import type { AuditChange, AuditEntry } from '../../queries/access.ts'

/** A word, or an ID with its display name. */
type Piece = string | { readonly id: string; readonly label: string }
export type Names = ReadonlyMap<string, string>
/** Account members see only changes to their own account; operators also need to know which account was affected. */
export type Reader = 'account' | 'operators'

const PLACE = /\{(\w+)\}/
/** Placeholder that the API uses for secrets. */
const HIDDEN = '•••'
/** Larger numbers are treated as times in milliseconds. */
const FIRST_TIME = 1e11
const LONG_ID = 14
const ID = /^[a-z]{2,4}_[0-9A-Za-z]{16,}$/

/** Phrases by action name. */
export const PHRASES: Readonly<Record<string, string>> = Object.assign(
  {},
  ...Object.values(text.auditActions),
)
/** The line already contains the name of what these actions created. */
const MAKING = /(create|createByGet|update|add|addFinish)$/

const PHRASES_OF_OPERATORS: Readonly<Record<string, string>> = text.auditActionsOnOthers

type Counter = (count: number | null) => string
type Variant = { readonly field: string; readonly sentences: Readonly<Record<string, string>> }

const COUNTERS: Readonly<Record<string, Counter>> = text.auditCounts
const VARIANTS: Readonly<Record<string, Variant>> = text.auditVariants

/** Actions of the unversioned API have the same phrases as those of `/v1`. */
function phraseOf(action: string, reader: Reader = 'account'): string {
  const other = reader === 'operators' ? PHRASES_OF_OPERATORS[action] : undefined
  return other ?? PHRASES[action] ?? PHRASES[`v1.${action}`] ?? text.otherAction(action)
}

function variantOf(action: string): Variant | undefined {
  return VARIANTS[action] ?? VARIANTS[`v1.${action}`]
}

/** Returns the phrase for the action, or for the variant given by a field of the entry. */
function sentenceOf({ action, changes }: AuditEntry, reader?: Reader): string {
  const variant = variantOf(action)
  const value = variant && changes[variant.field]?.after
  return variant?.sentences[String(value)] ?? phraseOf(action, reader)
}

/** Returns the action without details of the entry: `Edited project`. */
export function actionName(action: string): string {
  const name = phraseOf(action)
    .replace(/\{(\w+)\}/g, (place, word: string) => COUNTERS[word]?.(null) ?? place)
    .replace(/ (?:as|by|for|from|in|into|of|to)(?: \w+){0,2} \{\w+\}/g, '')
    .replace(/ “?\{\w+\}”?/g, '')
  return name.charAt(0).toUpperCase() + name.slice(1)
}

export function lineOf(entry: AuditEntry, names: Names, reader?: Reader): readonly Piece[] {
  return sentenceOf(entry, reader)
    .split(/(\{\w+\})/)
    .map((part) => {
      const name = PLACE.exec(part)?.[1]
      if (name === undefined) return part
      const counter = COUNTERS[name]
      if (counter !== undefined) return counter(entry.count)
      const id = entry.nouns[name]
      return id === undefined
        ? wordOf(name, entry.changes[name]?.after ?? '', names)
        : { id, label: names.get(id) ?? shortId(id) }
    })
}

export function saysCount(entry: AuditEntry, reader?: Reader): boolean {
  const sentence = sentenceOf(entry, reader)
  return Object.keys(COUNTERS).some((name) => sentence.includes(`{${name}}`))
}

/** Returns the changes worth showing in the line, such as `name A → B`. */
export function summaryOf(entry: AuditEntry, names: Names): readonly string[] {
  return Object.entries(entry.changes)
    .filter(([name, change]) => change.after !== HIDDEN && isNew(entry, name, change))
    .map(([name, { before, after }]) => {
      const to = shownField(name, after, names)
      const label = name.replaceAll('_', ' ')
      return before === undefined ? `${label} ${to}` : `${label} ${shownField(name, before, names)} → ${to}`
    })
}

/** Returns false for values that the sentence already contains. */
function isNew(entry: AuditEntry, name: string, { before }: AuditChange): boolean {
  if (sentenceOf(entry).includes(`{${name}}`) || variantOf(entry.action)?.field === name) return false
  if (name === 'amount' && saysCount(entry)) return false
  return name !== 'name' || before !== undefined || !MAKING.test(entry.action)
}

/** Collects names that appear in the entries; the newest one wins. */
export function namesIn(entries: readonly AuditEntry[]): Names {
  const names = new Map<string, string>()
  for (const { action, nouns, changes } of entries) {
    const id = nouns[PLACE.exec(phraseOf(action))?.[1] ?? '']
    for (const name of [changes.name?.after, changes.name?.before, changes.email?.after])
      if (id !== undefined && typeof name === 'string' && !names.has(id)) names.set(id, name)
  }
  return names
}

function wordOf(field: string, value: unknown, names: Names): string {
  const role = field === 'role' ? text.roleNames[String(value)] : undefined
  return role ?? shownField(field, value, names)
}

function shownField(field: string, value: unknown, names: Names): string {
  return field === 'duration' && typeof value === 'number' ? durationText(value) : shownValue(value, names)
}

/** With `names`, IDs are shown as names or shortened. */
export function shownValue(value: unknown, names?: Names): string {
  if (value === null || value === undefined || value === '') return text.nothing
  if (value === HIDDEN) return text.hiddenValue
  if (typeof value === 'boolean') return value ? text.yes : text.no
  if (typeof value === 'number') return value >= FIRST_TIME ? exactly(value) : number(value)
  if (Array.isArray(value)) return value.map((each) => shownValue(each, names)).join(', ') || text.nothing
  if (typeof value === 'object') return shownMembers(value, names)
  const word = String(value)
  return names !== undefined && ID.test(word) ? (names.get(word) ?? shortId(word)) : word
}

/** Formats an object, such as `basis creation, duration 7`. */
function shownMembers(value: object, names: Names | undefined): string {
  return Object.entries(value)
    .map(([name, each]) => `${name} ${shownValue(each, names)}`)
    .join(', ')
}

/** IDs begin with their kind and time, so only the end distinguishes them. */
export function shortId(id: string): string {
  return id.length <= LONG_ID ? id : `${id.slice(0, 4)}…${id.slice(-6)}`
}

export function actorName({ kind, id, name }: AuditEntry['actor'], names: Names): string {
  if (kind === 'api_key') return text.keyActor(name)
  if (kind === 'token') return text.tokenActor(name)
  if (kind === 'command_line') return text.commandLine
  return kind === 'job' ? text.job : (names.get(id ?? '') ?? name)
}
