/**
 * All webhook events, each with the built-in endpoint that receives it; null for events about an endpoint
 * itself.
 */
import type { V1WebhooksCreateData } from '@scriptward/sdk'

export const EVENT_KINDS = {
  'execution.granted': 'execution',
  'execution.denied': 'execution',
  'user.created': 'information',
  'user.edited': 'information',
  'user.removed': 'information',
  'users.generated': 'information',
  'users.imported': 'information',
  'users.removed': 'information',
  'users.changed': 'information',
  'users.restored': 'information',
  'user.device_added': 'information',
  'user.fingerprint_reset': 'information',
  'users.fingerprint_reset_all': 'information',
  'user.linked': 'information',
  'users.compensated': 'information',
  'user.key_issued': 'information',
  'user.key_extended': 'information',
  'ads.misconfigured': 'information',
  'user.paused': 'information',
  'user.resumed': 'information',
  'user.extended': 'information',
  'user.features_changed': 'information',
  'user.expiring': 'information',
  'user.expired': 'information',
  'user.limit_reached': 'information',
  'function.failed': 'information',
  'script.error_new': 'information',
  'script.error_regressed': 'information',
  'release.started': 'information',
  'release.completed': 'information',
  'release.held': 'information',
  'release.rolled_back': 'information',
  'variables.edited': 'information',
  'plan.edited': 'information',
  'user.blacklisted': 'blacklist',
  'user.unblacklisted': 'blacklist',
  'user.shared': 'blacklist',
  'user.blacklist_expired': 'blacklist',
  'execution.copied': 'blacklist',
  'execution.suspected': 'blacklist',
  'events.left_out': null,
  'webhook.test': null,
} as const satisfies Readonly<Record<ChosenEvent, string>> & Readonly<Record<string, string | null>>

export type EventType = keyof typeof EVENT_KINDS
export const EVENT_TYPES = Object.keys(EVENT_KINDS) as EventType[]
/** Events that an endpoint can be limited to. */
export type ChosenEvent = NonNullable<V1WebhooksCreateData['body']['events']>[number]
export const CHOSEN_EVENTS = EVENT_TYPES.filter((type): type is ChosenEvent => EVENT_KINDS[type] !== null)
