/** Users and plans as the API names them, in the form of schemas. */

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
  description: 'at most 255 characters without control characters',
})

/** Of a clock or a grace: at most a hundred years. */
const Length = { minimum: 1, maximum: 3_155_760_000_000 } as const
const Duration = nullable(
  Type.Integer({ ...Length, description: 'milliseconds; null never ends', examples: [2_592_000_000] }),
)
type Basis = 'creation' | 'first_use'

export const Clock = Type.Object(
  {
    basis: Type.Unsafe<Basis>({
      type: 'string',
      enum: ['creation', 'first_use'],
      description: 'from when the time counts',
      examples: ['first_use'],
    }),
    duration: Duration,
  },
  {
    title: 'Clock',
    additionalProperties: false,
    description: 'for how long keys are valid',
    examples: [{ basis: 'first_use', duration: 2_592_000_000 }],
  },
)
/** Of one key, which may also go back to the clock of its plan. */
const OwnClock = Type.Object(
  {
    basis: Type.Unsafe<Basis | 'plan'>({
      type: 'string',
      enum: ['creation', 'first_use', 'plan'],
      description: 'from when the time counts; plan: as the plan says',
      examples: ['first_use'],
    }),
    duration: Type.Optional(Duration),
  },
  {
    title: 'OwnClock',
    additionalProperties: false,
    description: 'a clock of the key alone',
    examples: [{ basis: 'first_use', duration: 604_800_000 }],
  },
)
const ShownClock = nullable(
  Type.Object(Clock.properties, { description: 'null where the end was set by hand, or there is none' }),
)
export const Grace = Type.Integer({
  minimum: 0,
  maximum: 31_557_600_000,
  description: 'milliseconds for which keys run on after their end, at most a year',
  examples: [86_400_000],
})
export const Quota = Type.Object(
  {
    count: Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'executions', examples: [100] }),
    period: Type.Unsafe<QuotaPeriod>({
      type: 'string',
      enum: [...QUOTA_PERIODS],
      description: 'in UTC; weeks begin on Monday',
      examples: ['day'],
    }),
  },
  { title: 'Quota', additionalProperties: false, examples: [{ count: 100, period: 'day' }] },
)
const UsedQuota = nullable(
  Type.Object({
    ...Quota.properties,
    used: Type.Integer({ minimum: 0, description: 'executions in this period', examples: [12] }),
    resets_at: Type.Integer({ description: 'when it starts again', examples: [1_790_035_200_000] }),
  }),
)
const Paused = nullable(
  Type.Object({
    since: Type.Integer({ examples: [1_790_000_000_000] }),
    left: nullable(
      Type.Integer({
        description: 'milliseconds that the key gets back; null for no end',
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
  description: `what scripts see as ward.features: true, a number or a text of at most ${MAX_FEATURE_LENGTH} characters, by names of [a-z][a-z0-9_]{0,31}, at most ${MAX_FEATURES}`,
  examples: [{ turbo: true, slots: 3 }],
})
const OwnFeatures = Type.Unsafe<Record<string, true | number | string | null>>({
  ...FEATURE_NAMES,
  title: 'OwnFeatures',
  type: 'object',
  additionalProperties: { anyOf: [{ const: true }, { ...FEATURE, type: ['number', 'string', 'null'] }] },
  description: 'features of this key alone, before those of its plan; null takes one of the plan away',
  examples: [{ slots: 5 }],
})
const RULES = ['strict', 'tolerant'] as const
type DeviceRuleName = (typeof RULES)[number]
const RULE = { type: 'string', enum: [...RULES], examples: ['tolerant'] }
export const DeviceRule = Type.Unsafe<DeviceRuleName>({
  ...RULE,
  title: 'DeviceRule',
  description:
    'how a device is recognized, by the components that it shares with a bound one. strict: all strong ones agree; tolerant: 60 % of the weight agrees, where a strong one weighs 2 and others 1',
})
/** Of one key, which may also go back to the rule of its plan. */
const OwnDeviceRule = Type.Unsafe<DeviceRuleName | 'plan' | null>({
  ...RULE,
  type: ['string', 'null'],
  enum: [...RULES, 'plan', null],
  description: 'strict or tolerant, as in a plan; plan: the rule of its plan, or strict without one',
})
const ShownDeviceRule = Type.Unsafe<DeviceRuleName | null>({
  ...RULE,
  type: ['string', 'null'],
  enum: [...RULES, null],
  description: 'null: the rule of its plan, or strict without one',
})
const DEVICES = { minimum: 1, maximum: MAX_DEVICES, examples: [2] }
export const MaxDevices = Type.Integer({ ...DEVICES, description: 'devices on which a key runs' })
const OwnMaxDevices = Type.Integer({
  minimum: -1,
  maximum: MAX_DEVICES,
  not: { const: 0 },
  description: 'devices on which the key runs; -1 for as many as its plan says, or one',
  examples: [2],
})
export const MaxResets = Type.Object(
  {
    count: Type.Integer({ minimum: 0, maximum: 1000, description: '0 for none', examples: [2] }),
    period: Type.Integer({
      minimum: 60_000,
      maximum: 31_557_600_000,
      description: 'milliseconds from the first one on, at most a year',
      examples: [2_592_000_000],
    }),
  },
  {
    additionalProperties: false,
    description: 'how often users may release devices on their page, beside the cooldown of the project',
    examples: [{ count: 2, period: 2_592_000_000 }],
  },
)
const StartsAt = Type.Integer({
  ...Milliseconds,
  description: 'no script runs before; 0 for at once',
  examples: [1_790_000_000_000],
})
const PlanId = Type.String({
  maxLength: 64,
  description: 'a plan of the project; empty for none',
  examples: ['pln_0VMc4VLkQ8sTuVwXyZaBcD'],
})

/** Members of a key beyond the interface, for new users and for edits. */
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
/** Of an import. */
export const planOfImport = {
  plan_id: maybe(
    Type.String({
      maxLength: 64,
      description: 'the plan of those that have no end and no clock of their own',
      examples: ['pln_0VMc4VLkQ8sTuVwXyZaBcD'],
    }),
  ),
}
/** Of a filter, beyond the interface. */
export const wideFilter = { plan_id: maybe(PlanId), ...labelFilter }

export const AfterExpiry = Type.Unsafe<'deny' | 'keep_version'>({
  title: 'AfterExpiry',
  type: 'string',
  enum: ['deny', 'keep_version'],
  description:
    'what a key may do after its end and grace: deny: nothing; keep_version: run the version of a script that was active at its end',
  examples: ['keep_version'],
})

export const Resellable = Type.Boolean({
  description: 'resellers, and all others with users:issue and without users:write, may issue keys of it',
  examples: [true],
})

export const Plan = named('Plan', {
  id: Type.String({ examples: ['pln_0VMc4VLkQ8sTuVwXyZaBcD'] }),
  project_id: Type.String(),
  name: Type.String({ examples: ['Pro'] }),
  clock: Clock,
  grace: Grace,
  max_instances: nullable(Type.Integer({ description: 'null for no limit', examples: [2] })),
  max_executions: nullable(Type.Integer({ description: 'null for no limit', examples: [1000] })),
  quota: nullable(Type.Object(Quota.properties, { description: 'null for none' })),
  scripts: nullable(
    Type.Array(Type.String(), {
      description: 'ids of the scripts that its keys may run; null for all',
      examples: [['scr_0VMc4VLkM2pQrStUvWxYzA']],
    }),
  ),
  max_devices: MaxDevices,
  match: DeviceRule,
  max_resets: nullable(Type.Object(MaxResets.properties, { description: 'null for no limit' })),
  after_expiry: AfterExpiry,
  resellable: Resellable,
  features: Features,
  created_at: Type.Integer(),
  users: Count,
})

/** What a user must have to be listed; all of it when more is given. Empty texts ask for nothing. */
export const UserFilter = {
  key: maybe(Type.String({ ...FilterText, maxLength: MAX_USER_KEY_LENGTH, description: 'the whole key' })),
  fingerprint_assigned: maybe(Flag),
  key_expires: maybe(Flag),
  chat_id: maybe(FilterText),
  executor: maybe(FilterText),
  note: maybe(FilterText),
  blacklisted: maybe(Flag),
  blacklist_reason: maybe(
    Type.String({ ...FilterText, description: 'true: has a reason, false: has none, or the reason itself' }),
  ),
  blacklist_expires: maybe(Flag),
  search: maybe(
    Type.String({
      ...FilterText,
      maxLength: MAX_USER_KEY_LENGTH,
      description: 'part of the key, chat id, note, executor or blacklist reason, in either case',
    }),
  ),
}

/** Of users; the first that fits, in the order of the description. */
export const UserStatus = Type.Unsafe<Status>({
  title: 'UserStatus',
  type: 'string',
  enum: [...USER_STATUSES],
  description:
    'the first that fits: blacklisted (the key itself, or by the ban of the project in `ban`); paused; grace (ended, and runs on for the grace of its plan) or expired; locked (from ads, before its first use in the network where it was earned); not_started (before starts_at, or its clock waits for the first use); issued (handed out, never used) or unused: never executed, without fingerprint and chat id; quota_spent; active',
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
        description: 'the network, the chat id, or of a device its masked fingerprint',
        examples: ['203.0.113.0/24'],
      }),
      reason: nullable(Type.String()),
      expires: nullable(Type.Integer({ description: 'null for never' })),
    },
    {
      description:
        'the ban of the project that hits the key: by a device that is bound to it, its chat account, or the network of its last run; of several the one that lasts longest. A ban of a part of that network (a /24 of IPv4, a /48 of IPv6) is not shown, as it may hit somebody else',
    },
  ),
)

/** A user as `/v1` shows them; a null limit means no limit. */
export const WideUser = named('User', {
  ...User.properties,
  status: UserStatus,
  ban: UserBan,
  plan_id: nullable(Type.String({ examples: ['pln_0VMc4VLkQ8sTuVwXyZaBcD'] })),
  plan: nullable(Type.String({ description: 'name of the plan', examples: ['Pro'] })),
  clock: ShownClock,
  has_own_clock: Type.Boolean({
    description: 'whether the clock is that of the key alone',
    examples: [false],
  }),
  clock_extra: Type.Integer({
    minimum: 0,
    description:
      'milliseconds that extensions and pauses added to the clock; when it waits for a first use, the key is valid for its duration and this',
    examples: [0],
  }),
  starts_at: nullable(Type.Integer({ description: 'no script runs before', examples: [1_790_000_000_000] })),
  paused: Paused,
  features: Features,
  own_features: OwnFeatures,
  quota: UsedQuota,
  ...shownLabels,
  foreign_device: nullable(
    Type.String({
      description: 'the device as another service named it, for a user who was moved from there',
      examples: ['a4f1-77d0-c3'],
    }),
  ),
  first_used_at: nullable(Type.Integer({ description: 'first execution since it is counted' })),
  last_used_at: nullable(Type.Integer({ description: 'last execution' })),
  max_instances: nullable(Type.Integer()),
  max_executions: nullable(Type.Integer()),
  max_devices: nullable(Type.Integer({ description: 'null where its plan says it, or it is one' })),
  match: ShownDeviceRule,
  use_fingerprint: Type.Boolean(),
  ad_system_id: nullable(Type.String()),
  created_at: Type.Integer(),
  project_id: Type.String(),
  issuer: nullable(
    Type.String({
      description:
        'the member or token without `users:read` that issued the user; null when they came otherwise',
    }),
  ),
  shared: Type.Boolean({
    description: 'whether the key was used in more networks than the share_threshold of the project',
    examples: [false],
  }),
  networks: Type.Integer({
    minimum: 0,
    description:
      'networks (/24 of IPv4, /48 of IPv6) in which it was used within seven days; counted up to 40',
    examples: [2],
  }),
  refused_devices: Type.Integer({
    minimum: 0,
    description: 'other devices that it was refused on within seven days; counted up to 40',
    examples: [0],
  }),
})
