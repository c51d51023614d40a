/**
 * The actions of `users/bulk`: each action's fields and effect. A new action needs an entry here and in
 * `features/changes/store/effects-by-action.ts`, and its fields in
 * `features/changes/endpoints/bulk-action-members.ts`.
 */

import { NEVER } from '../../api/limits.ts'
import { Refused, refuseMember } from '../../api/refusals.ts'
import type { Effect } from '../key-validity/store/effect.ts'
import { MAX_TAGS, tagsOf } from '../keys/labels.ts'
import type { PlanRow } from '../plans/store.ts'
import { effectOf } from './store/effects-by-action.ts'

export type BulkActionMembers = {
  readonly duration?: number
  readonly extend_expired?: boolean
  readonly expires?: number
  readonly reason?: string
  readonly tags?: readonly string[]
  readonly plan_id?: string
}
type Member = keyof BulkActionMembers
/** `plan` is the plan with the ID `plan_id`. Undefined if the project has no such plan. */
type OrderedOn = { readonly now: number; readonly plan: PlanRow | null | undefined }

type Order = {
  readonly takes: readonly Member[]
  readonly effect: (given: BulkActionMembers, on: OrderedOn) => Effect | Refused<'invalid_request'>
  /** True if the action must not be applied twice. All users then share one transaction. */
  readonly isAtOnce?: true
}

const ORDERS = {
  extend: {
    takes: ['duration', 'extend_expired'],
    effect: ({ duration, extend_expired = false }, { now }) =>
      duration === undefined
        ? refuseMember('duration', 'is required to extend: the milliseconds to add')
        : effectOf('extend', { duration, latest: NEVER, expired: extend_expired, now }),
    isAtOnce: true,
  },
  blacklist: {
    takes: ['expires', 'reason'],
    effect: ({ expires = 0, reason = '' }, { now }) =>
      expires !== 0 && expires <= now
        ? refuseMember('expires', 'must be in the future, or 0 for no expiry')
        : effectOf('blacklist', { reason: reason.trim() || null, expires: expires || null, now }),
  },
  unblacklist: { takes: [], effect: (_, { now }) => effectOf('unblacklist', { now }) },
  pause: { takes: [], effect: (_, { now }) => effectOf('pause', { now, latest: NEVER }) },
  resume: { takes: [], effect: (_, { now }) => effectOf('resume', { now, latest: NEVER }) },
  tag: {
    takes: ['tags'],
    effect: ({ tags = [] }) =>
      tagsOf(tags).length === 0
        ? refuseMember('tags', 'is required: the tags to add')
        : effectOf('tag', { tags: tagsOf(tags), most: MAX_TAGS }),
  },
  untag: {
    takes: ['tags'],
    effect: ({ tags = [] }) =>
      tagsOf(tags).length === 0
        ? refuseMember('tags', 'is required: the tags to remove')
        : effectOf('untag', { tags: tagsOf(tags) }),
  },
  plan: {
    takes: ['plan_id'],
    effect: ({ plan_id }, { now, plan }) => {
      if (plan_id === undefined)
        return refuseMember('plan_id', 'is required: a plan ID, or an empty string for no plan')
      if (plan === undefined) return refuseMember('plan_id', 'must be a plan in this project')
      return effectOf('plan', { plan, now, latest: NEVER })
    },
  },
  reset: { takes: [], effect: (_, { now }) => effectOf('reset', { now }) },
  remove: { takes: [], effect: () => effectOf('remove', {}) },
} as const satisfies Record<string, Order>

export type BulkActionName = keyof typeof ORDERS

/** Parses an action. Rejects fields of other actions. */
export function parseBulkAction(
  action: BulkActionName,
  given: BulkActionMembers,
  on: OrderedOn,
): { readonly effect: Effect; readonly isAtOnce: boolean } | Refused<'invalid_request'> {
  const order: Order = ORDERS[action]
  const other = (Object.keys(given) as Member[]).find((name) => !order.takes.includes(name))
  if (other !== undefined) return refuseMember(other, `does not apply to ${action}. Leave it out`)
  const effect = order.effect(given, on)
  return effect instanceof Refused ? effect : { effect, isAtOnce: order.isAtOnce === true }
}
