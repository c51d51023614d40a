/**
 * Tests how extensions, compensation and pauses change the remaining time, with the same result for one key
 * and for many. All changes happen one day after `START`.
 */
import { beforeEach, describe, expect, it, test } from 'vitest'
import { engines } from '../../../test/databases.ts'
import { type Owner, START, serverOn } from '../../../test/harness.ts'
import { changeUser, createOwner, createUser, readUser } from '../../../test/nouns.ts'
import { DAY, HOUR } from '../../../test/plans/shop.ts'
import type { UserChanges } from '../keys/store/users.ts'

const NOW = START + DAY
/** The latest possible expiry date. */
const LAST = 253_402_300_799_999

/** The `graced` plan has a grace period of two days. */
const KEYS = {
  'that runs': { key_expires: NOW + HOUR },
  'that ends now': { key_expires: NOW },
  'that ended': { key_expires: START },
  'in its grace': { key_expires: NOW - HOUR, plan_id: 'graced' },
  'that never ends': {},
  'that waits for its first use': { clock_waits: 1, clock_basis: 'first_use', clock_duration: HOUR },
  'that starts later': { starts_at: NOW + HOUR, key_expires: NOW + 2 * HOUR },
  'that was paused with an hour left': { key_expires: START + HOUR, paused_at: START },
  'that was paused in its grace': { key_expires: START - HOUR, paused_at: START, plan_id: 'graced' },
  'that was paused while it waited': {
    ...{ clock_waits: 1, clock_basis: 'first_use', clock_duration: HOUR, paused_at: START },
  },
  'that was paused before it started': {
    ...{ starts_at: NOW - HOUR, key_expires: NOW + HOUR, paused_at: START },
  },
  'that ends an hour before the last time': { key_expires: LAST - HOUR },
} as const satisfies Readonly<Record<string, UserChanges>>
type Kind = keyof typeof KEYS

type Way = 'extended' | 'extended while time is left' | 'paused' | 'resumed'
/**
 * The expected expiry date, or the time added to a key without one. Keys that are not listed are unchanged.
 */
const ENDS: Readonly<Record<Way, Readonly<Partial<Record<Kind, number | null>>>>> = {
  extended: {
    'that runs': NOW + HOUR + DAY,
    'that ends now': NOW + DAY,
    'that ended': NOW + DAY,
    'in its grace': NOW + DAY,
    'that waits for its first use': DAY,
    'that starts later': NOW + 2 * HOUR + DAY,
    'that was paused with an hour left': START + HOUR + DAY,
    'that was paused in its grace': START + DAY,
    'that was paused while it waited': DAY,
    'that was paused before it started': NOW + HOUR + DAY,
    'that ends an hour before the last time': LAST,
  },
  'extended while time is left': {
    'that runs': NOW + HOUR + DAY,
    'that waits for its first use': DAY,
    'that starts later': NOW + 2 * HOUR + DAY,
    'that was paused with an hour left': START + HOUR + DAY,
    'that was paused while it waited': DAY,
    'that was paused before it started': NOW + HOUR + DAY,
    'that ends an hour before the last time': LAST,
  },
  paused: {
    'that runs': NOW + HOUR,
    'in its grace': NOW - HOUR,
    'that never ends': 0,
    'that waits for its first use': 0,
    'that starts later': NOW + 2 * HOUR,
    'that ends an hour before the last time': LAST - HOUR,
  },
  resumed: {
    'that was paused with an hour left': NOW + HOUR,
    'that was paused in its grace': NOW - HOUR,
    'that was paused while it waited': 0,
    'that was paused before it started': NOW + 2 * HOUR,
  },
}

/** The endpoint for one key. `users/bulk` changes many keys. */
const ONE: Readonly<Record<Way, readonly [path: string, body: object] | undefined>> = {
  extended: ['extend', { duration: DAY }],
  // The endpoint for one key has no option to skip expired keys, because its caller can see whether the key
  // has expired.
  'extended while time is left': undefined,
  paused: ['pause', {}],
  resumed: ['resume', {}],
}
const MANY: Readonly<Record<Way, object>> = {
  extended: { action: 'extend', duration: DAY, extend_expired: true },
  'extended while time is left': { action: 'extend', duration: DAY },
  paused: { action: 'pause' },
  resumed: { action: 'resume' },
}
const WAYS = Object.keys(ENDS) as Way[]
const KINDS = Object.keys(KEYS) as Kind[]

describe.each(engines)('keys on $name', (engine) => {
  const { at } = serverOn(engine)
  let owner: Owner
  let project: string
  let plan_id: string
  beforeEach(async () => {
    at().clock.now = NOW
    ;({ owner, project } = await createOwner(at()))
    const plan = { name: 'graced', grace: 2 * DAY }
    plan_id = (await owner.post(`/v1/projects/${project}/plans/new`, plan)).string('plan_id')
  })

  const make = async (kind: Kind) => {
    const key = await createUser(owner, project)
    const columns = KEYS[kind]
    if (kind !== 'that never ends')
      await changeUser(at(), key, { ...columns, ...('plan_id' in columns && { plan_id }) })
    return key
  }
  const makeAll = () => Promise.all(KINDS.map(make))
  const endOf = async (key: string) => {
    const { key_expires, clock_extra } = await readUser(owner, key)
    return key_expires ?? clock_extra
  }
  const endsOf = (keys: readonly string[]) => Promise.all(keys.map(endOf))
  const leftAlone = (key: string) => {
    const { key_expires = null } = KEYS[key as Kind] as { key_expires?: number }
    return key_expires ?? 0
  }
  const expected = (way: Way) => KINDS.map((kind) => [kind, ENDS[way][kind] ?? leftAlone(kind)])
  const named = async (keys: readonly string[]) => (await endsOf(keys)).map((end, i) => [KINDS[i], end])
  const bulk = (members: object) => owner.post(`/v1/projects/${project}/users/bulk`, members)

  test.each(WAYS)('are %s in bulk', async (way) => {
    const keys = await makeAll()
    const touched = KINDS.filter((kind) => ENDS[way][kind] !== undefined)
    const { body } = await bulk({ ...MANY[way], keys })
    expect(await named(keys)).toEqual(expected(way))
    const changed = (body.entries as { user_key: string; verdict: string }[])
      .filter(({ verdict }) => verdict === 'changed')
      .map(({ user_key }) => KINDS[keys.indexOf(user_key)])
    expect(changed).toEqual(touched)
  })

  test.each(WAYS.filter((way) => ONE[way]))(
    'are %s one by one, or the error explains why not',
    async (way) => {
      const [path, body] = ONE[way] ?? []
      const keys = await makeAll()
      const reasons: [Kind, unknown][] = []
      for (const [i, key] of keys.entries()) {
        const { error } = await owner.post(`/v1/users/${key}/${path}`, body)
        reasons.push([KINDS[i] as Kind, error.type])
      }
      expect(await named(keys)).toEqual(expected(way))
      const REASONS = {
        extended: () => 'user_never_expires',
        paused: (kind: Kind) => ('paused_at' in KEYS[kind] ? 'user_already_paused' : 'user_expired'),
        resumed: () => 'user_not_paused',
      }
      const reasonOf = REASONS[way as keyof typeof REASONS]
      expect(reasons).toEqual(
        KINDS.map((kind) => [kind, ENDS[way][kind] === undefined ? reasonOf(kind) : undefined]),
      )
    },
  )

  test.each([
    [false, 'extended while time is left' as const],
    [true, 'extended' as const],
  ])(
    'are extended by compensate as they are one by one (expired keys included: %s)',
    async (compensate_expired, way) => {
      const keys = await makeAll()
      const count = Object.keys(ENDS[way]).length
      const path = `/v1/projects/${project}/users`
      const preview = await owner.post(`${path}/preview`, { change: 'compensate', compensate_expired })
      expect(preview.body.count).toBe(count)
      const done = await owner.post(`${path}/compensate`, { duration: DAY, compensate_expired })
      expect(done.body.count).toBe(count)
      expect(await named(keys)).toEqual(expected(way))
    },
  )

  it('paused for a year are included when all keys are extended, and keep that time when resumed', async () => {
    const key = await make('that was paused with an hour left')
    at().clock.now = NOW + 365 * DAY
    await owner.post(`/v1/projects/${project}/users/compensate`, { duration: DAY, compensate_expired: false })
    expect((await readUser(owner, key)).paused).toMatchObject({ left: HOUR + DAY })
    await owner.post(`/v1/users/${key}/resume`)
    expect(await endOf(key)).toBe(at().clock.now + HOUR + DAY)
  })
})
