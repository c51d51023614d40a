/**
 * Tests license management with `scriptward` as authors run it, against a real server: plans, bulk changes,
 * blocks, announcements, devices, undo and webhook endpoints.
 */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { isChecked } from '../packages/server/src/features/projects/key-formats.ts'
import { sqlite } from '../packages/server/test/databases.ts'
import { type Owner, serverOn } from '../packages/server/test/harness.ts'
import { bindDevice, createOwner, createProject, createScript } from '../packages/server/test/nouns.ts'
import { commandFolder, type Folder } from './command-line-scene.ts'

const DAY = 86_400_000

const { at } = serverOn(sqlite)
let owner: Owner
let project = ''
let folder: Folder

beforeAll(async () => {
  at().clock.now = Date.now()
  ;({ owner } = await createOwner(at()))
  folder = commandFolder(() => ({ SCRIPTWARD_URL: at().url, SCRIPTWARD_TOKEN: owner.apiKey }))
})
afterAll(() => folder?.remove())
beforeEach(async () => {
  project = await createProject(owner)
})

const run = (...words: string[]) => folder.run(words)
const inProject = (...words: string[]) => folder.run([...words, '--project', project])
const cells = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))

describe('the users of a project', () => {
  it('can be created on a plan, extended before their first use, paused and resumed', async () => {
    const clock = { basis: 'first_use', duration: 30 * DAY }
    const made = await owner.post(`/v1/projects/${project}/plans/new`, { name: 'Pro', clock })
    const plan = made.string('plan_id')
    expect(cells((await inProject('plans')).stdout)).toEqual([[plan, 'Pro', '30d', 'first use', '0', '1']])
    const key = (await inProject('users', 'add', '--plan', plan)).stdout.trim()
    expect((await run('users', 'extend', '2d', key)).stdout).toBe(`extended ${key} by 2d\n`)
    expect((await run('users', 'pause', key)).stdout).toBe(`paused ${key}\n`)
    const paused = await inProject('users', 'list', '--status', 'paused', '--plan', plan, '--json')
    expect(JSON.parse(paused.stdout)).toMatchObject({ key, plan_id: plan })
    expect((await run('users', 'resume', key)).stdout).toBe(`resumed ${key}\n`)
    expect((await run('users', 'resume', key)).status).toBe(2)
  })

  it('can get keys in a custom format', async () => {
    const format = 'HUB-XXXXX-XXXXX-XXXXX-XXXXX-X'
    const one = await inProject('users', 'add', '--format', format)
    const many = await inProject('users', 'generate', '2', '--format', format)
    const keys = `${one.stdout}${many.stdout}`.trim().split('\n')
    expect(keys.map((key) => isChecked(format, key))).toEqual([true, true, true])
    const short = await inProject('users', 'add', '--format', 'HUB-XXXXX')
    expect([short.status, short.stdout]).toEqual([2, ''])
    expect(short.stderr).toContain('at least 21 X')
  })

  it('can have a device named and unbound', async () => {
    const key = (await inProject('users', 'add')).stdout.trim()
    await bindDevice(at(), project, key)
    const [device = ''] = cells((await run('users', 'devices', key)).stdout)[0] ?? []
    const named = await run('users', 'name-device', key, device, 'Desk')
    expect(named.stdout).toBe(`named ${device} 'Desk'\n`)
    expect(cells((await run('users', 'devices', key)).stdout)[0]?.[1]).toBe('Desk')
    expect((await run('users', 'release', key, device)).stdout).toBe(`unbound ${device} from ${key}\n`)
    expect((await run('users', 'devices', key)).stdout).toBe('')
  })

  it('are listed by expiry, note or last use', async () => {
    const of = ['--project', await createProject(owner)]
    for (const [note, expires] of [
      ['later', '9d'],
      ['never', 'never'],
      ['soon', '1d'],
    ] as const)
      await run('users', 'add', ...of, '--note', note, '--expires', expires)
    const notes = async (...words: string[]) =>
      cells((await run('users', 'list', ...of, ...words)).stdout).map((cell) => cell.at(-1))
    expect(await notes()).toEqual(['soon', 'never', 'later'])
    expect(await notes('--sort', 'expires')).toEqual(['soon', 'later', 'never'])
    expect(await notes('--sort', 'note', '--order', 'desc')).toEqual(['soon', 'never', 'later'])
    expect((await run('users', 'list', ...of, '--sort', 'runs')).status).toBe(1)
  })

  it('are restored when their deletion is undone', async () => {
    const key = (await inProject('users', 'add')).stdout.trim()
    await run('users', 'remove', key, '--yes')
    const [change = '', , what, count] = cells((await inProject('changes', 'list')).stdout)[0] ?? []
    expect([what, count]).toEqual(['remove', '1'])
    expect((await run('changes', 'undo', change)).stdout).toBe(`${change} undone: 1 restored\n`)
    expect(cells((await inProject('users', 'list')).stdout)[0]?.[0]).toBe(key)
  })

  it('can be imported from an export of another service, a CSV file and a list of keys', async () => {
    folder.write(
      'theirs.json',
      JSON.stringify({ users: [{ user_key: 'their-key-1', note: 'old', hooks: 1 }] }),
    )
    const moved = await inProject('users', 'import', 'theirs.json')
    expect([moved.status, moved.stdout]).toEqual([0, 'imported 1, skipped 0\n'])
    expect(moved.stderr).toContain('hooks')
    folder.write('table.csv', 'key;note\ntable-key-1;a\ntable-key-2;b\n')
    const words = ['users', 'import', 'table.csv']
    expect((await inProject(...words, '--dry-run')).stdout).toBe('would import 2, skipped 0\n')
    expect((await inProject(...words)).stdout).toBe('imported 2, skipped 0\n')
    expect((await inProject(...words)).stdout).toBe('imported 0, skipped 2\n')
    folder.write('keys.txt', 'line-key-1\nline-key-2\n')
    expect((await inProject('users', 'import', 'keys.txt')).stdout).toBe('imported 2, skipped 0\n')
    const licenses = { success: true, keys: [{ key: 'KA-1', genby: 'me', expires: '60' }] }
    folder.write('keyauth.json', JSON.stringify(licenses))
    expect((await inProject('users', 'import', 'keyauth.json')).stdout).toBe('imported 1, skipped 0\n')
  })

  it('are all counted when more of them are skipped than the server lists', async () => {
    folder.write('many.txt', Array.from({ length: 1002 }, (_, i) => `many-key-${i}\n`).join(''))
    expect((await inProject('users', 'import', 'many.txt')).stdout).toBe('imported 1002, skipped 0\n')
    const again = await inProject('users', 'import', 'many.txt')
    expect([again.status, again.stdout]).toEqual([0, 'imported 0, skipped 1002\n'])
    expect(again.stderr).toContain('many.txt: 2 more entries were skipped.\n')
    const { stdout } = await inProject('users', 'import', 'many.txt', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ imported: 0, skipped_total: 1002 })
  })

  it('are not imported from a table in another encoding, which would garble their notes', async () => {
    folder.write('latin.csv', Buffer.from('key;note\nlatin-key-1;Ren\xe9\n', 'latin1'))
    const { status, stdout, stderr } = await inProject('users', 'import', 'latin.csv')
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toBe('scriptward: latin.csv: not valid UTF-8. Save the file as UTF-8.\n')
  })
})

describe('plans', () => {
  const plansNow = async () => (await owner.get(`/v1/projects/${project}/plans`)).body.plans

  it('can be created with every field, edited field by field, and removed while moving their users', async () => {
    const script = await createScript(owner, project)
    const made = await inProject(
      ...['plans', 'add', 'Pro', '--clock', 'first_use:1d12h', '--grace', '1d'],
      ...['--after-expiry', 'keep_version', '--max-instances', '2', '--max-executions', '1000'],
      ...['--quota', '100/week', '--scripts', script, '--max-devices', '3', '--match', 'tolerant'],
      ...['--max-resets', '2/30d', '--feature', 'turbo', '--feature', 'slots=3', '--feature', 'code="7"'],
      ...['--resellable', 'on', '--chat-role', '301245678901234571'],
    )
    const pro = made.stdout.trim()
    expect(await plansNow()).toMatchObject([
      {
        ...{ id: pro, name: 'Pro', clock: { basis: 'first_use', duration: 1.5 * DAY }, grace: DAY },
        ...{ after_expiry: 'keep_version', max_instances: 2, max_executions: 1000 },
        ...{ quota: { count: 100, period: 'week' }, scripts: [script], max_devices: 3, match: 'tolerant' },
        ...{
          max_resets: { count: 2, period: 30 * DAY },
          resellable: true,
          chat_role_id: '301245678901234571',
        },
        features: { turbo: true, slots: 3, code: '7' },
      },
    ])
    const key = (await inProject('users', 'add', '--plan', pro)).stdout.trim()
    const words = [
      '--feature',
      'slots=5',
      '--without-feature',
      'turbo',
      '--quota',
      'none',
      '--clock',
      'never',
    ]
    const more = ['--scripts', 'all', '--max-instances', 'none', '--resellable', 'off', '--chat-role', 'none']
    const edited = await run('plans', 'edit', pro, ...words, ...more)
    expect([edited.stdout, edited.stderr]).toEqual([`updated ${pro}\n`, ''])
    expect(await plansNow()).toMatchObject([
      {
        ...{ clock: { duration: null }, quota: null, scripts: null, max_instances: null },
        ...{ grace: DAY, features: { slots: 5, code: '7' }, resellable: false, chat_role_id: null },
      },
    ])
    expect((await run('plans', 'remove', pro)).status).toBe(1)
    const used = await run('plans', 'remove', pro, '--yes')
    expect([used.status, used.stderr]).toEqual([2, expect.stringContaining('plan')])
    const basic = (await inProject('plans', 'add', 'Basic')).stdout.trim()
    const removed = await run('plans', 'remove', pro, '--move-to', basic, '--yes')
    expect(removed.stdout).toBe(`removed ${pro} and moved its users to ${basic}\n`)
    expect((await owner.get(`/v1/users/${key}`)).body.user).toMatchObject({ plan_id: basic })
  })

  it('are rejected with a message about the invalid option', async () => {
    const wrong = [
      [['--clock', '30d'], "Use 'first_use:30d'"],
      [['--clock', 'creation:soon'], "'soon' is not a duration"],
      [['--quota', '100'], "Use '100/day'"],
      [['--max-resets', '2'], "Use '2/30d'"],
      [['--max-devices', 'many'], '--max-devices must be a whole number'],
      [['--feature', 'turbo=false'], '--without-feature turbo'],
    ] as const
    for (const [words, says] of wrong) {
      const { status, stderr } = await inProject('plans', 'add', 'Pro', ...words)
      expect([words, status, stderr]).toEqual([words, 1, expect.stringContaining(says)])
    }
    const plan = (await inProject('plans', 'add', 'Pro')).stdout.trim()
    expect((await run('plans', 'edit', plan)).stderr).toContain('Nothing to change')
    expect((await run('plans', 'edit', plan, '--without-feature', 'x')).stderr).toContain("no feature 'x'")
    const refused = await inProject('plans', 'add', 'Many', '--max-devices', '999')
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining('max_devices')])
    expect(await plansNow()).toHaveLength(1)
  })
})

describe('a bulk change', () => {
  const two = async () =>
    (await inProject('users', 'generate', '2', '--expires', '30d')).stdout.trim().split('\n')
  const userOf = async (key: string) =>
    (await owner.get(`/v1/users/${key}`)).body.user as Record<string, unknown>

  it('can be previewed, selects users by a filter, and can be undone', async () => {
    const [first = '', second = ''] = await two()
    await inProject('users', 'bulk', 'tag', '--tags', 'autumn, vip', first, '--yes')
    expect(cells((await inProject('users', 'list', '--tag', 'vip')).stdout).map(([key]) => key)).toEqual([
      first,
    ])
    const before = await userOf(first)
    const words = ['users', 'bulk', 'extend', '--for', '7d', '--tag', 'vip']
    const dry = await inProject(...words, '--dry-run')
    expect(dry.stdout).toMatch(
      new RegExp(`^would extend 1 user\\n${first}\\t\\tkey_expires: 20.* → 20.*\\n$`),
    )
    const unasked = await inProject(...words)
    expect([unasked.status, unasked.stdout, unasked.stderr]).toEqual([
      ...[1, '', expect.stringContaining('would extend 1 user. Pass --yes')],
    ])
    expect(await userOf(first)).toEqual(before)
    const done = await inProject(...words, '--yes')
    expect(done.stdout).toBe('extended 1 user\n')
    const [, change = ''] = /scriptward changes undo (chg_\w+)/.exec(done.stderr) ?? []
    expect(await userOf(first)).toMatchObject({ key_expires: Number(before.key_expires) + 7 * DAY })
    expect((await run('changes', 'undo', change)).status).toBe(0)
    expect(await userOf(first)).toEqual(before)
    expect(await userOf(second)).toMatchObject({ tags: [] })
  })

  it('can pause, resume, block, move to a plan, tag, untag, reset and remove users by key', async () => {
    const keys = await two()
    const plan = (await inProject('plans', 'add', 'Pro')).stdout.trim()
    const steps = [
      [['pause'], { status: 'paused' }],
      [['resume'], { paused: null }],
      [['blacklist', '--for', '1d', '--reason', 'shared'], { blacklisted: true, blacklist_reason: 'shared' }],
      [['unblacklist'], { blacklisted: false }],
      [['plan', '--to', plan], { plan_id: plan }],
      [['tag', '--tags', 'a,b'], { tags: ['a', 'b'] }],
      [['untag', '--tags', 'a'], { tags: ['b'] }],
    ] as const
    for (const [words, then] of steps) {
      const json = await inProject('users', 'bulk', ...words, ...keys, '--yes', '--json')
      expect(JSON.parse(json.stdout)).toMatchObject({ action: words[0], count: 2 })
      for (const key of keys) expect(await userOf(key)).toMatchObject(then)
    }
    await bindDevice(at(), project, keys[0] ?? '')
    const reset = await inProject('users', 'bulk', 'reset', ...keys, '--yes')
    expect(reset.stdout).toBe('reset the devices of 1 user\n')
    expect((await inProject('users', 'bulk', 'reset', ...keys)).stdout).toBe('reset the devices of 0 users\n')
    expect((await inProject('users', 'bulk', 'remove', ...keys, '--yes')).stdout).toBe('removed 2 users\n')
    const [change = '', , what, , who] = cells((await inProject('changes', 'list')).stdout)[0] ?? []
    expect([what, who]).toEqual(['remove', keys.join(', ')])
    const users = cells((await run('changes', 'users', change)).stdout)
    expect(users.map(([key]) => key)).toEqual(keys)
    expect((await inProject('users', 'list')).stdout).toBe('')
  })

  it('changes nothing if a key does not exist or the options do not fit the action', async () => {
    const [first = ''] = await two()
    const before = await userOf(first)
    const missing = await inProject('users', 'bulk', 'pause', first, 'nobody-has-it', '--yes')
    expect([missing.status, missing.stderr]).toEqual([
      2,
      expect.stringContaining('nobody-has-it: no such key'),
    ])
    const wrong = [
      [['pause'], 'Select users either by key'],
      [['pause', first, '--tag', 'x'], 'not both'],
      [['extend', first], 'extend requires --for'],
      [['pause', first, '--for', '1d'], "--for doesn't apply to pause"],
      [['dance', first], 'Allowed choices'],
    ] as const
    for (const [words, says] of wrong) {
      const { status, stderr } = await inProject('users', 'bulk', ...words, '--yes')
      expect([words, status, stderr]).toEqual([words, 1, expect.stringContaining(says)])
    }
    expect(await userOf(first)).toEqual(before)
  })

  it('is not needed to edit the clock, plan, tags and private note of one user', async () => {
    const plan = (await inProject('plans', 'add', 'Pro', '--clock', 'first_use:30d')).stdout.trim()
    const key = (await inProject('users', 'add', '--private-note', 'refunded')).stdout.trim()
    expect(await userOf(key)).toMatchObject({ note: null, private_note: 'refunded' })
    const words = ['--plan', plan, '--clock', 'first_use:7d', '--tags', 'vip', '--private-note', '']
    expect((await run('users', 'edit', key, ...words)).stdout).toBe(`updated ${key}\n`)
    expect(await userOf(key)).toMatchObject({
      has_own_clock: true,
      clock: { duration: 7 * DAY },
      tags: ['vip'],
      private_note: null,
    })
    await run('users', 'edit', key, '--clock', 'plan', '--tags', '')
    expect(await userOf(key)).toMatchObject({ has_own_clock: false, clock: { duration: 30 * DAY }, tags: [] })
  })
})

describe('announcements', () => {
  it('can be created with an end time, listed and removed', async () => {
    const made = await inProject('announcements', 'add', 'Back at ten', '--until', '2h', '--level', 'warning')
    const [id = ''] = /ann_\w+/.exec(made.stdout) ?? []
    expect(made.stdout).toMatch(/^created ann_\w+, shown until 20\S+Z\n$/)
    const [listed = []] = cells((await inProject('announcements', 'list')).stdout)
    expect([listed[0], listed[1], listed[3], listed[4]]).toEqual([id, 'warning', 'all', 'Back at ten'])
    expect((await inProject('announcements', 'remove', id)).stdout).toBe(`removed ${id}\n`)
    expect((await inProject('announcements', 'list')).stdout).toBe('')
    const unknown = await inProject('announcements', 'add', 'x', '--until', '2h', '--error', 'err_none')
    expect([unknown.status, unknown.stderr]).toEqual([
      2,
      expect.stringContaining('must be the ID of an error'),
    ])
    const never = await inProject('announcements', 'add', 'x', '--until', 'never')
    expect([never.status, never.stderr]).toEqual([1, expect.stringContaining('--until must be a duration')])
  })
})

describe('bans', () => {
  it('can be created with an expiry, listed, edited and removed', async () => {
    const made = await inProject(
      'bans',
      'add',
      'network',
      '203.0.113.0/24',
      '--for',
      '7d',
      '--reason',
      'leaks',
    )
    const ban = /ban_\w+/.exec(made.stdout)?.[0] ?? ''
    expect(made.stdout).toBe(`${ban} blocks network 203.0.113.0/24\n`)
    const [listed = []] = cells((await inProject('bans', 'list')).stdout)
    expect([listed[0], listed[2], listed[4]]).toEqual([ban, '203.0.113.0/24', 'leaks'])
    const edited = await inProject('bans', 'edit', ban, '--for', 'never', '--reason', '', '--json')
    expect(JSON.parse(edited.stdout)).toMatchObject({ id: ban, expires: null, reason: null })
    const later = await inProject('bans', 'edit', ban, '--for', '1d')
    expect(later.stdout).toMatch(/^ban_\w+ blocks network 203.0.113.0\/24 until 20/)
    expect((await inProject('bans', 'edit', ban)).stderr).toContain('Pass --for or --reason')
    expect((await inProject('bans', 'remove', ban)).status).toBe(0)
    expect((await inProject('bans', 'list')).stdout).toBe('')
    expect((await inProject('bans', 'add', 'device')).stderr).toContain('Nothing to block')
  })
})

describe('webhook endpoints', () => {
  it('can be added with filters, listed, edited, rotated, replayed to and removed', async () => {
    const address = 'https://hooks.example.com/shop'
    const words = ['--name', 'Shop', '--events', 'user.expiring,user.expired', '--json']
    const { webhook_id: id, secret } = JSON.parse(
      (await inProject('webhooks', 'add', address, ...words)).stdout,
    )
    expect(secret).toMatch(/^whsec_/)
    const [listed = []] = cells((await inProject('webhooks', 'list')).stdout)
    expect([listed[0], listed[1], listed[5]]).toEqual([id, 'Shop', address])
    expect((await inProject('webhooks', 'edit', id, '--off', '--events', 'all')).stdout).toBe(
      `updated ${id}\n`,
    )
    const { webhooks } = (await owner.get(`/v1/projects/${project}/webhooks`)).body
    expect(webhooks).toMatchObject([{ id, enabled: false, events: null }])
    const rotated = await inProject('webhooks', 'rotate', id, '--overlap', '1h')
    expect(rotated.stdout).toMatch(/^whsec_/)
    expect(rotated.stdout.trim()).not.toBe(secret)
    const recovered = await inProject('webhooks', 'recover', id, '--since', '12h')
    expect(recovered.stdout).toMatch(/^replaying 0 events since .*\n$/)
    expect((await inProject('webhooks', 'test', id)).status).toBe(0)
    expect((await inProject('webhooks', 'remove', id)).status).toBe(1)
    expect((await inProject('webhooks', 'remove', id, '--yes')).status).toBe(0)
    const unknown = await inProject('webhooks', 'add', address, '--name', 'x', '--events', 'user.nope')
    expect(unknown.status).toBe(2)
    expect(unknown.stderr).toContain('events')
  })
})
