/** Filters of the user list, as stored in the URL and sent to the API. */
import { USER_STATUSES, type UserStatus } from '@scriptward/client/user-statuses'
import type { V1ProjectUsersFilterData } from '@scriptward/sdk'
import type { Filter } from '../../components/table/filter-bar.tsx'
import { text } from '../../messages/text.ts'
import type { Plan } from '../../queries/plans.ts'
import { FIRST_PAGE } from './first-page.ts'

type Query = NonNullable<V1ProjectUsersFilterData['query']>
type Conditions = Pick<
  Query,
  | 'search'
  | 'status'
  | 'plan_id'
  | 'tag'
  | 'issued_by'
  | 'metadata'
  | 'chat_id'
  | 'executor'
  | 'note'
  | 'fingerprint_assigned'
  | 'key_expires'
  | 'blacklist_reason'
  | 'blacklist_expires'
  | 'shared'
>

const TEXTS = [
  ...(['search', 'plan_id', 'tag', 'issued_by', 'metadata'] as const),
  ...(['chat_id', 'executor', 'note', 'blacklist_reason'] as const),
] as const
const FLAGS = ['fingerprint_assigned', 'key_expires', 'blacklist_expires', 'shared'] as const
export const NAMES: readonly string[] = ['status', ...TEXTS, ...FLAGS]

/** Offers filters for blocks only if the project has blocks, or if such a filter is set. */
export function filtersFor(
  given: Readonly<Record<string, string | undefined>>,
  plans: readonly Pick<Plan, 'id' | 'name'>[],
): readonly Filter[] {
  const isAbout = given.status === 'blacklisted'
  const ofPlan =
    plans.length === 0
      ? []
      : [
          {
            name: 'plan_id',
            title: text.userList.plan,
            options: plans.map(({ id, name }) => [id, name] as const),
          },
        ]
  return [...ofPlan, ...FILTERS].filter(
    ({ name }) => !name.startsWith('blacklist') || isAbout || given[name] !== undefined,
  )
}

const FILTERS = allFilters()

function allFilters(): readonly Filter[] {
  const t = text.userList
  const flag = (no: string, yes: string) =>
    [
      ['true', yes],
      ['false', no],
    ] as const
  return [
    { name: 'tag', title: text.labels.tag },
    { name: 'chat_id', title: t.chatId, isRare: true },
    { name: 'executor', title: t.executor },
    { name: 'note', title: t.note, isRare: true },
    { name: 'issued_by', title: text.labels.issuedBy, isRare: true },
    { name: 'metadata', title: text.labels.metadataFilter, isRare: true },
    { name: 'fingerprint_assigned', title: t.device, options: flag(t.unbound, t.bound) },
    { name: 'key_expires', title: t.expiry, options: flag(t.never, t.someTime) },
    {
      name: 'shared',
      title: text.userList.sharedFilter,
      options: flag(text.userList.notShared, text.userList.shared),
      isRare: true,
    },
    { name: 'blacklist_reason', title: t.reason },
    { name: 'blacklist_expires', title: t.blacklistEnd, options: flag(t.never, t.someTime) },
  ]
}

/** Returns the URL's filters that the API supports; undefined if there are none. */
export function conditionsIn(given: Readonly<Record<string, string | undefined>>): Conditions | undefined {
  const texts = TEXTS.flatMap((name) => (given[name] ? [[name, given[name]]] : []))
  const flags = FLAGS.flatMap((name) =>
    given[name] === 'true' || given[name] === 'false' ? [[name, given[name] === 'true']] : [],
  )
  const status = USER_STATUSES.find((each) => each === given.status)
  const conditions: Conditions = { ...Object.fromEntries([...texts, ...flags]), ...(status && { status }) }
  return Object.keys(conditions).length === 0 ? undefined : conditions
}

const SORTS = ['created', 'expires', 'last_used', 'note'] as const

/** Returns the order from the URL; newest users come first by default. */
export function sortingIn({ sort, order }: Readonly<Record<string, string | undefined>>) {
  const by = SORTS.find((each) => each === sort)
  if (by === undefined) return { sort: FIRST_PAGE.sort, order: FIRST_PAGE.order }
  return { sort: by, order: order === 'desc' ? 'desc' : 'asc' } as const
}

/** Returns the status if it is the only filter. In that case, the counts contain the total. */
export function onlyStatus(conditions: Conditions | undefined): UserStatus | undefined {
  return conditions?.status !== undefined && Object.keys(conditions).length === 1
    ? conditions.status
    : undefined
}
