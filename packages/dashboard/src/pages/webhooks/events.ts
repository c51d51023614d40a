/** Every event that webhooks send, and which address gets it; null where it is the address that the event is about. */
export const EVENT_KINDS = {
  'execution.granted': 'execution',
  'execution.denied': 'execution',
  'user.created': 'information',
  'users.generated': 'information',
  'users.imported': 'information',
  'user.fingerprint_reset': 'information',
  'users.fingerprint_reset_all': 'information',
  'user.linked': 'information',
  'users.compensated': 'information',
  'user.key_issued': 'information',
  'user.key_extended': 'information',
  'ads.misconfigured': 'information',
  'user.blacklisted': 'blacklist',
  'user.unblacklisted': 'blacklist',
  'user.blacklist_expired': 'blacklist',
  'execution.copied': 'blacklist',
  'execution.suspected': 'blacklist',
  'events.left_out': null,
  'webhook.test': null,
} as const

export type EventType = keyof typeof EVENT_KINDS
export const EVENT_TYPES = Object.keys(EVENT_KINDS) as EventType[]
