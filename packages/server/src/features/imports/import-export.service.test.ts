/** Importing and exporting users: accepted fields, reasons for skipping an entry, and both export formats. */
import { describe, expect, test } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { countsOf, keysOf, plantUsers } from '../../../test/endpoints/users-of.ts'
import { type Owner, START, serverOn } from '../../../test/harness.ts'
import {
  bindDevice,
  changeUser,
  createOwner,
  createProject,
  createTier,
  createUser,
  expire,
  readUser,
} from '../../../test/nouns.ts'

const SECONDS = 1_900_000_000
const CHAT_TAKEN = 'chat_id: is already linked to another user in the project'

/** Records with other services' field names, each followed by the expected result. */
const MOVED = [
  { chat_id: ' 1 ', note: ' bought ', executor: 'Wave', auth_expire: SECONDS },
  { chat: '2', hwid: 'device', key_expires: SECONDS * 1000, blacklisted: false, blacklist_reason: 'old' },
  { identifier: 'x', executor: 'Wave', blacklisted: true, blacklist_reason: 'r', blacklist_expires: SECONDS },
  { fingerprint: 'y', blacklisted: true, blacklist_expires: 1 },
  { chat_id: null, note: null, executor: null, key_expires: null, blacklisted: null, key: null },
  { auth_expire: -1, key_expires: 0, note: '' },
]
const EXPIRES = SECONDS * 1000
const ARRIVED = [
  { chat_id: '1', note: 'bought', executor: 'Wave', key_expires: EXPIRES, fingerprint_assigned: false },
  {
    chat_id: '2',
    key_expires: EXPIRES,
    fingerprint_assigned: true,
    blacklisted: false,
    blacklist_reason: null,
  },
  { blacklisted: true, blacklist_reason: 'r', blacklist_expires: EXPIRES, fingerprint_assigned: true },
  { blacklisted: false, blacklist_expires: null, fingerprint_assigned: true },
  { chat_id: null, note: null, executor: null, key_expires: null, blacklisted: false, created_at: START },
  { key_expires: null, note: null },
]

describe.each(anyEngine)('on $name', (engine) => {
  const { at } = serverOn(engine, { config: { importLimit: 2500 } })
  const placeOf = async (account = {}): Promise<{ owner: Owner; project: string }> => {
    return createOwner(at(), account)
  }
  const importInto = async ({ owner, project }: { owner: Owner; project: string }, users: unknown) =>
    owner.post(`/projects/${project}/users/import`, { users })

  describe('POST /projects/:project_id/users/import', () => {
    test('accepts every field under each of its names', async () => {
      const place = await placeOf()
      const key = `old-key-${place.project.slice(-8)}`
      const { body } = await importInto(place, [{ key }, ...MOVED])
      expect(body).toEqual({ success: true, imported: 7, skipped: 0, skipped_entries: [] })
      const keys = await keysOf(place.owner, place.project)
      expect(keys[0]).toBe(key)
      const users = await Promise.all(keys.slice(1).map((one) => readUser(place.owner, one)))
      expect(users).toMatchObject(ARRIVED)
      expect(users[2]?.service_fingerprint).toMatch(
        /^none -> ip\n[0-9a-f]{4}…[0-9a-f]{4} -> fingerprint\nWa\*\* -> executor$/,
      )
      expect(users[3]?.service_fingerprint).toMatch(/\nnone -> executor$/)
      expect(await countsOf(at(), place.project)).toEqual([7, 7])
    })

    test('skips entries that are not valid users and reports the reasons by index', async () => {
      const place = await placeOf()
      const taken = await createUser(place.owner, place.project, { chat_id: 'there' })
      const bad: [unknown, string][] = [
        ['text', 'is not an object'],
        [null, 'is not an object'],
        [[], 'is not an object'],
        [{ discord: '5' }, 'discord: is not a known field'],
        [{ chat_id: 5 }, 'chat_id: must be a string'],
        [{ chat_id: 'x'.repeat(101) }, 'chat_id: must have at most 100 characters'],
        [{ note: 'a\0b' }, 'note: must not contain control characters'],
        [{ 'a\0b': 'c' }, 'a\0b: is not a known field'],
        [{ executor: 'half \ud800' }, 'executor: must not contain an unpaired surrogate'],
        [{ note: 5 }, 'note: must be a string'],
        [{ hwid: true }, 'fingerprint: must be a string'],
        [{ executor: {} }, 'executor: must be a string'],
        [{ auth_expire: 'tomorrow' }, 'key_expires: must be a timestamp'],
        [{ key_expires: -5 }, 'key_expires: must be a timestamp'],
        [{ key_expires: 1e18 }, 'key_expires: must be before the year 10000'],
        [{ blacklisted: 1 }, 'blacklisted: must be true or false'],
        [{ blacklist_expires: [] }, 'blacklist_expires: must be a timestamp'],
        [{ key: 'abc' }, 'key: must be 4 to 512 printable ASCII characters'],
        [{ key: 'schlüssel' }, 'key: must be 4 to 512 printable ASCII characters'],
        [{ key: ' blank' }, 'key: must be 4 to 512 printable ASCII characters'],
        [{ key: 'x'.repeat(513) }, 'key: must be 4 to 512 printable ASCII characters'],
        [{ key: taken }, 'key: is already taken'],
        [{ chat: ' there ' }, CHAT_TAKEN],
      ]
      const fresh = `fresh-${place.project.slice(-8)}`
      const users = [
        ...bad.map(([entry]) => entry),
        { key: fresh, chat_id: 'new' },
        { key: fresh },
        { chat: 'new' },
      ]
      const typeOf = (reason: string) =>
        ({ 'key: is already taken': 'key_taken', [CHAT_TAKEN]: 'chat_id_taken' })[reason] ?? 'invalid'
      const { body } = await importInto(place, users)
      expect(body).toEqual({
        success: true,
        imported: 1,
        skipped: bad.length + 2,
        skipped_entries: [
          ...bad.map(([, reason], index) => ({ index, type: typeOf(reason), reason })),
          { index: bad.length + 1, type: 'key_taken', reason: 'key: is already taken' },
          { index: bad.length + 2, type: 'chat_id_taken', reason: CHAT_TAKEN },
        ],
      })
      expect(await countsOf(at(), place.project)).toEqual([2, 2])
    })

    test('detects conflicts with distant earlier entries and reports the first thousand reasons', async () => {
      const place = await placeOf()
      const users = Array.from({ length: 2400 }, (_, index) => ({ chat_id: String(index % 1200) }))
      const { body } = await importInto(place, users)
      expect(body).toMatchObject({ imported: 1200, skipped: 1200 })
      const told = body.skipped_entries as { index: number }[]
      expect([told.length, told[0]?.index, told.at(-1)?.index]).toEqual([1000, 1200, 2199])
      expect(await countsOf(at(), place.project)).toEqual([1200, 1200])
    })

    test('accepts a chat ID that is used in another project', async () => {
      const place = await placeOf()
      await createUser(place.owner, place.project, { chat_id: '9' })
      const second = { owner: place.owner, project: await createProject(place.owner) }
      expect((await importInto(second, [{ chat_id: '9' }])).body).toMatchObject({ imported: 1, skipped: 0 })
    })

    test.each([undefined, null, []])('rejects %j because it contains no users', async (users) => {
      const { status, error } = await importInto(await placeOf(), users)
      expect(status).toBe(400)
      expect(error).toMatchObject({ code: 2, message: 'no users given' })
    })

    test('rejects more users than one call may contain', async () => {
      const { status, error } = await importInto(await placeOf(), Array(2501).fill({}))
      expect(status).toBe(413)
      expect(error).toMatchObject({ code: 0, message: 'too many users to import', limit: 2500 })
    })

    test('imports no users when the service tier lacks room for all, not counting skipped ones', async () => {
      const tier = await createTier(at(), { max_users: 900 })
      const place = await placeOf({ tier })
      const { status, error } = await importInto(place, Array(901).fill({}))
      expect(status).toBe(403)
      expect(error).toMatchObject({ code: 0, message: 'too many users to import' })
      expect(await countsOf(at(), place.project)).toEqual([0, 0])
      expect((await importInto(place, [...Array(900).fill({}), 'skipped'])).body).toMatchObject({
        imported: 900,
      })
    })

    test('gives a key to one of two simultaneous imports, and the other skips it', async () => {
      const one = await placeOf()
      const two = { owner: one.owner, project: await createProject(one.owner) }
      const key = `wanted-${one.project.slice(-10)}`
      const users = [...Array(300).fill({}), { key }]
      const answers = await Promise.all([importInto(one, users), importInto(two, users)])
      expect(answers.map(({ body }) => body.imported).toSorted()).toEqual([300, 301])
    })
  })

  describe('POST /projects/:project_id/users/export', () => {
    const exported = async (owner: Owner, project: string, type: string) =>
      (await owner.post(`/projects/${project}/users/export`, { type })).string('exported')

    test('lists unused keys before used ones in the text format', async () => {
      const { owner, project } = await placeOf()
      const unused = await createUser(owner, project, { note: 'n' })
      const linked = await createUser(owner, project, { chat_id: '42' })
      const bound = await createUser(owner, project)
      await bindDevice(at(), project, bound)
      const executed = await createUser(owner, project)
      await changeUser(at(), executed, { executions: 1 })
      const last = await createUser(owner, project)
      expect(await exported(owner, project, 'text')).toBe(
        `Unused keys (key):\n${unused}\n${last}\n\nUsed keys (key, chat id, executor):\n` +
          `${linked}, 42, N/A\n${bound}, N/A, Wave\n${executed}, N/A, N/A\n`,
      )
    })

    test("never exports a user's string as a formula, and an import restores the original", async () => {
      const { owner, project } = await placeOf()
      const key = await createUser(owner, project, { chat_id: '+4711' })
      const executor = '=HYPERLINK("http://evil"), x'
      await changeUser(at(), key, { executor })
      const text = await exported(owner, project, 'text')
      const line = `${key}, "'+4711", "'=HYPERLINK(""http://evil""), x"`
      expect(text.split('\n')).toContain(line)
      const users = [{ chat_id: `"'+4711"`, executor: line.slice(line.indexOf(`"'=`)) }]
      const second = { owner, project: await createProject(owner) }
      expect((await importInto(second, users)).body).toMatchObject({ imported: 1 })
      const [imported] = JSON.parse(await exported(owner, second.project, 'json'))
      expect(imported).toMatchObject({ chat_id: '+4711', executor })
    })

    test('restores cells that an export as CSV quoted because they look like formulas', async () => {
      const { owner, project } = await placeOf()
      const csv = `key,note\r\n"'-abcdefgh","'@ann"\r\n"''=bcdefghi",'plain\r\n"+cdefghij",-10%`
      const imported = await owner.post(`/v1/projects/${project}/users/import`, { csv })
      expect(imported.body).toMatchObject({ imported: 3, skipped: 0 })
      const users: { key: string; note: string }[] = JSON.parse(await exported(owner, project, 'json'))
      expect(users.map(({ key, note }) => [key, note])).toEqual([
        ['-abcdefgh', '@ann'],
        ["'=bcdefghi", "'plain"],
        ['+cdefghij', '-10%'],
      ])
    })

    test('exports a JSON list with exactly the documented fields', async () => {
      const { owner, project } = await placeOf()
      const key = await createUser(owner, project, {
        chat_id: '1',
        note: 'say "hi", ü\u2028!',
        key_expires: 5,
      })
      const banned = await createUser(owner, project)
      await changeUser(at(), banned, {
        blacklisted: 1,
        blacklist_reason: 'r',
        blacklist_expires: START + 1,
      })
      const over = await createUser(owner, project)
      await changeUser(at(), over, { blacklisted: 1, blacklist_reason: 'r', blacklist_expires: START })
      const none = { chat_id: null, executor: null, key_expires: null, note: null }
      const free = { blacklisted: false, blacklist_reason: null, blacklist_expires: null }
      expect(JSON.parse(await exported(owner, project, 'json'))).toEqual([
        { ...none, ...free, key, chat_id: '1', note: 'say "hi", ü\u2028!', key_expires: 5 },
        { ...none, key: banned, blacklisted: true, blacklist_reason: 'r', blacklist_expires: START + 1 },
        { ...none, ...free, key: over },
      ])
    })

    test('exports no users as empty in both formats, even for an expired account', async () => {
      const { owner, project } = await placeOf()
      await expire(at(), owner.id)
      expect(await exported(owner, project, 'json')).toBe('[]')
      expect(await exported(owner, project, 'text')).toBe(
        'Unused keys (key):\n\nUsed keys (key, chat id, executor):\n',
      )
    })

    test('exports many users so that they can be imported again after they have been cleared', async () => {
      const { owner, project } = await placeOf()
      const users = Array.from({ length: 2400 }, (_, index) => ({ chat_id: `c${index}`, note: `n"${index}` }))
      await plantUsers(at(), { owner, project }, users)
      const before = await exported(owner, project, 'json')
      await owner.post(`/projects/${project}/users/clear`)
      const { body } = await importInto({ owner, project }, JSON.parse(before))
      expect(body).toMatchObject({ imported: 2400, skipped: 0 })
      expect(await exported(owner, project, 'json')).toBe(before)
    })

    test.each([{}, { type: 'csv' }, { type: null }])('rejects %j and names the type', async (body) => {
      const { owner, project } = await placeOf()
      const { error } = await owner.post(`/projects/${project}/users/export`, body)
      expect(error.failed).toMatchObject([{ field: 'type' }])
    })
  })
})
