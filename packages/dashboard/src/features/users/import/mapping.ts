/** Maps columns to user fields, and converts the rows for the API. */
import { tagsIn } from '../edit/labels.ts'
import { inSlices, type Row, type Sheet } from './sheet.ts'

export const MEMBERS = [
  'key',
  'chat_id',
  'note',
  'private_note',
  'key_expires',
  'fingerprint',
  'executor',
  'blacklisted',
  'blacklist_reason',
  'blacklist_expires',
  'tags',
] as const
export type Member = (typeof MEMBERS)[number]
export type Mapping = Readonly<Record<string, Member | ''>>
export type Entry = Readonly<Partial<Record<Member, unknown>>>

/** Names of the fields in other services, in lowercase and without separators. */
const OTHER_NAMES: Readonly<Record<string, Member>> = {
  userkey: 'key',
  license: 'key',
  licensekey: 'key',
  chat: 'chat_id',
  discord: 'chat_id',
  discordid: 'chat_id',
  comment: 'note',
  notes: 'note',
  name: 'note',
  authexpire: 'key_expires',
  expires: 'key_expires',
  expiry: 'key_expires',
  expiresat: 'key_expires',
  expiration: 'key_expires',
  hwid: 'fingerprint',
  identifier: 'fingerprint',
  device: 'fingerprint',
  banned: 'blacklisted',
  isbanned: 'blacklisted',
  banreason: 'blacklist_reason',
  banexpire: 'blacklist_expires',
  banexpires: 'blacklist_expires',
}
const plain = (name: string) => name.toLowerCase().replace(/[^a-z]/g, '')
const OWN_NAMES = new Map<string, Member>(MEMBERS.map((member) => [plain(member), member]))

/** Maps each field at most once, to the first column with a matching name. */
export function guessMapping(columns: readonly string[]): Mapping {
  const taken = new Set<Member>()
  const guess = (column: string): Member | '' => {
    const member = OWN_NAMES.get(plain(column)) ?? OTHER_NAMES[plain(column)]
    if (member === undefined || taken.has(member)) return ''
    taken.add(member)
    return member
  }
  return Object.fromEntries(columns.map((column) => [column, guess(column)]))
}

/** Maps a field to a column, and removes the field from any other column. */
export function withMember(mapping: Mapping, column: string, member: Member | ''): Mapping {
  const others = Object.entries(mapping).map(([name, was]) => [name, was === member ? '' : was])
  return { ...Object.fromEntries(others), [column]: member }
}

export async function entriesOf({ rows }: Sheet, mapping: Mapping): Promise<Entry[]> {
  const pairs = Object.entries(mapping).filter((pair): pair is [string, Member] => pair[1] !== '')
  const entries: Entry[] = []
  await inSlices(rows, (row) => entries.push(entryOf(row, pairs)))
  return entries
}

/**
 * Serializes the import as JSON in slices. Serializing a hundred thousand users at once would freeze the
 * page.
 */
export async function writtenInSlices(
  users: readonly (Entry | Row)[],
  members: { readonly dry_run: boolean; readonly from?: string | undefined; readonly plan_id?: string },
): Promise<string> {
  let written = `${JSON.stringify(members).slice(0, -1)},"users":[`
  await inSlices(users, (user, index) => {
    written += (index === 0 ? '' : ',') + JSON.stringify(user)
  })
  return `${written}]}`
}

function entryOf(row: Row, pairs: readonly (readonly [string, Member])[]): Entry {
  const entry: Partial<Record<Member, unknown>> = {}
  for (const [column, member] of pairs) {
    const value = READERS[member](row[column])
    if (value !== undefined && value !== null && value !== '') entry[member] = value
  }
  return entry
}

/** Values that can't be parsed are sent unchanged, so that the API reports the error. */
const asText = (value: unknown) =>
  typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : value
const asTime = (value: unknown) => {
  const text = typeof value === 'string' ? value.trim() : value
  if (typeof text !== 'string' || text === '') return text
  if (/^(never|none|null|lifetime|n\/a)$/i.test(text)) return undefined
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  const time = timeIn(text)
  return Number.isNaN(time) ? text : time
}
/** Like the API, reads dates without an offset as UTC, not in the browser's time zone. */
const timeIn = (text: string) => {
  const isZoned = /(Z|UTC|GMT|\d:\d.*[+-]\d\d:?\d\d)$/i.test(text)
  if (isZoned || /^\d{4}-\d\d(-\d\d)?$/.test(text)) return Date.parse(text)
  const isIso = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text)
  return Date.parse(isIso ? `${text.replace(' ', 'T')}Z` : `${text} UTC`)
}
const asFlag = (value: unknown) => {
  const text = String(value ?? '')
    .trim()
    .toLowerCase()
  if (['true', '1', 'yes'].includes(text)) return true
  return ['false', '0', 'no', ''].includes(text) ? undefined : value
}
/** In a table, tags are separated by commas. */
const asTags = (value: unknown) => (typeof value === 'string' && value !== '' ? tagsIn(value) : value)
const READERS: Readonly<Record<Member, (value: unknown) => unknown>> = {
  key: asText,
  chat_id: asText,
  note: asText,
  private_note: asText,
  key_expires: asTime,
  fingerprint: asText,
  executor: asText,
  blacklisted: asFlag,
  blacklist_reason: asText,
  blacklist_expires: asTime,
  tags: asTags,
}
