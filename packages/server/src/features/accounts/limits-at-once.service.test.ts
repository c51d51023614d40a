/**
 * Sends dozens of concurrent requests when only one more is allowed, over HTTP, for every limit of a tier,
 * a user or a name. Exactly one succeeds, all others are rejected because of that limit, and the counters
 * match the existing resources.
 */
import { describe, expect, it } from 'vitest'
import { effort } from '../../../../client/test/effort.ts'
import type { Answer } from '../../../test/answers.ts'
import { engines } from '../../../test/databases.ts'
import { type Owner, serverOn, type TestServer } from '../../../test/harness.ts'
import {
  createOwner,
  createProject,
  createScript,
  createTier,
  createUser,
  readAccount,
  readUser,
} from '../../../test/nouns.ts'
import { component, helloFor, openAnswer, type Request, STRONG } from '../../../test/protocol/client.ts'
import { makeScene, type Scene } from '../../../test/protocol/scene.ts'
import { CHECKPOINT } from '../../../test/subjects.ts'
import { Tier } from '../../api/shapes.ts'

const AT_ONCE = effort({ day: 40, night: 200 })
/** Number of each resource before the race. */
const BEFORE = 2

type Place = { readonly server: TestServer; readonly owner: Owner; readonly project: string }
type Contest = {
  /** Sets up the state before the race, while the owner's tier has no limits yet. */
  prepare(place: Place): Promise<unknown>
  send(place: Place, prepared: never, index: number): Promise<Answer>
  readonly refusals: readonly string[]
  /** The counters of the account that the race changes. */
  readonly totals: readonly string[]
}

const times = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)))

/** Each race includes both API families and all endpoints with the same effect. */
const CONTESTS: Readonly<Record<string, Contest>> = {
  max_projects: {
    prepare: ({ owner }) => createProject(owner),
    send: ({ owner }, _, index) => {
      const path = index % 2 === 0 ? '/v1/projects/new' : `/customers/${owner.apiKey}/projects/new`
      return owner.post(path, { name: `Project ${index}` })
    },
    refusals: ['max_projects_reached'],
    totals: ['total_projects'],
  },
  max_users: {
    prepare: ({ owner, project }) => times(BEFORE, () => createUser(owner, project)),
    send: ({ owner, project }, _, index) => {
      const family = index % 2 === 0 ? '' : '/v1'
      const ways: [string, object][] = [
        ['new', {}],
        ['generate', { amount: 1 }],
        ['import', { users: [{ note: `entry ${index}` }] }],
      ]
      const [way, body] = ways[index % 3] ?? ['new', {}]
      return owner.post(`${family}/projects/${project}/users/${way}`, body)
    },
    refusals: ['max_users_reached', 'too_many_keys_to_generate', 'too_many_users_to_import'],
    totals: ['total_users'],
  },
  max_scripts: {
    prepare: ({ owner, project }) => times(BEFORE, () => createScript(owner, project)),
    send: upload,
    refusals: ['max_scripts_reached', 'rate_limited', 'unavailable'],
    // Rejected requests are not charged.
    totals: ['total_scripts', 'obfuscations_used'],
  },
  obfuscations: {
    prepare: ({ owner, project }) => times(BEFORE, () => createScript(owner, project)),
    send: ({ owner, project, server }, scripts: readonly string[], index) =>
      index % 2 === 0
        ? upload({ owner, project, server }, undefined as never, index)
        : owner.post(`/v1/scripts/${scripts[0]}/update`, { script: `print(${index})` }),
    refusals: ['max_obfuscations_reached'],
    totals: ['obfuscations_used'],
  },
  max_systems: {
    prepare: async ({ owner, project }) => {
      await times(BEFORE, () => createSystem(owner, project))
      return createProject(owner)
    },
    send: ({ owner, project }, second: string, index) => {
      const project_id = index % 2 === 0 ? project : second
      return owner.post('/v1/adsystems/new', { project_id, name: `System ${index}` })
    },
    refusals: ['max_systems_reached'],
    totals: ['total_systems'],
  },
  max_checkpoints: {
    prepare: async ({ owner, project }) => {
      const systems = await times(AT_ONCE, () => createSystem(owner, project))
      await Promise.all(systems.map((system) => owner.post(`/adsystems/${system}/checkpoints/prepare`)))
      for (const system of systems.splice(0, BEFORE)) {
        await owner.post(`/v1/adsystems/${system}/checkpoints/new`, CHECKPOINT)
        await owner.post(`/adsystems/${system}/checkpoints/prepare`)
        systems.push(system)
      }
      return systems
    },
    send: ({ owner }, systems: readonly string[], index) => {
      const path = `/v1/adsystems/${systems[index]}/checkpoints/new`
      if (index % 2 === 0) return owner.post(path, CHECKPOINT)
      const { provider_data, ...texts } = CHECKPOINT
      const query = new URLSearchParams({ ...texts, provider_data: JSON.stringify(provider_data) })
      return owner.get(`${path}?${query}`)
    },
    refusals: ['max_checkpoints_reached'],
    totals: ['total_checkpoints'],
  },
}

function upload({ owner, project }: Place, _: never, index: number): Promise<Answer> {
  const family = index % 2 === 0 ? '' : '/v1'
  const body = { name: `Script ${index}`, script: `print(${index})` }
  return owner.post(`${family}/projects/${project}/scripts/new`, body)
}

async function createSystem(owner: Owner, project_id: string): Promise<string> {
  return (await owner.post('/v1/adsystems/new', { project_id, name: 'System' })).string('system_id')
}

/**
 * Limits that only executions can reach, which have a separate race below, and one limit that can't be
 * reached.
 */
const ELSEWHERE = ['free_for_all', 'max_ad_users']

it('every limit of a service tier is tested with concurrent requests', () => {
  const limits = Object.keys(Tier.properties).filter((name) => !['id', 'name', 'price'].includes(name))
  expect([...Object.keys(CONTESTS), ...ELSEWHERE].sort()).toEqual(limits.sort())
})

describe.each(engines)('of many concurrent requests for the last slot on $name, only one gets', (engine) => {
  const { at } = serverOn(engine)

  it.each(Object.entries(CONTESTS))('the last of %s', async (limit, { prepare, send, refusals, totals }) => {
    const tier = await createTier(at(), {})
    const owner = await at().createCustomer({ tier })
    const place = { server: at(), owner, project: await createProject(owner) }
    const prepared = (await prepare(place)) as never
    await limitTier(at(), tier, { [limit]: BEFORE + 1 })
    const answers = await times(AT_ONCE, (index) => send(place, prepared, index))
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused).toHaveLength(AT_ONCE - 1)
    for (const { error } of refused) expect(refusals).toContain(error.type)
    const account = await readAccount(owner)
    for (const total of totals) expect([total, account[total]]).toEqual([total, BEFORE + 1])
  })

  it('the last bonus obfuscation', async () => {
    const tier = await createTier(at(), { obfuscations: 0 })
    const { owner, project } = await createOwner(at(), { tier })
    await at().admin.post(`/v1/admin/customers/${owner.id}/edit`, { bonus_obfuscations_left: 1 })
    const answers = await times(AT_ONCE, (index) =>
      upload({ server: at(), owner, project }, undefined as never, index),
    )
    expect(tally(answers.map(outcomeOf))).toEqual({ done: 1, max_obfuscations_reached: AT_ONCE - 1 })
    expect(await readAccount(owner)).toMatchObject({ bonus_obfuscations_left: 0, total_scripts: 1 })
  })

  it('a key for a Discord account', async () => {
    const { owner, project } = await createOwner(at())
    const answers = await times(AT_ONCE, () => owner.post(`/projects/${project}/users/new`, { chat_id: '1' }))
    expect(tally(answers.map(outcomeOf))).toEqual({ done: 1, chat_already_has_key: AT_ONCE - 1 })
  })

  it('a URL for an ad system', async () => {
    const { owner, project } = await createOwner(at())
    const systems = await times(AT_ONCE, () => createSystem(owner, project))
    const url = `race-${engine.name}`
    const answers = await Promise.all(
      systems.map((system) => owner.post(`/v1/adsystems/${system}/url`, { url })),
    )
    expect(tally(answers.map(outcomeOf))).toEqual({ done: 1, url_already_taken: AT_ONCE - 1 })
  })

  it('the last device on free_for_all scripts', async () => {
    const scene = await makeScene(at(), { free_for_all: 1 })
    for (let index = 0; index < BEFORE; index += 1)
      await scene.client.run(scene.scriptId, deviceOf(-index - 1))
    await scene.edit('customers', { tier: await createTier(at(), { free_for_all: BEFORE + 1 }) })
    const verdicts = await execute(scene, (index) => deviceOf(index))
    expect(tally(verdicts)).toEqual({ granted: 1, service_unavailable: AT_ONCE - 1 })
  })

  it('the last instance of a user', async () => {
    const scene = await makeScene(at())
    const key = await scene.addUser({ max_instances: BEFORE + 1 })
    for (let index = 0; index < BEFORE; index += 1) await scene.client.run(scene.scriptId, { key })
    expect(tally(await execute(scene, () => ({ key })))).toEqual({ granted: 1, max_instances: AT_ONCE - 1 })
  })

  it('the last execution of a user', async () => {
    const scene = await makeScene(at())
    const key = await scene.addUser({ max_executions: BEFORE + 1 })
    for (let index = 0; index < BEFORE; index += 1) await scene.client.run(scene.scriptId, { key })
    expect(tally(await execute(scene, () => ({ key })))).toEqual({ granted: 1, max_executions: AT_ONCE - 1 })
  })

  it('the first device of a user', async () => {
    const scene = await makeScene(at())
    const key = await scene.addUser()
    const verdicts = await execute(scene, (index) => ({ key, ...deviceOf(index) }))
    expect(tally(verdicts)).toEqual({ granted: 1, fingerprint_mismatch: AT_ONCE - 1 })
    expect(await readUser(scene.owner, key)).toMatchObject({ executions: 1 })
  })
})

async function limitTier(server: TestServer, tier: number, limits: object): Promise<void> {
  const { tiers } = (await server.admin.get('/v1/admin/tiers')).body as { tiers: { id: number }[] }
  const { id, ...members } = tiers.find((one) => one.id === tier) ?? { id: tier }
  await server.admin.put(`/v1/admin/tiers/${id}`, { ...members, ...limits })
}

type Hello = Parameters<typeof helloFor>[1]

function deviceOf(index: number): Hello {
  return { fp: { [STRONG]: component(`device ${index}`) } }
}

/** Prepares all requests first, so that they are sent together. */
async function execute({ client, scriptId }: Scene, helloOf: (index: number) => Hello): Promise<string[]> {
  const requests: Request[] = await times(AT_ONCE, async (index) =>
    client.request(await client.boot(scriptId), helloFor(scriptId, helloOf(index))),
  )
  return Promise.all(
    requests.map(async ({ body, keys }) => {
      const { reply } = openAnswer(keys, await client.post('/exec', body))
      return reply.ok ? 'granted' : reply.reason
    }),
  )
}

function outcomeOf({ status, error }: Answer): string {
  return status === 200 ? 'done' : String(error.type)
}

function tally(outcomes: readonly string[]): Record<string, number> {
  const counts = Map.groupBy(outcomes, (outcome) => outcome)
  return Object.fromEntries([...counts].map(([outcome, all]) => [outcome, all.length]))
}
