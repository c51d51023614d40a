/** Failures of the endpoints of ad systems, checkpoints and sessions. */
import { CHECKPOINT, type Furnished } from '../subjects.ts'
import { type Failures, LONG_AGO, type Scene } from './failure.ts'

type Provoke = Failures[string][keyof Failures[string]] & {}
type Before = (furnished: Furnished) => Promise<unknown>

const OTHER = { ...CHECKPOINT, name: 'Second' }
const FULL_TIER = 730

/** A call by an owner of whom all is well but for these changes to the account. */
const calling =
  (body: unknown, changes?: Parameters<Scene['furnish']>[0]): Provoke =>
  async (scene) => {
    const { owner, nouns } = await scene.furnish(changes)
    return scene.call(owner, nouns, body)
  }
const expired = (body: unknown) => calling(body, { plan_expires: LONG_AGO })

/** A call by an owner whose tier has no place beside the one system and the one checkpoint that are there. */
const onFullTier =
  (body: (furnished: Furnished) => unknown, before: Before = async () => {}): Provoke =>
  async (scene) => {
    const none = { max_users: 0, max_projects: 1, max_scripts: 0, free_for_all: 0, obfuscations: 0 }
    const adSystems = { max_ad_users: 0, max_checkpoints: 1, max_systems: 1 }
    const tier = { name: 'full', price: 0, ...none, ...adSystems }
    await scene.server.admin.put(`/v1/admin/tiers/${FULL_TIER}`, tier)
    const furnished = await scene.furnish()
    await before(furnished)
    await scene.server.admin.post(`/v1/admin/customers/${furnished.owner.id}/edit`, { tier: FULL_TIER })
    return scene.call(furnished.owner, furnished.nouns, body(furnished))
  }

const prepare: Before = ({ owner, nouns }) =>
  owner.post(`/v1/adsystems/${nouns.system_id}/checkpoints/prepare`)

const prepared =
  (body: unknown): Provoke =>
  async (scene) => {
    const furnished = await scene.furnish()
    await prepare(furnished)
    return scene.call(furnished.owner, furnished.nouns, body)
  }

const second = ({ nouns }: Furnished) => ({ project_id: nouns.project_id, name: 'Second' })

const createCheckpoint = {
  checkpoint_not_prepared: calling(OTHER),
  max_checkpoints_reached: onFullTier(() => OTHER, prepare),
  account_expired: expired(OTHER),
  invalid_provider_data: prepared({ ...OTHER, provider_data: {} }),
}

const missingSession =
  (body?: unknown): Provoke =>
  async (scene) => {
    const { owner, nouns } = await scene.furnish()
    return scene.call(owner, { ...nouns, session_id: 'ses_none' }, body)
  }

export const adFailures: Failures = {
  'adSystems.create': {
    max_systems_reached: onFullTier(second),
    account_expired: expired({ project_id: 'prj_none', name: 'Late' }),
    invalid_durations: async (scene) => {
      const furnished = await scene.furnish()
      const durations = { key_duration: 2, max_duration: 1 }
      return scene.call(furnished.owner, furnished.nouns, { ...second(furnished), ...durations })
    },
  },
  'adSystems.edit': {
    account_expired: expired({}),
    cannot_edit_nothing: calling({ name: null }),
    invalid_durations: calling({ max_duration: 1 }),
  },
  'adSystems.url': {
    account_expired: expired({ url: 'late' }),
    invalid_url: calling({ url: 'a_b' }),
    url_already_taken: async (scene) => {
      const other = await scene.furnish()
      await other.owner.post(`/v1/adsystems/${other.nouns.system_id}/url`, { url: 'First-Come' })
      const { owner, nouns } = await scene.furnish()
      return scene.call(owner, nouns, { url: 'first-come' })
    },
  },
  'adCheckpoints.prepare': {
    max_checkpoints_reached: onFullTier(() => undefined),
    account_expired: expired(undefined),
  },
  'adCheckpoints.create': createCheckpoint,
  'adCheckpoints.createByGet': createCheckpoint,
  'adCheckpoints.edit': {
    account_expired: expired({}),
    cannot_edit_nothing: calling({ provider_data: null }),
    invalid_provider_data: calling({ provider: 'provider_a' }),
  },
  'adCheckpoints.swap': { invalid_index: calling({ index: 1 }), account_expired: expired({ index: 0 }) },
  'sessions.disconnect': { session_not_found: missingSession() },
  'sessions.message': { session_not_found: missingSession({ key: 'greet' }) },
}
