/**
 * Record formats of other services, taken from their public API documentation, and how each field maps to
 * Scriptward's. The loader can't match a device fingerprint that another service computed, so the fingerprint
 * is stored for reference only, and the key is bound on its next use.
 */

import { MAX_DEVICES } from '../../devices/recognition.ts'
import { type Entry, NEW_ENTRY } from '../read-entry.ts'
import type { ForeignRecord } from './record.ts'

export const SERVICES = ['luarmor', 'luaauth', 'junkie', 'aureva', 'leaf7', 'keyauth', 'keygen'] as const
export type Service = (typeof SERVICES)[number]

/** `now` is the time of the import, in milliseconds. */
type Read = (record: ForeignRecord, now: number) => Entry

type Description = {
  /** Fields that contain the key, or the name of the user for whom a key is generated. */
  readonly keys: readonly string[]
  /** Fields that only this service has. A record with a key field and one of these identifies the service. */
  readonly marks: readonly string[]
  readonly read: Read
  /** Maps the service's fields to Scriptward's, for the response to an import. */
  readonly mapped: Readonly<Record<string, string>>
}

const MINUTE = 60_000
const DAY = 86_400_000
const MAX_NOTE_LENGTH = 255
const MAX_ID_LENGTH = 100
const MAX_DEVICE_LENGTH = 1024

type Ban = Pick<Entry, 'blacklisted' | 'blacklist_reason' | 'blacklist_expires'>

/** Ignores a ban that has expired. */
function banOf(isBanned: boolean, reason: string | null, expires: number | null, now: number): Ban {
  if (!isBanned || (expires !== null && expires <= now)) return NO_BAN
  return { blacklisted: 1, blacklist_reason: reason, blacklist_expires: expires }
}
const NO_BAN: Ban = { blacklisted: 0, blacklist_reason: null, blacklist_expires: null }

/** An unused key's remaining time starts on its first use. */
function untilUsed(duration: number | null): Partial<Entry> {
  return duration === null ? {} : { clock_basis: 'first_use', clock_duration: duration, clock_waits: 1 }
}

const premium = (isPremium: boolean) => (isPremium ? JSON.stringify({ premium: true }) : null)

const luarmor: Read = (record, now) => {
  record.drop('identifier_type', 'ban_ip', 'unban_token', 'status')
  const key_expires = record.time('auth_expire')
  const days = record.count('key_days')
  const executions = record.count('total_executions') ?? 0
  const isWaiting = days !== null && days > 0 && executions === 0 && key_expires === null
  return {
    ...NEW_ENTRY,
    key: record.key('user_key'),
    chat_id: record.text('discord_id', MAX_ID_LENGTH),
    note: record.text('note', MAX_NOTE_LENGTH),
    foreign_device: record.text('identifier', MAX_DEVICE_LENGTH),
    key_expires,
    executions,
    last_reset: record.time('last_reset') ?? 0,
    total_fingerprint_resets: record.count('total_resets') ?? 0,
    ...(isWaiting ? untilUsed(days * DAY) : {}),
    ...banOf(
      record.flag('banned'),
      record.text('ban_reason', MAX_NOTE_LENGTH),
      record.time('ban_expire'),
      now,
    ),
  }
}

const luaauth: Read = (record, now) => {
  record.drop('fingerprint_assigned')
  return {
    ...NEW_ENTRY,
    key: record.key('key'),
    chat_id: record.text('discord_id', MAX_ID_LENGTH),
    note: record.text('note', MAX_NOTE_LENGTH),
    executor: record.text('executor', MAX_ID_LENGTH),
    executions: record.count('executions') ?? 0,
    key_expires: record.time('key_expires'),
    last_reset: record.time('last_reset') ?? 0,
    total_fingerprint_resets: record.count('total_fingerprint_resets') ?? 0,
    foreign_device: record.text('luaauth_fingerprint', MAX_DEVICE_LENGTH),
    ...banOf(
      record.flag('blacklisted'),
      record.text('blacklist_reason', MAX_NOTE_LENGTH),
      record.time('blacklist_expires'),
      now,
    ),
  }
}

const junkie: Read = (record, now) => {
  record.drop('service_id', 'provider_id', 'folder_id')
  const used = record.time('used_at')
  const minutes = record.count('validity_minutes')
  const isWaiting = record.flag('expiry_on_first_use') && used === null && minutes !== null && minutes > 0
  const key_expires = record.time('expires_at')
  return {
    ...NEW_ENTRY,
    key: record.key('key_value'),
    chat_id: record.text('discord_id', MAX_ID_LENGTH),
    note: record.text('key_name', MAX_NOTE_LENGTH),
    features: premium(record.flag('is_premium')),
    max_executions: record.flag('one_time_use') ? 1 : null,
    use_fingerprint: record.flag('no_hwid') ? 0 : 1,
    max_devices: devicesIn(record, 'hwid_limit'),
    executions: used === null ? 0 : 1,
    first_used_at: used,
    last_used_at: used,
    foreign_device: devicesOf(record.raw('hwids')),
    issued_to: boundBy(record.raw('hwids')),
    ...(isWaiting ? { ...untilUsed(minutes * MINUTE), key_expires: null } : { key_expires }),
    ...banOf(record.flag('is_invalidated'), 'invalidated before the move', null, now),
  }
}

/** Capped at Scriptward's limit, because the other service may allow more. */
function devicesIn(record: ForeignRecord, name: string): number | null {
  const count = record.count(name)
  return count === null || count === 0 ? null : Math.min(count, MAX_DEVICES)
}

/** Accepts a list of devices, or a single device as a string. */
function devicesOf(given: unknown): string | null {
  const list = Array.isArray(given) ? given : given === null ? [] : [given]
  const names = list.flatMap((one: unknown) => {
    const name = typeof one === 'object' && one !== null ? (one as { hwid?: unknown }).hwid : one
    return typeof name === 'string' && name !== '' ? [name] : []
  })
  return names.length === 0 ? null : names.join(' ').slice(0, MAX_DEVICE_LENGTH).toWellFormed()
}

/** Returns the user who bound the first device. */
function boundBy(given: unknown): string | null {
  const [first] = Array.isArray(given) ? (given as unknown[]) : []
  const by = typeof first === 'object' && first !== null ? (first as { bound_by?: unknown }).bound_by : null
  const name =
    typeof by === 'string'
      ? by
          .replace(/\p{Cc}/gu, ' ')
          .trim()
          .slice(0, MAX_NOTE_LENGTH)
      : ''
  return name.toWellFormed() || null
}

const aureva: Read = (record, now) => {
  record.drop('status')
  return {
    ...NEW_ENTRY,
    key: record.key('key'),
    chat_id: record.text('discord_id', MAX_ID_LENGTH),
    note: record.text('user_note', MAX_NOTE_LENGTH),
    foreign_device: record.text('hwid', MAX_DEVICE_LENGTH),
    executions: record.count('usage_count') ?? 0,
    max_executions: record.count('max_uses'),
    total_fingerprint_resets: record.count('hwid_reset_count') ?? 0,
    key_expires: record.time('expires_at'),
    features: premium(record.flag('is_premium')),
    tags: record.tags('tags'),
    ...record.metadata('metadata'),
    paused_at: record.raw('is_active') !== null && !record.flag('is_active') ? now : null,
    ...banOf(record.flag('is_blacklisted'), null, null, now),
  }
}

const leaf7: Read = (record) => {
  const [days, hours, minutes] = (['key_days', 'key_hours', 'key_minutes'] as const).map(
    (name) => record.count(name) ?? 0,
  ) as [number, number, number]
  const duration = days * DAY + hours * 60 * MINUTE + minutes * MINUTE
  const created = record.time('created_at')
  const isUsed = record.flag('redeemed')
  return {
    ...NEW_ENTRY,
    key: record.key('key_id'),
    chat_id: record.text('discord_id', MAX_ID_LENGTH),
    ...(duration > 0 && !isUsed ? untilUsed(duration) : {}),
    ...(duration > 0 && isUsed && created !== null ? { key_expires: created + duration } : {}),
  }
}

/** Reads a license, or a user whose record lists subscriptions instead of licenses. */
const keyauth: Read = (record, now) =>
  record.raw('subscriptions') === null ? keyauthLicense(record, now) : keyauthUser(record, now)

const keyauthLicense: Read = (record, now) => {
  record.drop('gendate', 'subscriptions')
  const seconds = record.count('expires')
  const used = record.time('usedon')
  const status = String(record.raw('status') ?? '').toLowerCase()
  const level = record.raw('level')
  const reason = record.text('banned', MAX_NOTE_LENGTH)
  const end = seconds === null || used === null ? null : used + seconds * 1000
  return {
    ...NEW_ENTRY,
    key: record.key('key'),
    note: record.text('note', MAX_NOTE_LENGTH),
    issued_by: record.text('genby', MAX_NOTE_LENGTH),
    issued_to: record.text('usedby', MAX_NOTE_LENGTH),
    features: level === null ? null : JSON.stringify({ level: levelOf(level) }),
    first_used_at: used,
    last_used_at: used,
    executions: used === null ? 0 : 1,
    key_expires: end,
    ...(used === null && seconds !== null && seconds > 0 ? untilUsed(seconds * 1000) : {}),
    ...banOf(status === 'banned' || reason !== null, reason, null, now),
  }
}

/**
 * Turns the license that expires last into the key. Users without a license signed in with a name and a
 * password. They get a new key, because a name alone could be guessed.
 */
const keyauthUser: Read = (record, now) => {
  record.drop('createdate', 'email', 'password', 'token', 'ip', 'cooldown', 'cooldown_expiry', 'uservars')
  const used = record.time('lastlogin')
  const reason = record.text('banned', MAX_NOTE_LENGTH)
  const licenses = record.records('subscriptions').map((one) => ({
    key: one.key('key'),
    name: one.text('subscription', MAX_NOTE_LENGTH),
    end: one.time('expiry') ?? Number.POSITIVE_INFINITY,
  }))
  const [best] = licenses.sort((one, other) => other.end - one.end)
  if (best === undefined) record.complaints.push('subscriptions: is empty, so there is nothing to import')
  record.needsKey = false
  return {
    ...NEW_ENTRY,
    key: licenses.find(({ key }) => key !== null)?.key ?? null,
    issued_to: record.text('username', MAX_NOTE_LENGTH),
    features: best?.name ? JSON.stringify({ subscription: best.name }) : null,
    foreign_device: record.text('hwid', MAX_DEVICE_LENGTH),
    first_used_at: used,
    last_used_at: used,
    executions: used === null ? 0 : 1,
    key_expires: best !== undefined && Number.isFinite(best.end) ? best.end : null,
    ...banOf(reason !== null, reason, null, now),
  }
}

function levelOf(level: unknown): number | string {
  const number = Number(level)
  return Number.isFinite(number) ? number : String(level).slice(0, MAX_NOTE_LENGTH)
}

const keygen: Read = (record, now) => {
  record.drop('created', 'updated', 'protected', 'version', 'floating', 'strict', 'encrypted', 'scheme')
  const isBanned = String(record.raw('status')).toUpperCase() === 'BANNED'
  return {
    ...NEW_ENTRY,
    key: record.key('key'),
    note: record.text('name', MAX_NOTE_LENGTH),
    key_expires: record.time('expiry'),
    executions: record.count('uses') ?? 0,
    max_executions: record.count('maxUses'),
    max_devices: devicesIn(record, 'maxMachines'),
    paused_at: record.flag('suspended') ? now : null,
    ...record.metadata('metadata'),
    ...banOf(isBanned, null, null, now),
  }
}

/** Scriptward's field names in a spreadsheet, where every value is a string. */
const own: Read = (record, now) => {
  const first = (names: readonly string[], longest: number) =>
    names.map((name) => record.text(name, longest)).find((value) => value !== null) ?? null
  const end = [record.time('key_expires'), record.time('auth_expire')]
  return {
    ...NEW_ENTRY,
    key: record.key('key'),
    chat_id: first(['chat_id', 'chat'], MAX_ID_LENGTH),
    note: record.text('note', MAX_NOTE_LENGTH),
    executor: record.text('executor', MAX_ID_LENGTH),
    fingerprint: first(['fingerprint', 'identifier', 'hwid'], MAX_DEVICE_LENGTH),
    executions: record.count('executions') ?? 0,
    key_expires: end.find((time) => time !== null) ?? null,
    tags: record.tags('tags'),
    ...record.metadata('metadata'),
    issued_to: record.text('issued_to', MAX_NOTE_LENGTH),
    issued_by: record.text('issued_by', MAX_NOTE_LENGTH),
    issued_at: record.time('issued_at'),
    ...banOf(
      record.flag('blacklisted'),
      record.text('blacklist_reason', MAX_NOTE_LENGTH),
      record.time('blacklist_expires'),
      now,
    ),
  }
}

const BANS = { blacklist_reason: 'blacklist_reason', blacklist_expires: 'blacklist_expires' }

export const services: Readonly<Record<Service, Description>> = {
  luarmor: {
    keys: ['user_key'],
    marks: ['user_key', 'auth_expire'],
    read: luarmor,
    mapped: {
      ...{ user_key: 'key', discord_id: 'chat_id', note: 'note', identifier: 'foreign_device' },
      ...{ auth_expire: 'key_expires', key_days: 'clock', total_executions: 'executions' },
      ...{ last_reset: 'last_reset', total_resets: 'total_fingerprint_resets' },
      ...{ banned: 'blacklisted', ban_reason: 'blacklist_reason', ban_expire: 'blacklist_expires' },
    },
  },
  luaauth: {
    keys: ['key'],
    marks: ['luaauth_fingerprint', 'total_fingerprint_resets'],
    read: luaauth,
    mapped: {
      ...{ key: 'key', discord_id: 'chat_id', note: 'note', executor: 'executor', executions: 'executions' },
      ...{ key_expires: 'key_expires', last_reset: 'last_reset', luaauth_fingerprint: 'foreign_device' },
      ...{ total_fingerprint_resets: 'total_fingerprint_resets', blacklisted: 'blacklisted', ...BANS },
    },
  },
  junkie: {
    keys: ['key_value'],
    marks: ['key_value', 'validity_minutes'],
    read: junkie,
    mapped: {
      ...{ key_value: 'key', discord_id: 'chat_id', key_name: 'note', hwids: 'foreign_device' },
      ...{ 'hwids.bound_by': 'issued_to', hwid_limit: 'max_devices' },
      ...{ expires_at: 'key_expires', validity_minutes: 'clock', used_at: 'first_used_at' },
      ...{ is_premium: 'features.premium', one_time_use: 'max_executions', no_hwid: 'use_fingerprint' },
      ...{ is_invalidated: 'blacklisted' },
    },
  },
  aureva: {
    keys: ['key'],
    marks: ['user_note', 'usage_count', 'hwid_reset_count'],
    read: aureva,
    mapped: {
      ...{ key: 'key', discord_id: 'chat_id', user_note: 'note', hwid: 'foreign_device' },
      ...{ usage_count: 'executions', max_uses: 'max_executions', expires_at: 'key_expires' },
      ...{ hwid_reset_count: 'total_fingerprint_resets', is_premium: 'features.premium' },
      ...{ is_active: 'paused', is_blacklisted: 'blacklisted', tags: 'tags', metadata: 'metadata' },
    },
  },
  leaf7: {
    keys: ['key_id'],
    marks: ['key_id', 'redeemed', 'key_minutes'],
    read: leaf7,
    mapped: {
      ...{
        key_id: 'key',
        discord_id: 'chat_id',
        key_days: 'clock',
        key_hours: 'clock',
        key_minutes: 'clock',
      },
      ...{ redeemed: 'clock', created_at: 'key_expires' },
    },
  },
  keyauth: {
    keys: ['key', 'username'],
    marks: ['genby', 'gendate', 'usedon', 'subscriptions', 'lastlogin'],
    read: keyauth,
    mapped: {
      ...{ key: 'key', note: 'note', expires: 'clock', usedon: 'first_used_at', level: 'features.level' },
      ...{ status: 'blacklisted', banned: 'blacklist_reason', genby: 'issued_by', usedby: 'issued_to' },
      ...{ username: 'issued_to', 'subscriptions.key': 'key', 'subscriptions.expiry': 'key_expires' },
      ...{ 'subscriptions.subscription': 'features.subscription', lastlogin: 'last_used_at' },
      hwid: 'foreign_device',
    },
  },
  keygen: {
    keys: ['key'],
    marks: ['attributes', 'expiry', 'suspended', 'maxUses', 'maxMachines'],
    read: keygen,
    mapped: {
      ...{ key: 'key', name: 'note', expiry: 'key_expires', uses: 'executions', maxUses: 'max_executions' },
      ...{ suspended: 'paused', metadata: 'metadata', maxMachines: 'max_devices' },
    },
  },
}

export const OWN_NAMES: Pick<Description, 'read' | 'mapped'> = { read: own, mapped: {} }
