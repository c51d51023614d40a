/** Failures of the endpoints of customers, projects and operators. */
import { type Failures, LONG_AGO, type Scene } from './failure.ts'

const TINY_TIER = 700

/** A tier on which everything is used up before it begins. */
async function putTinyTier({ server }: Scene): Promise<void> {
  const none = { max_users: 0, max_projects: 1, max_scripts: 0, free_for_all: 0, obfuscations: 0 }
  const adSystems = { max_ad_users: 0, max_checkpoints: 0, max_systems: 0 }
  await server.admin.put(`/v1/admin/tiers/${TINY_TIER}`, { name: 'tiny', price: 0, ...none, ...adSystems })
}

const createProject = {
  max_projects_reached: async (scene: Scene) => {
    await putTinyTier(scene)
    const { owner, nouns } = await scene.furnish({ tier: TINY_TIER })
    return scene.call(owner, nouns, { name: 'Second' })
  },
  account_expired: async (scene: Scene) => {
    const { owner, nouns } = await scene.furnish({ plan_expires: LONG_AGO })
    return scene.call(owner, nouns, { name: 'Late' })
  },
}

/** A call for a project that has no address any more. */
const withoutAddress = (body?: object) => async (scene: Scene) => {
  const { owner, nouns } = await scene.furnish()
  await owner.post(`/projects/${nouns.project_id}/edit`, { execution_webhook: '' })
  return scene.call(owner, nouns, body)
}

export const accountFailures: Failures = {
  'webhooks.redeliver': { no_webhook_address: withoutAddress() },
  'webhooks.test': { no_webhook_address: withoutAddress({ kind: 'execution' }) },
  'customers.createProject': createProject,
  'projects.create': createProject,
  'projects.edit': {
    account_expired: async (scene) => {
      const { owner, nouns } = await scene.furnish({ plan_expires: LONG_AGO })
      return scene.call(owner, nouns, {})
    },
    cannot_edit_nothing: async (scene) => {
      const { owner, nouns } = await scene.furnish()
      return scene.call(owner, nouns, { name: null })
    },
  },
  'admin.customers.create': {
    email_already_taken: async (scene) => {
      await scene.createCustomer({ email: 'Taken@example.com' })
      return scene.call(scene.server.admin, {}, { email: 'tAKEN@example.com' })
    },
    unknown_tier: (scene) => scene.call(scene.server.admin, {}, { email: 'tierless@example.com', tier: 999 }),
  },
  'admin.customers.edit': {
    cannot_edit_nothing: async (scene) =>
      scene.call(scene.server.admin, await scene.createCustomer().then(nounsOf)),
    email_already_taken: async (scene) => {
      await scene.createCustomer({ email: 'first@example.com' })
      return scene.call(scene.server.admin, await scene.createCustomer().then(nounsOf), {
        email: 'first@example.com',
      })
    },
    unknown_tier: async (scene) =>
      scene.call(scene.server.admin, await scene.createCustomer().then(nounsOf), { tier: 999 }),
  },
  'admin.customers.blacklist': { customer_already_blacklisted: (scene) => ofStanding(true)(scene) },
  'admin.customers.unblacklist': { customer_not_blacklisted: (scene) => ofStanding(false)(scene) },
  'admin.tiers.remove': { tier_in_use: (scene) => scene.call(scene.server.admin, { tier: '0' }) },
}

/** A call for a customer who was blacklisted or not before. */
const ofStanding = (isBlacklisted: boolean) => async (scene: Scene) => {
  const { id } = await scene.createCustomer()
  if (isBlacklisted) await scene.server.admin.post(`/v1/admin/customers/${id}/blacklist`)
  return scene.call(scene.server.admin, { id })
}

function nounsOf({ id }: { id: string }) {
  return { id }
}
