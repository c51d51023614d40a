/** An entry of the audit log as a sentence: `edited project Garden`, then what changed. */

import { durationText } from '../../lib/durations.ts'
import { number } from '../../lib/format.ts'
import { exactly } from '../../lib/when.ts'
import { text } from '../../messages/text.ts'
import type { AuditChange, AuditEntry } from '../../queries/access.ts'

/** A word, or an id with the name that it has for people. */
type Piece = string | { readonly id: string; readonly label: string }
export type Names = ReadonlyMap<string, string>
/** Whose log it is: an account reads what happened to itself, operators what happened to whom. */
export type Reader = 'account' | 'operators'

const PLACE = /\{(\w+)\}/
/** How the service shows that there was a secret. */
const HIDDEN = '•••'
/** Numbers from here on are times in milliseconds. */
const FIRST_TIME = 1e11
const LONG_ID = 14
const ID = /^[a-z]{2,4}_[0-9A-Za-z]{16,}$/

/** By the name of the action. */
export const PHRASES: Readonly<Record<string, string>> = Object.assign(
  {},
  ...Object.values(text.auditActions),
)
/** What these actions made has its name in the line already. */
const MAKING = /(create|createByGet|update|add|addFinish)$/

const PHRASES_OF_OPERATORS: Readonly<Record<string, string>> = text.auditActionsOnOthers

type Counter = (count: number | null) => string
type Variant = { readonly field: string; readonly sentences: Readonly<Record<string, string>> }

const COUNTERS: Readonly<Record<string, Counter>> = text.auditCounts
const VARIANTS: Readonly<Record<string, Variant>> = text.auditVariants

/** Older paths have the same actions as `/v1`. */
function phraseOf(action: string, reader: Reader = 'account'): string {
  const other = reader === 'operators' ? PHRASES_OF_OPERATORS[action] : undefined
  return other ?? PHRASES[action] ?? PHRASES[`v1.${action}`] ?? text.otherAction(action)
}

function variantOf(action: string): Variant | undefined {
  return VARIANTS[action] ?? VARIANTS[`v1.${action}`]
}

/** The phrase of the action, or of what this entry says that it did. */
function sentenceOf({ action, changes }: AuditEntry, reader?: Reader): string {
  const variant = variantOf(action)
  const value = variant && changes[variant.field]?.after
  return variant?.sentences[String(value)] ?? phraseOf(action, reader)
}

/** Without what differs from entry to entry: `Edited project`. */
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

/** Whether the sentence of the entry includes its count. */
export function saysCount(entry: AuditEntry, reader?: Reader): boolean {
  const sentence = sentenceOf(entry, reader)
  return Object.keys(COUNTERS).some((name) => sentence.includes(`{${name}}`))
}

/** The changes that are worth a place in the line, as `name A → B`. */
export function summaryOf(entry: AuditEntry, names: Names): readonly string[] {
  return Object.entries(entry.changes)
    .filter(([name, change]) => change.after !== HIDDEN && isNew(entry, name, change))
    .map(([name, { before, after }]) => {
      const to = shownField(name, after, names)
      const label = name.replaceAll('_', ' ')
      return before === undefined ? `${label} ${to}` : `${label} ${shownField(name, before, names)} → ${to}`
    })
}

/** False for what the sentence of the entry includes. */
function isNew(entry: AuditEntry, name: string, { before }: AuditChange): boolean {
  if (sentenceOf(entry).includes(`{${name}}`) || variantOf(entry.action)?.field === name) return false
  if (name === 'amount' && saysCount(entry)) return false
  return name !== 'name' || before !== undefined || !MAKING.test(entry.action)
}

/** What the entries themselves say about names: the newest one counts. */
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

/** With `names`, an id is shown as the name that it has, or shortened. */
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

/** `basis creation, duration 7`. */
function shownMembers(value: object, names: Names | undefined): string {
  return Object.entries(value)
    .map(([name, each]) => `${name} ${shownValue(each, names)}`)
    .join(', ')
}

/** Ids begin with their kind and their time; the end tells them apart. */
export function shortId(id: string): string {
  return id.length <= LONG_ID ? id : `${id.slice(0, 4)}…${id.slice(-6)}`
}

export function actorName({ kind, id, name }: AuditEntry['actor'], names: Names): string {
  if (kind === 'api_key') return text.keyActor(name)
  if (kind === 'token') return text.tokenActor(name)
  if (kind === 'command_line') return text.commandLine
  return kind === 'job' ? text.job : (names.get(id ?? '') ?? name)
}
