/** Describes an audit log entry as a sentence, such as `edited project Garden`, followed by the changes. */

import { text } from '../../messages/text.ts'
import type { AuditChange, AuditEntry } from '../../queries/access.ts'
import { HIDDEN, isDefault, type Names, shortId, shownField } from './audit-values.ts'

/** Part of the line: text, or an ID with its display name. */
type Piece = string | { readonly id: string; readonly label: string }
/** Account members see only changes to their own account; operators also need to know which account was affected. */
export type Reader = 'account' | 'operators'

const PLACE = /\{(\w+)\}/

/** Phrases by action name. */
export const PHRASES: Readonly<Record<string, string>> = Object.assign(
  {},
  ...Object.values(text.auditActions),
)
/** Actions whose line already contains the name of the created resource. */
const MAKING = /(create|createByGet|update|add|addFinish)$/

const PHRASES_OF_OPERATORS: Readonly<Record<string, string>> = text.auditActionsOnOthers

type Counter = (count: number | null) => string
type Variant = { readonly field: string; readonly sentences: Readonly<Record<string, string>> }

const COUNTERS: Readonly<Record<string, Counter>> = text.auditCounts
const VARIANTS: Readonly<Record<string, Variant>> = text.auditVariants

/** Actions of the unversioned API use the same phrases as `/v1` actions. */
function phraseOf(action: string, reader: Reader = 'account'): string {
  const other = reader === 'operators' ? PHRASES_OF_OPERATORS[action] : undefined
  return other ?? PHRASES[action] ?? PHRASES[`v1.${action}`] ?? text.otherAction(action)
}

function variantOf(action: string): Variant | undefined {
  return VARIANTS[action] ?? VARIANTS[`v1.${action}`]
}

/** Returns the phrase for the action, or for its variant if a field of the entry selects one. */
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
        : { id, label: labelOf(entry, id, names) }
    })
}

/** Several users may share the visible start of a key, so their notes are looked up by pseudonym. */
function labelOf({ nouns: { user_key, user } }: AuditEntry, id: string, names: Names): string {
  return (id === user_key ? names.get(user ?? '') : undefined) ?? names.get(id) ?? shortId(id)
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
      const label = text.auditFields[name] ?? name.replaceAll('_', ' ')
      return before === undefined ? `${label} ${to}` : `${label} ${shownField(name, before, names)} → ${to}`
    })
}

/** Returns false for defaults, and for values that the sentence already contains. */
function isNew(entry: AuditEntry, name: string, change: AuditChange): boolean {
  if (sentenceOf(entry).includes(`{${name}}`) || variantOf(entry.action)?.field === name) return false
  if (isDefault(entry.action, name, change) || (name === 'amount' && saysCount(entry))) return false
  if (name === 'note' && entry.nouns.user !== undefined && MAKING.test(entry.action)) return false
  return name !== 'name' || change.before !== undefined || !MAKING.test(entry.action)
}

/** Collects names that appear in the entries; the latest name wins. */
export function namesIn(entries: readonly AuditEntry[]): Names {
  const names = new Map<string, string>()
  for (const { action, nouns, changes } of entries) {
    const id = nouns[PLACE.exec(phraseOf(action))?.[1] ?? '']
    for (const name of [changes.name?.after, changes.name?.before, changes.email?.after])
      if (id !== undefined && typeof name === 'string' && !names.has(id)) names.set(id, name)
    const { user } = nouns
    for (const note of [changes.note?.after, changes.note?.before])
      if (user !== undefined && typeof note === 'string' && note !== '' && !names.has(user))
        names.set(user, note)
  }
  return names
}

function wordOf(field: string, value: unknown, names: Names): string {
  const role = field === 'role' ? text.roleNames[String(value)] : undefined
  return role ?? shownField(field, value, names)
}

export function actorName({ kind, id, name }: AuditEntry['actor'], names: Names): string {
  if (kind === 'api_key') return text.keyActor(name)
  if (kind === 'token') return text.tokenActor(name)
  if (kind === 'chat') return text.chatActor(name)
  if (kind === 'command_line') return text.commandLine
  return kind === 'job' ? text.job : (names.get(id ?? '') ?? name)
}
