/** Data that pages show about a system: its steps, its branding and the visitor's keys. */

import type { Deps } from '../../../deps.ts'
import { leftInPause } from '../../key-validity/clocks.ts'
import { type Brand, brandOf } from '../../projects/brand.ts'
import { maskKey } from '../../webhooks/events/chat-text.ts'
import { providerOf } from '../providers.ts'
import type { AdCheckpointRow } from '../store/ad-checkpoints.ts'
import type { VisitedAdSystem } from '../store/ad-systems.ts'
import { listEarnings } from './earnings.ts'
import type { Situation } from './progress.ts'

export function describeStep({ config }: Pick<Deps, 'config'>, checkpoint: AdCheckpointRow) {
  const { id, minimumMs } = providerOf(checkpoint)
  return { name: checkpoint.name, provider: config.adProviders[id].label, minimumMs }
}

/**
 * Lists the keys that this browser earned, and the device's keys if there is a device. Keys earned in other
 * browsers are masked.
 */
export async function listOwnKeys({ db }: Pick<Deps, 'db'>, situation: Situation, device: string | null) {
  const { visitor, system, presence, now } = situation
  if (!visitor) return []
  const earner = { visitor: visitor.id_hash, network: presence.network, browser: presence.browser }
  const { own } = await listEarnings(db.readPoint, system, { ...earner, device: null })
  const ofDevice =
    device === null ? [] : (await listEarnings(db.readPoint, system, { ...earner, device })).own
  const known = new Set(own.map(({ user_key }) => user_key))
  return [...own, ...ofDevice.filter(({ user_key }) => !known.has(user_key))].map((key) => {
    const isLocked = key.executions === 0 && key.locked_network !== null
    const isAway = key.locked_network !== presence.network || now >= (key.locked_until ?? 0)
    return {
      user_key: key.user_key,
      key: known.has(key.user_key) ? key.user_key : maskKey(key.user_key),
      key_expires: key.key_expires,
      ...(key.paused_at === null ? {} : { paused: { left: leftInPause(key) } }),
      locked_until: isLocked ? key.locked_until : null,
      mayUnlock: isLocked && isAway && known.has(key.user_key),
    }
  })
}

export function brandOfSystem(system: VisitedAdSystem): Brand {
  const { brand_name: name, brand_accent: accent, brand_links } = system
  return brandOf({ ...system, name, accent, links: brand_links ?? '[]' })
}
