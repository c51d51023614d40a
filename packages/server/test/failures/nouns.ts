/** Failures of the endpoints of scripts and users. */
import { MAX_CHAT_MEMBERS } from '../../src/domain/chat-members.ts'
import { insertChatMembers } from '../../src/store/chat-members.ts'
import type { UserChanges } from '../../src/store/users.ts'
import { updateUser } from '../../src/store/users.ts'
import type { Furnished } from '../subjects.ts'
import { type Failures, LONG_AGO, type Scene } from './failure.ts'

const UPLOAD = { name: 'Script', script: 'print(1)' }
const BROKEN = { name: 'Script', script: 'print(' }

/** A call by an owner of whom all is well but for these changes to the account. */
const ofAccount = (changes: Parameters<Scene['furnish']>[0], body: unknown) => async (scene: Scene) => {
  const { owner, nouns } = await scene.furnish(changes)
  return scene.call(owner, nouns, body)
}

const expired = (body: unknown) => ofAccount({ plan_expires: LONG_AGO }, body)
const withoutChange = (body: unknown) => ofAccount(undefined, body)

/** A call by an owner whose tier allows nothing but the given. */
const ofTier = (id: number, limits: object, body: unknown) => async (scene: Scene) => {
  const none = { max_users: 0, max_projects: 1, max_scripts: 0, free_for_all: 0, obfuscations: 0 }
  const adSystems = { max_ad_users: 0, max_checkpoints: 0, max_systems: 0 }
  const tier = { name: `tier ${id}`, price: 0, ...none, ...adSystems, ...limits }
  await scene.server.admin.put(`/v1/admin/tiers/${id}`, tier)
  return ofAccount({ tier: id }, body)(scene)
}

/** A call for a user of whom this is kept. */
const ofUser = (changes: UserChanges, body: unknown) => async (scene: Scene) => {
  const furnished = await scene.furnish()
  await changeUser(scene, furnished, changes)
  return scene.call(furnished.owner, furnished.nouns, body)
}

async function changeUser({ server }: Scene, { nouns }: Furnished, changes: UserChanges): Promise<void> {
  const { project_id = '', user_key = '' } = nouns
  await server.deps.db.transaction((tx) => updateUser(tx, project_id, user_key, changes))
}

export const nounFailures: Failures = {
  'projectScripts.create': {
    max_scripts_reached: ofTier(710, { obfuscations: 5 }, UPLOAD),
    max_obfuscations_reached: ofTier(711, { max_scripts: 5 }, UPLOAD),
    account_expired: expired(UPLOAD),
    obfuscation_failed: withoutChange(BROKEN),
  },
  'v1.chatMembers.add': {
    too_many_chat_members: async ({ server, furnish, call }) => {
      const { owner, nouns } = await furnish()
      const chatIds = Array.from({ length: MAX_CHAT_MEMBERS }, (_, i) => `${i}`)
      const full = { projectId: nouns.project_id ?? '', chatIds, now: server.deps.now() }
      await server.deps.db.bulk((tx) => insertChatMembers(tx, full))
      return call(owner, nouns, { chat_ids: ['one more'] })
    },
  },
  'scripts.edit': { account_expired: expired({}), cannot_edit_nothing: withoutChange({ name: null }) },
  'scripts.update': {
    account_expired: expired({ script: 'print(1)' }),
    max_obfuscations_reached: ofTier(712, {}, { script: 'print(1)' }),
    obfuscation_failed: withoutChange({ script: 'print(' }),
  },
  'scripts.toggle': { account_expired: expired({ state: true }) },
  'scriptVersions.activate': { account_expired: expired(undefined) },
  'projectUsers.create': {
    max_users_reached: ofTier(713, {}, {}),
    account_expired: expired({}),
    chat_already_has_key: ofUser({ chat_id: '55' }, { chat_id: '55' }),
  },
  'projectUsers.filter': { must_filter_something: withoutChange(undefined) },
  'projectUsers.generate': {
    too_many_keys_to_generate: ofTier(714, { max_users: 2 }, { amount: 2 }),
    account_expired: expired({ amount: 1 }),
  },
  'projectUsers.import': {
    too_many_users_to_import: ofTier(715, { max_users: 2 }, { users: [{}, {}] }),
    account_expired: expired({ users: [{}] }),
    no_users_given: withoutChange({ users: null }),
  },
  'projectUsers.resetAll': { account_expired: expired(undefined) },
  'projectUsers.purge': { account_expired: expired(undefined) },
  'projectUsers.clear': { account_expired: expired(undefined) },
  'projectUsers.compensate': { account_expired: expired({ duration: 1, compensate_expired: true }) },
  'users.blacklist': {
    user_already_blacklisted: ofUser({ blacklisted: 1 }, { expires: null }),
    account_expired: expired({ expires: null }),
  },
  'users.unblacklist': {
    user_not_blacklisted: ofUser({ blacklisted: 0 }, undefined),
    account_expired: expired(undefined),
  },
  'users.link': {
    account_expired: expired({ chat_id: '7', force: true }),
    user_already_linked: ofUser({ chat_id: '77' }, { chat_id: '78', force: false }),
    chat_already_has_key: async (scene) => {
      const { owner, nouns } = await scene.furnish()
      await owner.post(`/projects/${nouns.project_id}/users/new`, { chat_id: '88' })
      return scene.call(owner, nouns, { chat_id: '88', force: true })
    },
  },
  'users.edit': {
    account_expired: expired({}),
    chat_already_has_key: async (scene) => {
      const { owner, nouns } = await scene.furnish()
      await owner.post(`/projects/${nouns.project_id}/users/new`, { chat_id: '66' })
      return scene.call(owner, nouns, { chat_id: '66' })
    },
    cannot_edit_nothing: withoutChange({ note: null }),
  },
  'users.reset': {
    account_expired: expired({ force: true }),
    fingerprint_resets_disabled: async (scene) => {
      const { owner, nouns } = await scene.furnish()
      await owner.post(`/projects/${nouns.project_id}/edit`, { allow_fingerprint_resets: false })
      return scene.call(owner, nouns, { force: false })
    },
    fingerprint_reset_on_cooldown: async (scene) =>
      ofUser({ fingerprint_assigned: 1, last_reset: scene.server.clock.now - 1 }, { force: false })(scene),
    no_fingerprint_assigned: ofUser({ fingerprint_assigned: 0 }, { force: true }),
  },
  'v1.users.unlock': {
    account_expired: expired(undefined),
    user_not_locked: ofUser({ executions: 0 }, undefined),
  },
}
