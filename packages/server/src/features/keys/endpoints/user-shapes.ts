/** Schemas for users and plans. */

import { MAX_USER_KEY_LENGTH } from '@scriptward/client/messages'
import { type UserStatus as Status, USER_STATUSES } from '@scriptward/client/user-statuses'
import { Type } from 'typebox'
import { Count, Flag, Milliseconds, maybe, named, nullable } from '../../../api/shapes.ts'
import { ONE_LINE } from '../../../api/text-patterns.ts'
import { MAX_DEVICES } from '../../devices/recognition.ts'
import { QUOTA_PERIODS, type QuotaPeriod } from '../../key-validity/quota-periods.ts'
import { MAX_FEATURE_LENGTH, MAX_FEATURES } from '../../key-validity/terms.ts'
import { labelFilter, labels, shownLabels } from './label-shapes.ts'

const FilterText = Type.String({
  maxLength: 255,
  pattern: ONE_LINE,
})

const exactly = (description: string) => Type.String({ ...FilterText, description })

/** The length of clocks and grace periods: at most a hundred years. */
const Length = { minimum: 1, maximum: 3_155_760_000_000 } as const
const Duration = nullable(
  Type.Integer({
    ...Length,
    description: 'duration in milliseconds. Null for keys that never expire',
    examples: [2_592_000_000],
  }),
)
type Basis = 'creation' | 'first_use'

export const Clock = Type.Object(
  {
    basis: Type.Unsafe<Basis>({
      type: 'string',
      enum: ['creation', 'first_use'],
      description:
        'when the validity period starts: when the key is created (creation) or first used (first_use)',
      examples: ['first_use'],
    }),
    duration: Duration,
  },
  {
    title: 'Clock',
    additionalProperties: false,
    description: 'validity period of keys',
    examples: [{ basis: 'first_use', duration: 2_592_000_000 }],
  },
)
/** A key's clock. The `plan` basis makes the key follow its plan's clock again. */
const OwnClock = Type.Object(
  {
    basis: Type.Unsafe<Basis | 'plan'>({
      type: 'string',
      enum: ['creation', 'first_use', 'plan'],
      description:
        "when the validity period starts: `creation`, `first_use`, or `plan` to use the plan's clock",
      examples: ['first_use'],
    }),
    duration: Type.Optional(Duration),
  },
  {
    title: 'OwnClock',
    additionalProperties: false,
    description: "validity period of this key, instead of the plan's",
    examples: [{ basis: 'first_use', duration: 604_800_000 }],
  },
)
const ShownClock = nullable(
  Type.Object(Clock.properties, {
    description: 'validity period of the key. Null if the key has none or its expiry was set manually',
  }),
)
export const Grace = Type.Integer({
  minimum: 0,
  maximum: 31_557_600_000,
  description: 'how long keys keep working after they expire, in milliseconds, up to a year',
  examples: [86_400_000],
})
export const Quota = Type.Object(
  {
    count: Type.Integer({
      minimum: 1,
      maximum: 2_147_483_647,
      description: 'maximum number of executions in each period',
      examples: [100],
    }),
    period: Type.Unsafe<QuotaPeriod>({
      type: 'string',
      enum: [...QUOTA_PERIODS],
      description: 'period of the quota, in UTC. Weeks start on Monday',
      examples: ['day'],
    }),
  },
  { title: 'Quota', additionalProperties: false, examples: [{ count: 100, period: 'day' }] },
)
const UsedQuota = nullable(
  Type.Object({
    ...Quota.properties,
    used: Type.Integer({
      minimum: 0,
      description: 'number of executions in the current period',
      examples: [12],
    }),
    resets_at: Type.Integer({ description: 'time at which the quota resets', examples: [1_790_035_200_000] }),
  }),
)
const Paused = nullable(
  Type.Object({
    since: Type.Integer({ examples: [1_790_000_000_000] }),
    left: nullable(
      Type.Integer({
        description:
          'time the key will have left when it is resumed, in milliseconds. Null if the key never expires',
        examples: [86_400_000],
      }),
    ),
  }),
)

const FEATURE_NAMES = { maxProperties: MAX_FEATURES, propertyNames: { pattern: '^[a-z][a-z0-9_]{0,31}$' } }
const FEATURE = {
  maxLength: MAX_FEATURE_LENGTH,
  minimum: -9_007_199_254_740_991,
  maximum: 9_007_199_254_740_991,
}
export const Features = Type.Unsafe<Record<string, true | number | string>>({
  ...FEATURE_NAMES,
  title: 'Features',
  type: 'object',
  additionalProperties: { anyOf: [{ const: true }, { ...FEATURE, type: ['number', 'string'] }] },
  description: `features that scripts read as ward.features: true, a number or a string of at most ${MAX_FEATURE_LENGTH} characters, by names matching [a-z][a-z0-9_]{0,31}, at most ${MAX_FEATURES}`,
  examples: [{ turbo: true, slots: 3 }],
})
const OwnFeatures = Type.Unsafe<Record<string, true | number | string | null>>({
  ...FEATURE_NAMES,
  title: 'OwnFeatures',
  type: 'object',
  additionalProperties: { anyOf: [{ const: true }, { ...FEATURE, type: ['number', 'string', 'null'] }] },
  description:
    'features of this key, which override those of its plan. Set a plan feature to null to remove it from this key',
  examples: [{ slots: 5 }],
})
const RULES = ['strict', 'tolerant'] as const
type DeviceRuleName = (typeof RULES)[number]
const RULE = { type: 'string', enum: [...RULES], examples: ['tolerant'] }
export const DeviceRule = Type.Unsafe<DeviceRuleName>({
  ...RULE,
  title: 'DeviceRule',
  description:
    'rule for recognizing a bound device. With strict, all strong components must match. With tolerant, the matching components must make up at least 60% of the total weight, where strong components weigh 2 and others 1',
})
/** A key's device rule. `plan` makes the key follow its plan's rule again. */
const OwnDeviceRule = Type.Unsafe<DeviceRuleName | 'plan' | null>({
  ...RULE,
  type: ['string', 'null'],
  enum: [...RULES, 'plan', null],
  description:
    "rule for recognizing a bound device: `strict`, `tolerant`, or `plan` to use the plan's rule (strict without a plan)",
})
const ShownDeviceRule = Type.Unsafe<DeviceRuleName | null>({
  ...RULE,
  type: ['string', 'null'],
  enum: [...RULES, null],
  description: "rule for recognizing a bound device. Null if the plan's rule applies (strict without a plan)",
})
const DEVICES = { minimum: 1, maximum: MAX_DEVICES, examples: [2] }
export const MaxDevices = Type.Integer({ ...DEVICES, description: 'maximum number of devices per key' })
const OwnMaxDevices = Type.Integer({
  minimum: -1,
  maximum: MAX_DEVICES,
  not: { const: 0 },
  description: "maximum number of devices. -1 applies the plan's limit (one device without a plan)",
  examples: [2],
})
export const MaxResets = Type.Object(
  {
    count: Type.Integer({
      minimum: 0,
      maximum: 1000,
      description: 'maximum number of resets per period. 0 allows none',
      examples: [2],
    }),
    period: Type.Integer({
      minimum: 60_000,
      maximum: 31_557_600_000,
      description: 'length of the period, which starts with the first reset, in milliseconds, up to a year',
      examples: [2_592_000_000],
    }),
  },
  {
    additionalProperties: false,
    description:
      "limit on how often customers can reset their devices on the self-service page, in addition to the project's cooldown",
    examples: [{ count: 2, period: 2_592_000_000 }],
  },
)
const StartsAt = Type.Integer({
  ...Milliseconds,
  description: 'time from which the key can be used. 0 removes the start date',
  examples: [1_790_000_000_000],
})
const PlanId = Type.String({
  maxLength: 64,
  description: 'plan ID. An empty string means no plan',
  examples: ['pln_0VMc4VLkQ8sTuVwXyZaBcD'],
})

/** Fields for new users and edits that are not in the unversioned API. */
export const terms = {
  plan_id: maybe(PlanId),
  starts_at: maybe(StartsAt),
  clock: maybe(OwnClock),
  max_devices: maybe(OwnMaxDevices),
  match: Type.Optional(OwnDeviceRule),
  features: Type.Optional(
    Type.Unsafe<Record<string, true | number | string | null> | null>({
      ...OwnFeatures,
      title: undefined,
      type: ['object', 'null'],
    }),
  ),
  ...labels,
}
/** The plan for an import's users. */
export const planOfImport = {
  plan_id: maybe(
    Type.String({
      maxLength: 64,
      description: 'ID of the plan for users that have neither an expiry nor a clock of their own',
      examples: ['pln_0VMc4VLkQ8sTuVwXyZaBcD'],
    }),
  ),
}
/** Filter fields that are not in the unversioned API. */
export const wideFilter = { plan_id: maybe(PlanId), ...labelFilter }

export const AfterExpiry = Type.Unsafe<'deny' | 'keep_version'>({
  title: 'AfterExpiry',
  type: 'string',
  enum: ['deny', 'keep_version'],
  description:
    'what happens after the key and its grace period expire. With deny, runs are denied. With keep_version, the key keeps running the script version that was live when it expired',
  examples: ['keep_version'],
})

export const Resellable = Type.Boolean({
  description:
    'whether resellers, and other callers with users:issue but without users:write, may issue keys on this plan',
  examples: [true],
})

export const ChatRole = Type.String({
  pattern: '^[0-9]{5,22}$',
  maxLength: 22,
  description:
    "ID of the Discord role that the project's bot gives to customers with a valid key on this plan. Null for none",
  examples: ['301245678901234571'],
})

export const Plan = named('Plan', {
  id: Type.String({ examples: ['pln_0VMc4VLkQ8sTuVwXyZaBcD'] }),
  project_id: Type.String(),
  name: Type.String({ examples: ['Pro'] }),
  clock: Clock,
  grace: Grace,
  max_instances: nullable(
    Type.Integer({
      description: 'maximum number of concurrent runs. Null if there is no limit',
      examples: [2],
    }),
  ),
  max_executions: nullable(
    Type.Integer({
      description: 'maximum number of executions. Null if there is no limit',
      examples: [1000],
    }),
  ),
  quota: nullable(
    Type.Object(Quota.properties, {
      description: 'limit on executions per period. Null if there is no limit',
    }),
  ),
  scripts: nullable(
    Type.Array(Type.String(), {
      description: 'IDs of the scripts that keys on this plan can run. Null if they can run all scripts',
      examples: [['scr_0VMc4VLkM2pQrStUvWxYzA']],
    }),
  ),
  max_devices: MaxDevices,
  match: DeviceRule,
  max_resets: nullable(
    Type.Object(MaxResets.properties, {
      description: 'limit on device resets by customers. Null if there is no limit',
    }),
  ),
  after_expiry: AfterExpiry,
  resellable: Resellable,
  chat_role_id: nullable(ChatRole),
  features: Features,
  created_at: Type.Integer(),
  users: Count,
})

/** Only users that match all given fields are selected. An empty string adds no condition. */
export const UserFilter = {
  key: maybe(Type.String({ ...FilterText, maxLength: MAX_USER_KEY_LENGTH, description: 'full license key' })),
  fingerprint_assigned: maybe(Flag),
  key_expires: maybe(Type.Boolean({ description: 'whether the key can expire' })),
  chat_id: maybe(exactly('ID of the linked chat account')),
  executor: maybe(exactly('executor of the last run')),
  note: maybe(exactly('note on the key')),
  blacklisted: maybe(Flag),
  blacklist_reason: maybe(
    Type.String({
      ...FilterText,
      description: 'exact blacklist reason, or true or false to filter by whether a reason is set',
    }),
  ),
  blacklist_expires: maybe(Type.Boolean({ description: 'whether the blacklist can expire' })),
  search: maybe(
    Type.String({
      ...FilterText,
      maxLength: MAX_USER_KEY_LENGTH,
      description: 'text to find in the key, chat account, note, executor or blacklist reason, ignoring case',
    }),
  ),
}

/** A user's status: the first one that matches, in the order of the description. */
export const UserStatus = Type.Unsafe<Status>({
  title: 'UserStatus',
  type: 'string',
  enum: [...USER_STATUSES],
  description:
    "status of the key, which is the first of these that applies. blacklisted: the key is blacklisted, or the project ban in `ban` applies to it. paused: the key is paused. grace: it has expired but is in its plan's grace period. expired: it has expired. locked: it was earned through ads and not yet used on the network where it was earned. not_started: starts_at is in the future, or its clock starts with the first use. issued: it was handed out but never used. unused: it never ran a script and has neither a fingerprint nor a chat account. quota_spent: its quota is used up. active: it can be used",
  examples: ['expired'],
})

export const User = named('UnversionedUser', {
  key: Type.String(),
  chat_id: nullable(Type.String()),
  fingerprint_assigned: Type.Boolean(),
  executor: nullable(Type.String()),
  executions: Type.Integer(),
  key_expires: nullable(Type.Integer()),
  last_reset: Type.Integer(),
  total_fingerprint_resets: Type.Integer(),
  note: nullable(Type.String()),
  blacklisted: Type.Boolean(),
  blacklist_reason: nullable(Type.String()),
  blacklist_expires: nullable(Type.Integer()),
  service_fingerprint: Type.String(),
})

const UserBan = nullable(
  Type.Object(
    {
      id: Type.String({ examples: ['ban_0VMc4VLkS3dMnOpQrStUvW'] }),
      kind: Type.Unsafe<'device' | 'network' | 'chat'>({
        type: 'string',
        enum: ['device', 'network', 'chat'],
        description: 'kind of ban',
        examples: ['device'],
      }),
      value: Type.String({
        description: 'banned network or chat account, or the masked fingerprint of the banned device',
        examples: ['203.0.113.0/24'],
      }),
      reason: nullable(Type.String({ description: 'reason for the ban. Null if there is none' })),
      expires: nullable(Type.Integer({ description: 'expiry of the ban. Null if it is permanent' })),
    },
    {
      description:
        'project ban that applies to the key through one of its devices, its chat account, or the network of its last run. If several apply, the one that lasts longest is shown. Bans that cover only part of that network (/24 for IPv4, /48 for IPv6) are not shown, because they may affect someone else',
    },
  ),
)

/** A user under `/v1`. A null limit means no limit. */
export const WideUser = named('User', {
  ...User.properties,
  status: UserStatus,
  ban: UserBan,
  plan_id: nullable(Type.String({ examples: ['pln_0VMc4VLkQ8sTuVwXyZaBcD'] })),
  plan: nullable(Type.String({ description: 'plan name', examples: ['Pro'] })),
  clock: ShownClock,
  has_own_clock: Type.Boolean({
    description: "whether the key has its own clock instead of the plan's",
    examples: [false],
  }),
  clock_extra: Type.Integer({
    minimum: 0,
    description:
      "time that extensions and pauses added to the clock, in milliseconds. If the clock starts with the first use, the key is then valid for the clock's duration plus this time",
    examples: [0],
  }),
  starts_at: nullable(
    Type.Integer({ description: 'time from which the key can be used', examples: [1_790_000_000_000] }),
  ),
  paused: Paused,
  features: Features,
  own_features: OwnFeatures,
  quota: UsedQuota,
  ...shownLabels,
  foreign_device: nullable(
    Type.String({
      description: 'for imported users, the device identifier at the previous service',
      examples: ['a4f1-77d0-c3'],
    }),
  ),
  first_used_at: nullable(Type.Integer({ description: 'time of the first recorded execution' })),
  last_used_at: nullable(Type.Integer({ description: 'time of the last execution' })),
  max_instances: nullable(Type.Integer()),
  max_executions: nullable(Type.Integer()),
  max_devices: nullable(
    Type.Integer({
      description: "maximum number of devices. Null if the plan's limit applies (one device without a plan)",
    }),
  ),
  match: ShownDeviceRule,
  use_fingerprint: Type.Boolean(),
  ad_system_id: nullable(Type.String()),
  created_at: Type.Integer(),
  project_id: Type.String(),
  issuer: nullable(
    Type.String({
      description:
        'ID of the member or token without `users:read` that issued the user. Null for all other users',
    }),
  ),
  shared: Type.Boolean({
    description: "whether the key was used from more networks than the project's share_threshold allows",
    examples: [false],
  }),
  networks: Type.Integer({
    minimum: 0,
    description:
      'number of networks (/24 for IPv4, /48 for IPv6) the key was used from within seven days, counted up to 40',
    examples: [2],
  }),
  refused_devices: Type.Integer({
    minimum: 0,
    description: 'number of other devices the key was denied on within seven days, counted up to 40',
    examples: [0],
  }),
})
