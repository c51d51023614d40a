/** Importing records from seven services and from spreadsheets: which data is kept, reported or rejected. */
import { describe, expect, it } from 'vitest'
import { effort } from '../../../../client/test/effort.ts'
import { anyEngine } from '../../../test/databases.ts'
import { START, serverOn } from '../../../test/harness.ts'
import { createOwner, readUser } from '../../../test/nouns.ts'

const DAY = 86_400_000
const SECONDS = START / 1000
const RECORDS = effort({ day: 10_000, night: 100_000 })
/** Index of the invalid record, which is far from both ends of the list. */
const INVALID = 0.77 * RECORDS

type Case = readonly [service: string, records: readonly object[], users: Readonly<Record<string, object>>]

const CASES: readonly Case[] = [
  [
    'luarmor',
    [
      {
        ...{
          user_key: 'lr-used-key',
          identifier: 'a9f0',
          identifier_type: 'hwid',
          discord_id: '18465',
          status: 'active',
        },
        ...{
          auth_expire: SECONDS + 86_400,
          last_reset: SECONDS - 60,
          total_resets: 2,
          banned: 0,
          ban_reason: '',
        },
        ...{ ban_expire: -1, ban_ip: '', unban_token: 'x', total_executions: 41, note: 'order 7' },
      },
      { user_key: 'lr-waiting', auth_expire: -1, key_days: 30, total_executions: 0, banned: 0 },
      { user_key: 'lr-banned', auth_expire: -1, banned: 1, ban_reason: 'leaked', ban_expire: SECONDS + 60 },
      { user_key: 'lr-free', auth_expire: -1, banned: 1, ban_reason: 'long ago', ban_expire: SECONDS - 60 },
    ],
    {
      'lr-used-key': {
        ...{
          chat_id: '18465',
          executions: 41,
          key_expires: START + DAY,
          last_reset: START - 60_000,
          note: 'order 7',
        },
        ...{
          total_fingerprint_resets: 2,
          foreign_device: 'a9f0',
          fingerprint_assigned: false,
          blacklisted: false,
        },
      },
      'lr-waiting': {
        status: 'not_started',
        clock: { basis: 'first_use', duration: 30 * DAY },
        key_expires: null,
      },
      'lr-banned': { blacklisted: true, blacklist_reason: 'leaked', blacklist_expires: START + 60_000 },
      'lr-free': { blacklisted: false },
    },
  ],
  [
    'luaauth',
    [
      {
        ...{ key: 'la-key-0001', discord_id: '9', executor: 'Wave', executions: 3, key_expires: START + DAY },
        ...{ last_reset: START - 1000, total_fingerprint_resets: 1, note: 'n', blacklisted: true },
        ...{ blacklist_reason: 'shared', blacklist_expires: null, fingerprint_assigned: true },
        luaauth_fingerprint: 'ab…cd',
      },
    ],
    {
      'la-key-0001': {
        ...{
          chat_id: '9',
          executor: 'Wave',
          executions: 3,
          key_expires: START + DAY,
          last_reset: START - 1000,
        },
        ...{
          blacklisted: true,
          blacklist_reason: 'shared',
          foreign_device: 'ab…cd',
          fingerprint_assigned: false,
        },
      },
    },
  ],
  [
    'junkie',
    [
      {
        ...{ key_value: 'jk/used key', expires_at: '2026-07-01T00:00:00Z', used_at: '2026-06-01T10:00:00' },
        ...{ is_premium: true, is_invalidated: false, one_time_use: false, expiry_on_first_use: true },
        ...{ validity_minutes: 60, no_hwid: true, key_name: 'for Ä', hwid_limit: 2, discord_id: null },
        ...{ hwids: [{ hwid: 'one', bound_at: 'x', bound_by: 'y' }, { hwid: 'two' }], service_id: 1 },
      },
      {
        key_value: 'jk-new',
        expiry_on_first_use: true,
        validity_minutes: 90,
        expires_at: null,
        one_time_use: true,
      },
      { key_value: 'jk-gone', is_invalidated: true },
    ],
    {
      'jk/used key': {
        ...{ key_expires: Date.UTC(2026, 6, 1), first_used_at: Date.UTC(2026, 5, 1, 10), note: 'for Ä' },
        ...{ own_features: { premium: true }, use_fingerprint: false, foreign_device: 'one two' },
        ...{ max_devices: 2, issued_to: 'y' },
      },
      'jk-new': { clock: { basis: 'first_use', duration: 90 * 60_000 }, max_executions: 1 },
      'jk-gone': { blacklisted: true, blacklist_reason: 'invalidated before the move' },
    },
  ],
  [
    'aureva',
    [
      {
        ...{
          key: 'av-key-1',
          status: 'active',
          discord_id: '5',
          hwid: 'h1',
          user_note: 'vip',
          is_active: true,
        },
        ...{ is_blacklisted: false, max_uses: -1, usage_count: 12, hwid_reset_count: 3, is_premium: 1 },
        ...{ expires_at: '2027-01-01 00:00:00', daily_limit: 5, tags: ['a'] },
      },
      { key: 'av-key-2', usage_count: 0, is_active: false, max_uses: 10 },
    ],
    {
      'av-key-1': {
        ...{ chat_id: '5', note: 'vip', executions: 12, total_fingerprint_resets: 3, max_executions: null },
        ...{ key_expires: Date.UTC(2027, 0, 1), own_features: { premium: true }, foreign_device: 'h1' },
      },
      'av-key-2': { status: 'paused', max_executions: 10 },
    },
  ],
  [
    'leaf7',
    [
      { key_id: 'l7-new', redeemed: false, discord_id: '', key_days: 7, key_hours: 1, key_minutes: 1 },
      { key_id: 'l7-used', redeemed: true, key_days: 1, key_hours: 0, key_minutes: 0, created_at: SECONDS },
      { key_id: 'l7-life', redeemed: true, key_days: 0, key_hours: 0, key_minutes: 0 },
    ],
    {
      'l7-new': { clock: { basis: 'first_use', duration: 7 * DAY + 3_660_000 }, chat_id: null },
      'l7-used': { key_expires: START + DAY },
      'l7-life': { key_expires: null, clock: null },
    },
  ],
  [
    'keyauth',
    [
      {
        key: 'KA-NEW1',
        note: null,
        expires: '86400',
        status: 'Not Used',
        level: '2',
        genby: 'me',
        gendate: '1',
      },
      { key: 'KA-USED', expires: 86_400, status: 'Used', level: 1, usedon: SECONDS, usedby: 'grace' },
      { key: 'KA-BAD1', expires: 86_400, status: 'Banned', banned: 'chargeback', genby: 'me' },
    ],
    {
      'KA-NEW1': { clock: { basis: 'first_use', duration: DAY }, own_features: { level: 2 } },
      'KA-USED': { key_expires: START + DAY, first_used_at: START, executions: 1 },
      'KA-BAD1': { blacklisted: true, blacklist_reason: 'chargeback' },
    },
  ],
  [
    'keyauth',
    [
      {
        ...{ username: 'grace', email: null, hwid: 'S-1-5-21', ip: '203.0.113.7', banned: null },
        ...{ createdate: SECONDS - 100, lastlogin: String(SECONDS), cooldown: null, password: '$2y$10$x' },
        subscriptions: [
          { subscription: 'trial', key: 'KA-TRIAL', expiry: String(SECONDS - 60), timeleft: 0 },
          { subscription: 'pro', key: 'KA-PRO', expiry: String(SECONDS + 86_400), timeleft: 86_400 },
        ],
      },
      {
        ...{ username: 'linus', banned: 'chargeback', lastlogin: null },
        subscriptions: [{ subscription: 'pro', key: 'KA-LINUS', expiry: SECONDS + 60 }],
      },
    ],
    {
      'KA-PRO': {
        ...{ issued_to: 'grace', key_expires: START + DAY, own_features: { subscription: 'pro' } },
        ...{ foreign_device: 'S-1-5-21', first_used_at: START, executions: 1 },
      },
      'KA-LINUS': { issued_to: 'linus', blacklisted: true, blacklist_reason: 'chargeback', executions: 0 },
    },
  ],
  ['keygen', [{ type: 'licenses', attributes: { key: 'KG-FEW', expiry: null } }], { 'KG-FEW': {} }],
  [
    'keygen',
    [{ key: 'KG-FLAT', expiry: '2026-12-24' }],
    { 'KG-FLAT': { key_expires: Date.UTC(2026, 11, 24) } },
  ],
  [
    'keygen',
    [
      {
        ...{ id: 'x', type: 'licenses' },
        attributes: {
          ...{ key: 'KG-0001-AA', name: 'Ada', expiry: '2026-12-24T18:00:00.000Z', uses: 4, maxUses: 9 },
          ...{
            maxMachines: 2,
            suspended: true,
            metadata: {},
            created: '2026-01-01T00:00:00Z',
            protected: true,
          },
        },
      },
    ],
    {
      'KG-0001-AA': {
        ...{ note: 'Ada', key_expires: Date.UTC(2026, 11, 24, 18), executions: 4, max_executions: 9 },
        ...{ status: 'paused', max_devices: 2 },
      },
    },
  ],
]

describe.each(anyEngine)('importing from other services on $name', (engine) => {
  const { at } = serverOn(engine)
  const open = async () => {
    const { owner, project } = await createOwner(at())
    const move = (body: object) => owner.post(`/v1/projects/${project}/users/import`, body)
    return { owner, project, move }
  }

  it.each(CASES)('detects an export of %s and keeps its user data', async (service, users, expected) => {
    const { owner, move } = await open()
    const dry = await move({ users, from: 'auto', dry_run: true })
    expect(dry.body).toMatchObject({
      from: service,
      imported: users.length,
      skipped: 0,
      skipped_entries: [],
    })
    const { body } = await move({ users, from: service })
    expect(body).toMatchObject({ from: service, imported: users.length, mapped: expect.any(Object) })
    for (const [key, members] of Object.entries(expected))
      expect(await readUser(owner, encodeURIComponent(key)), key).toMatchObject(members)
    expect((await move({ users, from: 'auto' })).body).toMatchObject({ imported: 0, skipped: users.length })
  })

  it('lists each ignored field once and still imports the records', async () => {
    const { move } = await open()
    const users = Array.from({ length: 3 }, (_, i) => ({ user_key: `lr-key-${i}`, script: 'a', hooks: i }))
    expect((await move({ users, from: 'auto' })).body).toMatchObject({
      imported: 3,
      unknown_members: ['script', 'hooks'],
    })
  })

  it.each([
    ['user_key', { user_key: 'a b' }, 'key: must be'],
    ['user_key', { user_key: 'ключ-ключ' }, 'key: must be'],
    ['user_key', { user_key: 'x'.repeat(513) }, 'user_key: must have at most 512'],
    ['auth_expire', { user_key: 'good-key', auth_expire: 'tomorrow' }, 'auth_expire: must be a timestamp'],
    [
      'total_executions',
      { user_key: 'good-key', total_executions: 1.5 },
      'total_executions: must be a whole',
    ],
    ['banned', { user_key: 'good-key', banned: 'perhaps' }, 'banned: must be true or false'],
    ['note', { user_key: 'good-key', note: 'x'.repeat(256) }, 'note: must have at most 255'],
    ['key that is missing', { note: 'no key', auth_expire: 1 }, 'key: is missing'],
    ['type', 'abc', 'key: is missing'],
    ['type', null, 'is not an object'],
  ])('skips a record with an invalid %s and reports the reason: %j', async (_, bad, reason) => {
    const { move } = await open()
    const users = [{ user_key: 'fine-key', auth_expire: -1 }, bad]
    const { body } = await move({ users, from: 'luarmor' })
    expect(body).toMatchObject({ imported: 1, skipped: 1 })
    expect((body.skipped_entries as { reason: string }[])[0]?.reason).toContain(reason)
  })

  it('accepts a spreadsheet with a byte order mark and semicolons, and rejects a truncated one', async () => {
    const { owner, move } = await open()
    const csv = `\uFEFFuser_key;auth_expire;banned;note\r\ncsv-key-1;${SECONDS + 60};0;"a; b"\r\ncsv-key-2;-1;1;\r\n\r\n`
    expect((await move({ csv })).body).toMatchObject({ from: 'luarmor', imported: 2, skipped: 0 })
    expect(await readUser(owner, 'csv-key-1')).toMatchObject({ key_expires: START + 60_000, note: 'a; b' })
    expect(await readUser(owner, 'csv-key-2')).toMatchObject({ blacklisted: true })
    const cut = await move({ csv: 'user_key,note\ncut-key-1,"a no' })
    expect(cut).toMatchObject({ status: 400, error: { failed: [{ field: 'csv' }] } })
    expect((await move({ csv, users: [] })).error.failed).toMatchObject([{ field: 'csv' }])
  })

  it('uses the first of two columns with the same name, and writes nothing to standard error', async () => {
    const { owner, move } = await open()
    const csv = `key,note,note,note_1\ntwice-key-1,first,second,third`
    expect((await move({ csv })).body).toMatchObject({ imported: 1, skipped: 0 })
    expect(await readUser(owner, 'twice-key-1')).toMatchObject({ note: 'first' })
  })

  it('generates a key for a KeyAuth user without a license, and skips users without a subscription', async () => {
    const { owner, project, move } = await open()
    const users = [
      { username: 'ada', subscriptions: [{ subscription: 'pro', expiry: SECONDS + 60 }] },
      { username: 'alan', subscriptions: [] },
    ]
    const { body } = await move({ users, from: 'auto' })
    expect(body).toMatchObject({ from: 'keyauth', imported: 1, skipped: 1 })
    expect(body.skipped_entries).toEqual([
      { index: 1, type: 'invalid', reason: expect.stringMatching(/^subscriptions: is empty/) },
    ])
    const found = (await owner.get(`/v1/projects/${project}/users`)).body.users
    expect(found).toMatchObject([{ issued_to: 'ada', key: expect.stringMatching(/^\w{32}$/) }])
  })

  it('accepts one key per line with any characters, with or without a heading', async () => {
    const { owner, project, move } = await open()
    const keysOf = async () => {
      const { users } = (await owner.get(`/v1/projects/${project}/users`)).body
      return (users as { key: string }[]).map(({ key }) => key)
    }
    const lines = '\uFEFFLIST-0001\r\n\r\nLIST-"2";x\nkey/eyJh=.c2ln\n'
    expect((await move({ csv: lines })).body).toMatchObject({ imported: 3, skipped: 0 })
    expect((await move({ csv: 'License Keys\nLIST-0004\n', from: 'auto' })).body).toMatchObject({
      imported: 1,
    })
    expect((await move({ users: ['LIST-0005'], from: 'auto' })).body).toMatchObject({ imported: 1 })
    const keys = ['LIST-0001', 'LIST-"2";x', 'key/eyJh=.c2ln', 'LIST-0004', 'LIST-0005']
    expect(new Set(await keysOf())).toEqual(new Set(keys))
  })

  it('joins a note with several lines into one', async () => {
    const { owner, move } = await open()
    await move({ users: [{ key: 'noted-key', note: 'first\r\nsecond\tthird' }] })
    await move({ users: [{ user_key: 'noted-too', auth_expire: -1, note: 'first\nsecond' }], from: 'auto' })
    expect(await readUser(owner, 'noted-key')).toMatchObject({ note: 'first second third' })
    expect(await readUser(owner, 'noted-too')).toMatchObject({ note: 'first second' })
  })

  it('imports signed keys of 512 characters, which can then be listed, changed, exported and removed', async () => {
    const { owner, project, move } = await open()
    const key = `key/${'aB3+/='.repeat(84)}.%"\\`
    expect(key).toHaveLength(512)
    expect(
      (await move({ users: [{ type: 'licenses', attributes: { key, expiry: null } }], from: 'auto' })).body,
    ).toMatchObject({
      ...{ from: 'keygen', imported: 1 },
    })
    expect((await move({ users: [{ key: `${key}x` }] })).body).toMatchObject({ imported: 0 })
    const path = `/v1/users/${encodeURIComponent(key)}`
    expect((await owner.post(`${path}/edit`, { note: 'signed' })).status).toBe(200)
    expect((await owner.post(`${path}/extend`, { duration: 1000 })).error.type).toBe('user_never_expires')
    expect((await owner.get(`${path}/devices`)).status).toBe(200)
    const denials = `/v1/projects/${project}/denials/filter?${new URLSearchParams({ user_key: key })}`
    expect((await owner.get(denials)).status).toBe(200)
    const paused = await owner.post(`/v1/projects/${project}/users/bulk`, { action: 'pause', keys: [key] })
    expect(paused.body).toMatchObject({ count: 1 })
    expect((await owner.post(`${path}/resume`)).status).toBe(200)
    const ban = { kind: 'chat', user_key: key }
    expect((await owner.post(`/v1/projects/${project}/bans/preview`, ban)).error.type).not.toBe(
      'invalid_request',
    )
    const page = await owner.get(
      `/v1/projects/${project}/users/filter?${new URLSearchParams({ search: key })}`,
    )
    expect(page.body.users).toMatchObject([{ key, note: 'signed' }])
    const { exported } = (await owner.post(`/v1/projects/${project}/users/export`, { type: 'json' })).body
    expect((await owner.post(`${path}/remove`)).status).toBe(200)
    const other = await createOwner(at())
    const again = { users: JSON.parse(String(exported)) }
    expect((await other.owner.post(`/v1/projects/${other.project}/users/import`, again)).body).toMatchObject({
      imported: 1,
    })
    expect(await readUser(other.owner, encodeURIComponent(key))).toMatchObject({ key, note: 'signed' })
  })

  it('accepts a spreadsheet with our own column names', async () => {
    const { owner, move } = await open()
    const csv = `key,chat_id,key_expires,note\nown-key-1,123456789012345678,${START + DAY},x`
    expect((await move({ csv })).body).toMatchObject({ imported: 1, skipped: 0 })
    expect(await readUser(owner, 'own-key-1')).toMatchObject({
      ...{ chat_id: '123456789012345678', key_expires: START + DAY },
    })
  })

  it('applies a plan to keys without a duration of their own', async () => {
    const { owner, project, move } = await open()
    const plan = { name: 'Pro', clock: { basis: 'creation', duration: DAY } }
    const plan_id = (await owner.post(`/v1/projects/${project}/plans/new`, plan)).string('plan_id')
    const users = [
      { user_key: 'of-the-plan', auth_expire: -1 },
      { user_key: 'by-hand', auth_expire: SECONDS + 60 },
      { user_key: 'own-clock', auth_expire: -1, key_days: 2 },
    ]
    await move({ users, from: 'auto', plan_id })
    expect(await readUser(owner, 'of-the-plan')).toMatchObject({ plan_id, key_expires: START + DAY })
    expect(await readUser(owner, 'by-hand')).toMatchObject({ plan_id, key_expires: START + 60_000 })
    expect(await readUser(owner, 'own-clock')).toMatchObject({ plan_id, status: 'not_started' })
    const devices = { key_value: 'three-devices', hwid_limit: 3, validity_minutes: 0 }
    await move({ users: [devices], from: 'junkie', plan_id })
    expect(await readUser(owner, 'three-devices')).toMatchObject({ plan_id, max_devices: 3 })
    const none = await move({ users, from: 'auto', plan_id: 'pln_none' })
    expect(none).toMatchObject({ status: 400, error: { failed: [{ field: 'plan_id' }] } })
  })

  it(`imports ${RECORDS} records, one of them invalid`, async () => {
    const { move } = await open()
    const users = Array.from({ length: RECORDS }, (_, i) => ({
      ...{
        user_key: `many-${i}`,
        auth_expire: i === INVALID ? 'soon' : -1,
        discord_id: `${i}`,
        total_executions: i,
      },
      ...{ note: `order ${i}`, banned: 0, identifier: 'a'.repeat(64), key_days: 30 },
    }))
    const { body } = await move({ users, from: 'auto' })
    expect(body).toMatchObject({ imported: RECORDS - 1, skipped: 1 })
    expect(body.skipped_entries).toEqual([
      { index: INVALID, type: 'invalid', reason: 'auth_expire: must be a timestamp' },
    ])
  })
})
