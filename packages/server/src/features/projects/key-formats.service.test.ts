/** Key formats: the endpoints that generate keys with them, and why a format or a key is rejected. */
import { describe, expect, it } from 'vitest'
import { createSystem, earn, newVisitor, sceneOn } from '../../../test/ads/scene.ts'
import { keyOf } from '../../../test/ads/visitor.ts'
import { anyEngine } from '../../../test/databases.ts'
import type { Owner } from '../../../test/harness.ts'
import { createOwner } from '../../../test/nouns.ts'
import { isChecked, newKey } from './key-formats.ts'

const FORMAT = 'HUB-XXXXX-XXXXX-XXXXX-XXXXX-X'
const OTHER = 'XXXXXXX-XXXXXXX-XXXXXXX'
const PLAIN = /^[A-Za-z0-9]{32}$/
const KEY = newKey((count) => Buffer.alloc(count, 9), FORMAT)
/** The key with a typo in its last symbol. */
const WRONG = `${KEY.slice(0, -1)}${KEY.endsWith('2') ? '3' : '2'}`

describe.each(anyEngine)('on $name', (engine) => {
  const scene = sceneOn(engine)
  const open = async (format?: string) => {
    const { owner, project } = await createOwner(scene().server)
    if (format !== undefined) await owner.post(`/v1/projects/${project}/edit`, { key_format: format })
    return { owner, project, at: `/v1/projects/${project}` }
  }
  const shown = async (owner: Owner, at: string) =>
    ((await owner.get(at)).body.project as { key_format: string | null }).key_format
  const count = async (owner: Owner, at: string) => (await owner.get(`${at}/users`)).body.total

  it('every way to create a key uses the format of the project', async () => {
    const { owner, project, at } = await open(FORMAT)
    const one = (await owner.post(`${at}/users/new`, {})).string('user_key')
    const many = (await owner.post(`${at}/users/generate`, { amount: 3 })).body.user_keys as string[]
    await owner.post(`${at}/users/import`, { users: [{ note: 'moved' }] })
    const { users } = (await owner.get(`${at}/users?order=newest&limit=1`)).body as {
      users: { key: string; note: string }[]
    }
    expect(users[0]?.note).toBe('moved')
    const system = await createSystem(scene(), ['a'], {}, { owner, project })
    const earned = keyOf(await earn(scene(), system, newVisitor()))
    const keys = [one, ...many, users[0]?.key ?? '', earned]
    expect(keys.map((key) => [key, isChecked(FORMAT, key)])).toEqual(keys.map((key) => [key, true]))
    expect(new Set(keys).size).toBe(6)
  })

  it('a call can override the format or omit it', async () => {
    const { owner, at } = await open(FORMAT)
    const make = async (format: string) => {
      const one = (await owner.post(`${at}/users/new`, { format })).string('user_key')
      const { user_keys } = (await owner.post(`${at}/users/generate`, { amount: 2, format })).body
      return [one, ...(user_keys as string[])]
    }
    for (const key of await make(OTHER)) expect([key, isChecked(OTHER, key)]).toEqual([key, true])
    for (const key of await make('')) expect(key).toMatch(PLAIN)
    expect(await shown(owner, at)).toBe(FORMAT)
  })

  it('without a format, and in the unversioned API, keys keep their original form', async () => {
    const { owner, project, at } = await open()
    expect(await shown(owner, at)).toBeNull()
    expect((await owner.post(`${at}/users/new`, {})).string('user_key')).toMatch(PLAIN)
    expect((await owner.post(`/projects/${project}/users/new`, {})).string('user_key')).toMatch(PLAIN)
    const sent = { key_format: FORMAT, name: 'other' }
    expect((await owner.post(`/projects/${project}/edit`, sent)).status).toBe(400)
    expect((await owner.post(`/projects/${project}/users/new`, { format: FORMAT })).status).toBe(400)
    expect((await owner.get(`/projects/${project}`)).body.project).not.toHaveProperty('key_format')
    expect(await shown(owner, at)).toBeNull()
  })

  it('an empty string clears the format; a value that is not a string or is missing leaves it unchanged', async () => {
    const { owner, at } = await open(` ${FORMAT} `)
    await owner.post(`${at}/edit`, { name: 'renamed', key_format: null })
    expect(await shown(owner, at)).toBe(FORMAT)
    await owner.post(`${at}/edit`, { key_format: '' })
    expect(await shown(owner, at)).toBeNull()
    expect((await owner.post(`${at}/users/new`, {})).string('user_key')).toMatch(PLAIN)
  })

  it('a guessable format is rejected with an error that names it, and nothing changes', async () => {
    const { owner, at } = await open(FORMAT)
    const edit = await owner.post(`${at}/edit`, { name: 'renamed', key_format: 'HUB-XXXXX' })
    expect([edit.status, JSON.stringify(edit.body)]).toEqual([400, expect.stringContaining('key_format')])
    expect((await owner.get(at)).body.project).toMatchObject({ key_format: FORMAT })
    expect((await owner.get(at)).body.project).not.toMatchObject({ name: 'renamed' })
    for (const [call, members] of [
      ['new', {}],
      ['generate', { amount: 2 }],
      ['generate', { amount: 2, dry_run: true }],
    ] as const) {
      const made = await owner.post(`${at}/users/${call}`, { ...members, format: 'HUB-XXXXX' })
      expect([made.status, JSON.stringify(made.body)]).toEqual([400, expect.stringContaining('"format"')])
    }
    expect(await count(owner, at)).toBe(0)
  })

  it('imported keys that loaders would take for typos are rejected, even by a dry run', async () => {
    const { owner, at } = await open(FORMAT)
    const users = [{ key: KEY }, { key: WRONG }, { key: KEY.toLowerCase() }, { key: 'k'.repeat(32) }, {}]
    for (const dry_run of [true, false]) {
      const { body } = await owner.post(`${at}/users/import`, { users, dry_run })
      expect(body).toMatchObject({ imported: 3, skipped: 2 })
      const reason = expect.stringMatching(/^key: matches the project's key format .* typo$/)
      expect(body.skipped_entries).toEqual([
        { index: 1, type: 'invalid', reason },
        { index: 2, type: 'invalid', reason },
      ])
    }
    expect(await count(owner, at)).toBe(3)
  })

  it('a format is rejected if its loaders would take existing keys for typos', async () => {
    const { owner, at } = await open()
    await owner.post(`${at}/users/generate`, { amount: 3 })
    await owner.post(`${at}/users/import`, { users: [{ key: KEY }, { key: WRONG }] })
    const edit = await owner.post(`${at}/edit`, { key_format: FORMAT })
    expect([edit.status, JSON.stringify(edit.body)]).toEqual([
      400,
      expect.stringContaining('matches keys issued elsewhere'),
    ])
    expect(JSON.stringify(edit.body)).not.toContain(WRONG)
    expect(await shown(owner, at)).toBeNull()
    expect((await owner.post(`${at}/edit`, { key_format: `PRO-${FORMAT.slice(4)}` })).status).toBe(200)
    await owner.post(`/v1/users/${WRONG}/remove`, {})
    expect((await owner.post(`${at}/edit`, { key_format: FORMAT })).status).toBe(200)
  })
})
