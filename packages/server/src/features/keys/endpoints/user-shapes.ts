/** Schemas for users and plans. */

import { MAX_USER_KEY_LENGTH } from '@scriptward/client/messages'
import { type UserStatus as Status, USER_STATUSES } from '@scriptward/client/user-statuses'
import { Type } from 'typebox'
import { Count, Flag, Milliseconds, maybe, named, nullable } from '../../../api/shapes.ts'
import { MAX_DEVICES } from '../../devices/recognition.ts'
import { QUOTA_PERIODS, type QuotaPeriod } from '../../key-validity/quota-periods.ts'
import { MAX_FEATURE_LENGTH, MAX_FEATURES } from '../../key-validity/terms.ts'
import { labelFilter, labels, shownLabels } from './label-shapes.ts'

const FilterText = Type.String({
  maxLength: 255,
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
  description: 'string of at most 255 characters without control characters',
})

/** Clocks and grace periods are limited to a hundred years. */
const Length = { minimum: 1, maximum: 3_155_760_000_000 } as const
const Duration = nullable(
  Type.Integer({
    ...Length,
    description: 'duration in milliseconds; null for no expiry',
    examples: [2_592_000_000],
  }),
)
type Basis = 'creation' | 'first_use'

export const Clock = Type.Object(
  {
    basis: Type.Unsafe<Basis>({
      type: 'string',
      enum: ['creation', 'first_use'],
      description: 'when the time starts',
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
/** The clock of one key. The basis `plan` returns to the plan's clock. */
const OwnClock = Type.Object(
  {
    basis: Type.Unsafe<Basis | 'plan'>({
      type: 'string',
      enum: ['creation', 'first_use', 'plan'],
      description: 'when the time starts; plan: as set by the plan',
      examples: ['first_use'],
    }),
    duration: Type.Optional(Duration),
  },
  {
    title: 'OwnClock',
    additionalProperties: false,
    description: 'clock of this key only',
    examples: [{ basis: 'first_use', duration: 604_800_000 }],
  },
)
const ShownClock = nullable(
  Type.Object(Clock.properties, {
    description: 'clock of the key; null if the expiry was set manually or there is none',
  }),
)
export const Grace = Type.Integer({
  minimum: 0,
  maximum: 31_557_600_000,
  description: 'grace period during which keys keep working after expiry, in milliseconds, at most a year',
  examples: [86_400_000],
})
export const Quota = Type.Object(
  {
    count: Type.Integer({
      minimum: 1,
      maximum: 2_147_483_647,
      description: 'maximum number of executions per period',
      examples: [100],
    }),
    period: Type.Unsafe<QuotaPeriod>({
      type: 'string',
      enum: [...QUOTA_PERIODS],
      description: 'period of the quota in UTC; weeks start on Monday',
      examples: ['day'],
    }),
  },
  { title: 'Quota', additionalProperties: false, examples: [{ count: 100, period: 'day' }] },
)
const UsedQuota = nullable(
  Type.Object({
    ...Quota.properties,
    used: Type.Integer({ minimum: 0, description: 'number of executions in this period', examples: [12] }),
    resets_at: Type.Integer({ description: 'time at which the quota resets', examples: [1_790_035_200_000] }),
  }),
)
const Paused = nullable(
  Type.Object({
    since: Type.Integer({ examples: [1_790_000_000_000] }),
    left: nullable(
      Type.Integer({
        description: 'remaining time that the key resumes with, in milliseconds; null for no expiry',
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
  description: 'features of this key, which override those of its plan; null removes a feature of the plan',
  examples: [{ slots: 5 }],
})
const RULES = ['strict', 'tolerant'] as const
type DeviceRuleName = (typeof RULES)[number]
const RULE = { type: 'string', enum: [...RULES], examples: ['tolerant'] }
export const DeviceRule = Type.Unsafe<DeviceRuleName>({
  ...RULE,
  title: 'DeviceRule',
  description:
    'rule for recognizing a device by the components it shares with a bound one. strict: all strong components match. tolerant: components with 60 % of the weight match, where strong ones weigh 2 and others 1',
})
/** The device rule of one key. `plan` returns to the plan's rule. */
const OwnDeviceRule = Type.Unsafe<DeviceRuleName | 'plan' | null>({
  ...RULE,
  type: ['string', 'null'],
  enum: [...RULES, 'plan', null],
  description: 'device matching: strict or tolerant; plan: the rule of the plan, or strict without a plan',
})
const ShownDeviceRule = Type.Unsafe<DeviceRuleName | null>({
  ...RULE,
  type: ['string', 'null'],
  enum: [...RULES, null],
  description: 'device matching; null for the rule of the plan, or strict without a plan',
})
const DEVICES = { minimum: 1, maximum: MAX_DEVICES, examples: [2] }
export const MaxDevices = Type.Integer({ ...DEVICES, description: 'maximum number of devices per key' })
const OwnMaxDevices = Type.Integer({
  minimum: -1,
  maximum: MAX_DEVICES,
  not: { const: 0 },
  description: 'maximum number of devices; -1 for the limit of the plan, or one device without a plan',
  examples: [2],
})
export const MaxResets = Type.Object(
  {
    count: Type.Integer({
      minimum: 0,
      maximum: 1000,
      description: 'maximum number of resets; 0 for none',
      examples: [2],
    }),
    period: Type.Integer({
      minimum: 60_000,
      maximum: 31_557_600_000,
      description: 'length of the period in milliseconds, starting with the first reset, at most a year',
      examples: [2_592_000_000],
    }),
  },
  {
    additionalProperties: false,
    description:
      'how often customers may reset their devices on their own page, in addition to the project cooldown',
    examples: [{ count: 2, period: 2_592_000_000 }],
  },
)
const StartsAt = Type.Integer({
  ...Milliseconds,
  description: "time before which the key can't be used; 0 for no start date",
  examples: [1_790_000_000_000],
})
const PlanId = Type.String({
  maxLength: 64,
  description: 'plan of the project; empty for none',
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
/** The plan of an import. */
export const planOfImport = {
  plan_id: maybe(
    Type.String({
      maxLength: 64,
      description: 'plan for users without an expiry or a clock of their own',
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
    'behavior after expiry and grace period. deny: runs are denied. keep_version: the key keeps running the script version that was live when it expired',
  examples: ['keep_version'],
})

export const Resellable = Type.Boolean({
  description:
    'whether resellers, and others with users:issue but without users:write, may issue keys on this plan',
  examples: [true],
})

export const Plan = named('Plan', {
  id: Type.String({ examples: ['pln_0VMc4VLkQ8sTuVwXyZaBcD'] }),
  project_id: Type.String(),
  name: Type.String({ examples: ['Pro'] }),
  clock: Clock,
  grace: Grace,
  max_instances: nullable(
    Type.Integer({ description: 'maximum number of concurrent runs; null for no limit', examples: [2] }),
  ),
  max_executions: nullable(
    Type.Integer({ description: 'maximum number of executions; null for no limit', examples: [1000] }),
  ),
  quota: nullable(Type.Object(Quota.properties, { description: 'quota; null for none' })),
  scripts: nullable(
    Type.Array(Type.String(), {
      description: 'IDs of the scripts that keys on this plan may run; null for all',
      examples: [['scr_0VMc4VLkM2pQrStUvWxYzA']],
    }),
  ),
  max_devices: MaxDevices,
  match: DeviceRule,
  max_resets: nullable(Type.Object(MaxResets.properties, { description: 'reset limit; null for none' })),
  after_expiry: AfterExpiry,
  resellable: Resellable,
  features: Features,
  created_at: Type.Integer(),
  users: Count,
})

/** A user must match all given fields. Empty strings mean no condition. */
export const UserFilter = {
  key: maybe(Type.String({ ...FilterText, maxLength: MAX_USER_KEY_LENGTH, description: 'full license key' })),
  fingerprint_assigned: maybe(Flag),
  key_expires: maybe(Flag),
  chat_id: maybe(FilterText),
  executor: maybe(FilterText),
  note: maybe(FilterText),
  blacklisted: maybe(Flag),
  blacklist_reason: maybe(
    Type.String({
      ...FilterText,
      description: 'filter by reason. true: has a reason; false: has none; or the reason itself',
    }),
  ),
  blacklist_expires: maybe(Flag),
  search: maybe(
    Type.String({
      ...FilterText,
      maxLength: MAX_USER_KEY_LENGTH,
      description: 'part of the key, chat account, note, executor or blacklist reason, ignoring case',
    }),
  ),
}

/** The status of a user: the first match in the order of the description. */
export const UserStatus = Type.Unsafe<Status>({
  title: 'UserStatus',
  type: 'string',
  enum: [...USER_STATUSES],
  description:
    'status of the key, the first that applies. blacklisted: the key itself, or through the project ban in `ban`; paused; grace: expired, but in the grace period of its plan; expired; locked: earned through ads and not yet used on the network where it was earned; not_started: before starts_at, or the clock starts with the first use; issued: handed out but never used; unused: never ran a script, without fingerprint or chat account; quota_spent; active',
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
        examples: ['device'],
      }),
      value: Type.String({
        description: 'banned network or chat account, or the masked fingerprint of a device',
        examples: ['203.0.113.0/24'],
      }),
      reason: nullable(Type.String()),
      expires: nullable(Type.Integer({ description: 'expiry of the ban; null for never' })),
    },
    {
      description:
        'project ban that applies to the key through one of its devices, its chat account, or the network of its last run. If there are several, the one that lasts longest. Bans of a part of that network (/24 for IPv4, /48 for IPv6) are not shown, as they may concern someone else',
    },
  ),
)

/** A user under `/v1`. A null limit means no limit. */
export const WideUser = named('User', {
  ...User.properties,
  status: UserStatus,
  ban: UserBan,
  plan_id: nullable(Type.String({ examples: ['pln_0VMc4VLkQ8sTuVwXyZaBcD'] })),
  plan: nullable(Type.String({ description: 'name of the plan', examples: ['Pro'] })),
  clock: ShownClock,
  has_own_clock: Type.Boolean({
    description: 'whether the clock belongs to this key only',
    examples: [false],
  }),
  clock_extra: Type.Integer({
    minimum: 0,
    description:
      'milliseconds added to the clock by extensions and pauses. If the clock starts with the first use, the key is valid for its duration plus this time',
    examples: [0],
  }),
  starts_at: nullable(
    Type.Integer({ description: "time before which the key can't be used", examples: [1_790_000_000_000] }),
  ),
  paused: Paused,
  features: Features,
  own_features: OwnFeatures,
  quota: UsedQuota,
  ...shownLabels,
  foreign_device: nullable(
    Type.String({
      description: 'identifier of the device at the previous service, for imported users',
      examples: ['a4f1-77d0-c3'],
    }),
  ),
  first_used_at: nullable(Type.Integer({ description: 'time of the first recorded execution' })),
  last_used_at: nullable(Type.Integer({ description: 'time of the last execution' })),
  max_instances: nullable(Type.Integer()),
  max_executions: nullable(Type.Integer()),
  max_devices: nullable(
    Type.Integer({
      description: 'maximum number of devices; null for the limit of the plan, or one device without a plan',
    }),
  ),
  match: ShownDeviceRule,
  use_fingerprint: Type.Boolean(),
  ad_system_id: nullable(Type.String()),
  created_at: Type.Integer(),
  project_id: Type.String(),
  issuer: nullable(
    Type.String({
      description: 'member or token without `users:read` that issued the user; null for other users',
    }),
  ),
  shared: Type.Boolean({
    description:
      'whether the key was used from more networks than the threshold of the project (share_threshold)',
    examples: [false],
  }),
  networks: Type.Integer({
    minimum: 0,
    description:
      'number of networks (/24 for IPv4, /48 for IPv6) it was used from within seven days, counted up to 40',
    examples: [2],
  }),
  refused_devices: Type.Integer({
    minimum: 0,
    description: 'number of other devices it was denied on within seven days, counted up to 40',
    examples: [0],
  }),
})
