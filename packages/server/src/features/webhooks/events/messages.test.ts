/** Messages as JSON and for Discord, and how they handle malicious strings. */
import { describe, expect, it } from 'vitest'
import { CHAT_LIMITS, maskKey, mentionText, plainText, senderName } from './chat-text.ts'
import { type EventData, type EventType, events } from './event-catalog.ts'
import { type ChatBody, chatBody, genericBody } from './messages.ts'

const KEY = 'abcdefghijklmnopqrstuvwxyzABwxyz'
const AT = 1_767_323_045_678
const PROJECT = { id: 'prj_1', name: 'Garden' }
const LONG = '@everyone **[x](https://evil.example)** '.repeat(100)
const LONGEST = `${'\u202e*'.repeat(200)}${LONG}`

type OfUser = EventData['user.created']

/** Data about many users. */
const MANY = {
  'users.imported': { actor: 'owner', imported: 1, skipped: 2 },
  'users.removed': { actor: 'owner', count: 3, reason: 'purged' },
  'users.changed': { actor: 'owner', count: 3, action: 'extend' },
  'users.restored': { actor: 'owner', count: 3, action: 'clear' },
} as const satisfies Partial<EventData>

function failed(text: string): EventData['function.failed'] {
  return { script: { id: 'scr_1', name: text }, function: { name: 'price', problem: text }, failures: 1 }
}

/** Events that contain only a user and the changes to that user. */
function ofUser(byOwner: OfUser, text: string) {
  return {
    'user.created': byOwner,
    'user.edited': { ...byOwner, changes: [{ member: 'note', before: null, after: text }] },
    'user.removed': byOwner,
    'user.paused': byOwner,
    'user.resumed': byOwner,
    'user.extended': byOwner,
    'user.expiring': byOwner,
    'user.expired': { ...byOwner, runs_until: AT },
    'user.limit_reached': { ...byOwner, limit: 'quota', most: 10 },
    'user.unblacklisted': byOwner,
  } satisfies Partial<EventData>
}

const executionWith = (text: string) => ({
  id: 'exe',
  executor: text,
  runtime: 'luau',
  game_user_id: text,
  place_id: text,
  job_id: text,
})

function reportedError(text: string): EventData['script.error_new'] {
  return {
    script: { id: 'scr_1', name: text },
    error: { id: 'err_1', message: text, place: { file: text, line: 12, function: text } },
    version: 7,
    executor: text,
    left_out: 3,
  }
}

function ofReleases(text: string) {
  const data = {
    script: { id: 'scr_1', name: text },
    release: { id: 'rel_1', channel: text, version: 4, version_before: 3, percent: 25 },
    errors: [{ id: 'err_1', message: text, customers: 12 }],
  }
  return {
    'release.started': { ...data, errors: [] },
    'release.completed': data,
    'release.held': data,
    'release.rolled_back': { ...data, rolled_back_by: 'guard' as const },
  }
}

function dataWith(text: string): EventData {
  const user = { key: KEY, chat_id: text, note: text, executions: 12, key_expires: AT }
  const execution = {
    script: { id: 'scr_1', name: text, version: 7 },
    user,
    execution: executionWith(text),
    client: { ip: '203.0.*.*', country: null, fingerprint: '3fa9…c17e' },
  }
  const byOwner = { user, actor: 'owner' } as const
  const blacklist = { ...byOwner, reason: text, expires: AT }
  return {
    ...ofUser(byOwner, text),
    'execution.granted': execution,
    'execution.denied': { ...execution, denial: { code: 10, reason: text }, left_out: 3 },
    'execution.copied': { script: execution.script, user: execution.user, execution: execution.execution },
    'execution.suspected': {
      script: execution.script,
      user: execution.user,
      execution: execution.execution,
      suspicion: { reason: 'locks_at_once', asked: 3, locks: 4 },
    },
    'users.generated': { actor: 'owner', count: 20, user_keys: Array(20).fill(maskKey(KEY)) },
    ...MANY,
    'script.error_new': reportedError(text),
    'script.error_regressed': reportedError(text),
    ...ofReleases(text),
    'user.device_added': {
      user: byOwner.user,
      actor: 'user',
      device: { id: 'dev_1', ip: '203.0.*.*', fingerprint: text, executor: text },
      devices: 2,
      max_devices: 2,
    },
    'user.fingerprint_reset': { ...byOwner, forced: true },
    'users.fingerprint_reset_all': { actor: 'owner', count: 3 },
    'user.linked': { ...byOwner, old_chat_id: text, forced: false },
    'users.compensated': { actor: 'owner', count: 1, duration: 60_000, compensate_expired: true },
    'webhook.test': { actor: 'owner', kind: 'execution' },
    'events.left_out': { counts: [{ type: 'execution.granted', count: 491 }] },
    'function.failed': failed(text),
    'variables.edited': { actor: 'owner', version: 4, changed: ['motd'] },
    'plan.edited': { actor: 'owner', plan: { id: 'pln_1', name: text } },
    'user.features_changed': { ...byOwner, plan: text, features: { slots: 3 } },
    'user.blacklisted': blacklist,
    'user.blacklist_expired': blacklist,
    'user.shared': { ...byOwner, networks: 9, refused_devices: 4, threshold: 6, simultaneous: false },
    'user.key_issued': { ...byOwner, system: { id: 'sys_1', name: text } },
    'user.key_extended': { ...byOwner, system: { id: 'sys_1', name: text }, old_key_expires: AT },
    'ads.misconfigured': {
      system: { id: 'sys_1', name: text },
      checkpoint: { id: 'chk_1', name: text, index: 0, provider: 'provider_a' },
    },
  }
}

const stored = (type: EventType, text: string, id = 'evt_1') => ({
  id,
  type,
  data: JSON.stringify(dataWith(text)[type]),
  created_at: AT,
})
const types = Object.keys(events) as EventType[]
const read = (body: string): ChatBody => JSON.parse(body)

function size({ embeds }: ChatBody): number {
  const texts = embeds.flatMap(({ title, footer, fields }) => [
    title,
    footer.text,
    ...fields.flatMap(({ name, value }) => [name, value]),
  ])
  return texts.join('').length
}

describe('the generic form', () => {
  it.each(types)('of %s has all its fields, its time and its project', (type) => {
    expect(JSON.parse(genericBody(stored(type, LONGEST), PROJECT))).toEqual({
      type,
      timestamp: '2026-01-02T03:04:05.678Z',
      id: 'evt_1',
      version: 1,
      data: { project: PROJECT, ...dataWith(LONGEST)[type] },
    })
  })

  it('of an event without data has its project', () => {
    const event = { id: 'evt_1', type: 'webhook.test', data: '{}', created_at: AT }
    expect(JSON.parse(genericBody(event, PROJECT))).toMatchObject({ data: { project: PROJECT } })
  })
})

describe.each(types)('%s in the Discord form', (type) => {
  it.each([
    ['the longest strings', LONGEST],
    ['empty strings', ''],
    ['invisible strings', '\u200b\u2800\u3164\u202e'],
  ])('stays within every Discord limit with %s', (_, text) => {
    const many = Array.from({ length: 20 }, (_, index) => stored(type, text, `evt_${index}`))
    const { body, sent } = chatBody(many, { id: 'prj_1', name: LONGEST })
    const message = read(body)
    expect(sent.length).toBeGreaterThan(0)
    expect(message.embeds).toHaveLength(sent.length)
    expect(message.embeds.length).toBeLessThanOrEqual(CHAT_LIMITS.embeds)
    expect(message.username.length).toBeLessThanOrEqual(CHAT_LIMITS.username)
    expect(size(message)).toBeLessThanOrEqual(CHAT_LIMITS.total)
    for (const { title, fields } of message.embeds) {
      expect(title.length).toBeLessThanOrEqual(CHAT_LIMITS.title)
      expect(fields.length).toBeLessThanOrEqual(CHAT_LIMITS.fields)
      for (const { name, value } of fields) {
        expect(name).not.toBe('')
        expect(value.trim()).not.toBe('')
        expect(value.length).toBeLessThanOrEqual(CHAT_LIMITS.value)
      }
    }
  })

  it('mentions no account, shows no key, and escapes all formatting', () => {
    const { body } = chatBody([stored(type, LONGEST)], PROJECT)
    expect(read(body).allowed_mentions).toEqual({ parse: [] })
    expect(body).not.toContain(KEY)
    for (const { fields } of read(body).embeds) {
      for (const { value } of fields) {
        expect(value).not.toMatch(/(?<!\\)@everyone|(?<!\\)\]\(|(?<!\\)\*\*|[\u200b-\u200f\u202a-\u202e]/)
      }
    }
  })
})

describe('strings in the Discord form', () => {
  it('are never cut between a backslash and its character', () => {
    for (let most = 5; most < 60; most += 1) {
      const text = plainText('*_~`|<@1>'.repeat(20), most)
      expect(text.length).toBeLessThanOrEqual(most)
      expect(text.replace(/\\./g, '')).toMatch(/^\d*…$/)
    }
  })

  it('are never cut within a character', () => {
    for (let most = 2; most < 20; most += 1)
      expect(plainText('😀'.repeat(30), most).isWellFormed()).toBe(true)
  })

  it('show missing values as N/A', () => {
    for (const nothing of [null, undefined, '', ' \n', '\u200b', '\ufeff', '\u3164'])
      expect(plainText(nothing)).toBe('N/A')
  })

  it('mention an account by its id only', () => {
    expect(mentionText('123456789012345678')).toBe('<@123456789012345678>')
    expect(mentionText('&123456')).toBe('&123456')
    expect(mentionText('123456> @everyone <@1')).toBe('123456\\> \\@everyone \\<\\@1')
  })

  it('give a sender no name that Discord rejects', () => {
    const names = ['Discord Hub', 'clyde', '@everyone', 'here', '```', '', 'a#b:c', 'x'.repeat(200)]
    for (const name of names) {
      const sender = senderName(name, 'Scriptward')
      expect(sender).not.toMatch(/discord|clyde|^everyone$|^here$|[@#:`]|^$/i)
      expect(sender.length).toBeLessThanOrEqual(80)
    }
  })

  it('mask a key so that it cannot be used', () => {
    expect(maskKey(KEY)).toBe('abcd…wxyz')
    expect(maskKey('short')).toBe('…')
  })
})
