/**
 * Resources and their fields as schemas, named as in the interface. Rules that involve several fields, and
 * everything that needs the database, belong in the domain functions.
 */
import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import { CONTROLS, ONE_LINE } from './text-patterns.ts'

type Typed = TSchema & { readonly type: string }

/**
 * Allows `null` in addition to a schema of one type, in the form that JSON Schema validators handle fastest.
 */
export function nullable<S extends Typed>(schema: S) {
  const { title: _other, ...same } = schema as S & { readonly title?: string }
  return Type.Unsafe<Static<S> | null>({ ...same, type: [schema.type, 'null'] })
}

/** A field that may be absent or null. On create, both mean the default. On edit, both mean "unchanged". */
export function maybe<S extends Typed>(schema: S) {
  return Type.Optional(nullable(schema))
}

/** Returns the fields that are neither absent nor null. An edit may change only these. */
export function given<B extends object>(body: B): Given<B> {
  return Object.fromEntries(
    Object.entries(body).filter(([, value]) => value !== undefined && value !== null),
  ) as Given<B>
}
export type Given<B> = { [M in keyof B]?: NonNullable<B[M]> }

/** A body or query with exactly these fields. */
export function members<P extends TProperties>(properties: P) {
  return Type.Object(properties, { additionalProperties: false })
}

/** A schema that the OpenAPI document and the SDK refer to by this name. */
export function named<P extends TProperties>(title: string, properties: P) {
  return Type.Object(properties, { title })
}

export const Yes = Type.Literal(true)
/** The response of an operation that returns no data. */
export const Done = named('Done', { success: Yes })

export const Milliseconds = Type.Integer({
  minimum: 0,
  maximum: 253_402_300_799_999,
})
/** A timestamp or duration with a custom description. */
export const milliseconds = (description: string) => Type.Integer({ ...Milliseconds, description })
export const Flag = Type.Boolean()
export const Count = Type.Integer({ minimum: 0, maximum: 2_147_483_647 })
/** A size in bytes. */
export const size = (description: string, example: number) =>
  Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: `${description}, in bytes`,
    examples: [example],
  })
/** A limit of a tier or a key. -1 means no limit. */
export const Limit = Type.Integer({
  minimum: -1,
  maximum: 2_147_483_647,
})

const PRINTABLE = `[^${CONTROLS}]`
const VISIBLE = `[^${CONTROLS}\\s]`
const BLANK = `[^${CONTROLS}\\S]`

/**
 * A string without control characters and with at least one visible character. Surrounding whitespace is
 * trimmed.
 */
export const NAME = {
  minLength: 1,
  maxLength: 1000,
  // Matches from the first visible character to the last one. Surrounding whitespace is trimmed, so it
  // doesn't count.
  pattern: `^${BLANK}*${VISIBLE}(?:${PRINTABLE}{0,98}${VISIBLE})?${BLANK}*$`,
  description: 'name of 1 to 100 characters without control characters. Surrounding spaces are removed',
}
export const Name = Type.String({ ...NAME, title: 'Name' })
/** A single line that may be empty. */
export const Note = Type.String({
  maxLength: 255,
  pattern: ONE_LINE,
  description: 'text of at most 255 characters without control characters',
})
const NO_LOCAL_PART = `\\s@<>()\\[\\]\\\\,;:"${CONTROLS}`
const LETTER = 'A-Za-z\\u00a1-\\uffff'
/**
 * A plain email address without a display name, quotes or a route. The domain must be a host name, not an
 * IP address.
 */
export const Email = Type.String({
  title: 'Email',
  minLength: 3,
  maxLength: 254,
  pattern: `^[^${NO_LOCAL_PART}]+@(?:[${LETTER}0-9-]+\\.)*[0-9]*[${LETTER}-][${LETTER}0-9-]*$`,
  description: 'email address',
})
/** An empty string means no URL. On edit, it removes the URL. */
export const WebhookAddress = Type.String({
  maxLength: 2048,
  description: 'URL (http or https). An empty string removes it',
})

/** An empty string means no support URL. On edit, it removes the URL. */
export const SupportAddress = Type.String({
  maxLength: 200,
  description:
    'URL (http or https) where denied customers find help, at most 200 characters. An empty string removes it',
  examples: ['https://shop.example.com/help'],
})

/** A project setting. 0 turns it off. */
export const ShareThreshold = Type.Integer({
  minimum: 0,
  maximum: 32,
  description:
    'maximum number of networks a key may be used from within seven days before it counts as shared. 0 turns detection off',
  examples: [6],
})

/** A project setting. 0 turns it off. */
export const ExpiringLead = Type.Integer({
  minimum: 0,
  maximum: 7_776_000_000,
  description:
    'how long before expiry to send the user.expiring event, in milliseconds, up to 90 days. 0 turns the event off',
  examples: [259_200_000],
})

export const KeyFormat = Type.String({
  maxLength: 64,
  description:
    'format of new keys: an optional prefix of up to 12 characters (A-Z and 0-9), followed by groups of X with at least 21 in total. Each X becomes a random character, except the last, which becomes a check character. An empty string restores the default of 32 letters and digits',
  examples: ['HUB-XXXXX-XXXXX-XXXXX-XXXXX-X'],
})

/** Path parameters accept any string. A string that isn't an ID results in `not_found`. */
export const ProjectParams = Type.Object({ project_id: Type.String() })
export const ScriptParams = Type.Object({ script_id: Type.String() })
/** The runtime that a loader is built for. The default loader runs in all runtimes. */
export const LoaderRuntime = Type.Enum(['luau', 'jit', '51', '54'], {
  description: 'runtime that the loader runs in. Default: a loader that runs in all runtimes',
})
export const LanguageTag = Type.String({
  pattern: '^[A-Za-z-]{1,16}$',
  description:
    'language of messages for the customer, such as `de`. Default, and fallback for unavailable languages: English',
})
export const CacheUse = Type.Enum(['read', 'write'], {
  description:
    'for hosts that can store loader code in files. `write` returns a loader that writes these files. `read` returns a much shorter loader that reads them, and requests `write` if they are outdated. Default: a loader that uses no files',
})
export const UserParams = Type.Object({ user_key: Type.String() })
export const CustomerParams = Type.Object({ id: Type.String() })
export const ApiKeyParams = Type.Object({ api_key: Type.String() })

const Cursor = Type.String({ maxLength: 100, description: 'cursor: the next value of the previous page' })
/** Query parameters of a list that supports only cursors. */
export const onward = {
  after: maybe(Cursor),
  limit: maybe(
    Type.Integer({
      minimum: 1,
      maximum: 1000,
      description: 'number of entries per page. Default: 100',
      examples: [50],
    }),
  ),
}
/** The actor who made a change. */
export const Actor = Type.Object({
  kind: Type.Unsafe<'api_key' | 'token' | 'person' | 'command_line' | 'chat' | 'job'>({
    type: 'string',
    enum: ['api_key', 'token', 'person', 'command_line', 'chat', 'job'],
    description: 'kind of actor',
  }),
  id: nullable(Type.String()),
  name: Type.String({ examples: ['dana@example.com'] }),
})
/** Paging by index. `from` is an index and `limit` is a count. Without them, the entire list is returned. */
export const Page = members({ from: maybe(Count), limit: maybe(Count) })

/** The API key as a parameter, for `auth: 'account'`. The header is preferred. */
export const ApiKeyMember = members({
  api_key: Type.Optional(Type.String({ description: 'API key, if it is not sent in a header' })),
})

/** Maps `MM/DD` to the number of executions on that day. */
export const DateMap = Type.Unsafe<Record<string, number>>({
  title: 'ExecutionsByDate',
  type: 'object',
  additionalProperties: { type: 'integer', minimum: 0 },
  description: 'executions per day for the last 30 days in UTC, oldest first, keyed by date (MM/DD)',
  examples: [{ '09/19': 1204, '09/20': 1180, '09/21': 1302 }],
})
export const ExecutionsByScript = Type.Unsafe<{ total: Record<string, number> }>({
  title: 'ExecutionsByScript',
  type: 'object',
  required: ['total'],
  properties: { total: DateMap },
  additionalProperties: DateMap,
  description: 'executions per day: `total`, and one entry per script keyed `<name> - <id>`',
  examples: [
    {
      total: { '09/20': 1180, '09/21': 1302 },
      'Watering - scr_0VMc4VLkM2pQrStUvWxYzA': { '09/20': 1180, '09/21': 1302 },
    },
  ],
})
export const ExecutorsAnswer = named('Executors', {
  success: Yes,
  executors: Type.Unsafe<Record<string, number>>({
    type: 'object',
    additionalProperties: { type: 'integer', minimum: 0 },
    description: 'executions by executor in the last 30 days, most used executor first',
    examples: [{ 'Garden Runner': 3120, Sprout: 566 }],
  }),
  percentages: Type.Unsafe<Record<string, number>>({
    type: 'object',
    additionalProperties: { type: 'number', minimum: 0, maximum: 100 },
    description: 'percentages with two decimals, which add up to 100 if there were any executions',
    examples: [{ 'Garden Runner': 84.64, Sprout: 15.36 }],
  }),
})

/**
 * Adds `after`: the `next` value of an earlier response. Paging with `after` is fast at any depth, unlike
 * paging by index.
 */
export const CursorPage = members({ ...Page.properties, after: maybe(Cursor) })

/** Adds the order, for lists that can start with the latest entry. */
export const OrderedPage = members({
  ...CursorPage.properties,
  order: Type.Optional(
    Type.Unsafe<'oldest' | 'newest'>({
      type: 'string',
      enum: ['oldest', 'newest'],
      description:
        'sort order by creation time. Default: oldest. A cursor is only valid with the order it was returned for',
      examples: ['newest'],
    }),
  ),
})

/** The cursor returned with each page. */
export const Next = nullable(
  Type.String({ description: 'cursor to pass as after to get the next page. Null on the last page' }),
)

const GUESTS = 'maximum number of devices that can run scripts without a key. -1 means unlimited'
export const GuestLimit = Type.Integer({ ...Limit, description: GUESTS })
export const Tier = named('UnversionedTier', {
  id: Type.Integer(),
  name: Type.String(),
  max_users: Type.Integer(),
  max_projects: Type.Integer(),
  max_scripts: Type.Integer(),
  free_for_all: Type.Integer({ description: GUESTS }),
  obfuscations: Type.Integer(),
  price: Type.Number(),
  max_ad_users: Type.Integer(),
  max_checkpoints: Type.Integer(),
  max_systems: Type.Integer(),
})

/** A tier as `/v1` returns it. */
export const WideTier = named('Tier', {
  ...Tier.properties,
  max_calls: Type.Integer(),
  log_days: Type.Integer(),
})

export const Customer = named('Customer', {
  id: Type.String(),
  chat_id: nullable(Type.String()),
  tier: Type.Integer(),
  email: Type.String(),
  plan_expires: Type.Integer(),
  created_at: Type.Integer(),
  obfuscations_used: Type.Integer(),
  bonus_obfuscations_left: Type.Integer(),
  admin: Type.Boolean(),
  verified: Type.Boolean(),
  blacklisted: Type.Boolean({ description: 'whether the account is blacklisted' }),
  blacklist_reason: nullable(Type.String()),
  total_projects: Type.Integer(),
  total_scripts: Type.Integer(),
  total_users: Type.Integer(),
  banned_users: Type.Integer(),
  unused_users: Type.Integer(),
  ffa_users: Type.Integer(),
  total_executions: Type.Integer(),
  total_ad_users: Type.Integer(),
  total_systems: Type.Integer(),
  total_checkpoints: Type.Integer(),
  total_sessions: Type.Integer(),
  total_instances: Type.Integer(),
})

/** The account as `/v1/account` returns it. */
export const Account = named('Account', {
  ...Customer.properties,
  allow_path_key: Type.Boolean({
    description: 'whether the account accepts its API key in the path (/customers/:api_key)',
    examples: [true],
  }),
  path_key_used_at: nullable(
    Type.Integer({
      description:
        'time of the last request with the API key in its path, to the hour. Null if there was none',
    }),
  ),
  api_key_waits: Type.Boolean({
    description: 'whether a new API key is waiting to be collected by an owner',
    examples: [false],
  }),
})

/** Grace period during which a replaced credential keeps working. */
export const Overlap = Type.Integer({
  minimum: 0,
  maximum: 86_400_000,
  description: 'how long the previous secret remains valid, in milliseconds, up to 24 hours. Default: 0',
  examples: [3_600_000],
})

export const Project = named('UnversionedProject', {
  id: Type.String(),
  name: Type.String(),
  fingerprint_reset_cooldown: Type.Integer(),
  allow_fingerprint_resets: Type.Boolean(),
  delete_expired_users: Type.Boolean(),
  execution_webhook: nullable(Type.String()),
  information_webhook: nullable(Type.String()),
  blacklist_webhook: nullable(Type.String()),
  total_executions: Type.Integer(),
  require_chat: Type.Boolean(),
  require_join_chat_server: Type.Boolean(),
  total_sessions: Type.Integer(),
  total_instances: Type.Integer(),
})

/** A project as `/v1` returns it. */
export const WideProject = named('Project', {
  ...Project.properties,
  allow_checks: Type.Boolean(),
  guests_need_device: Type.Boolean({
    description: 'whether guests of free-for-all scripts must have an identifiable device',
    examples: [false],
  }),
  support_url: nullable(
    Type.String({
      description: 'help URL shown to denied customers',
      examples: ['https://shop.example.com/help'],
    }),
  ),
  share_threshold: Type.Integer({
    description:
      'maximum number of networks a key may be used from within seven days before it counts as shared. 0 if detection is off',
    examples: [6],
  }),
  key_format: nullable(
    Type.String({
      description: 'format of new keys. Null if they have the default format of 32 letters and digits',
      examples: ['HUB-XXXXX-XXXXX-XXXXX-XXXXX-X'],
    }),
  ),
  expiring_lead: Type.Integer({
    description:
      'how long before expiry the user.expiring event is sent, in milliseconds. 0 if the event is off',
    examples: [259_200_000],
  }),
})

/** A Discord user ID. An empty string means no ID. On edit, it removes the ID. */
export const ChatId = Type.String({
  maxLength: 100,
  pattern: ONE_LINE,
  description:
    'chat account ID of at most 100 characters without control characters. An empty string means no chat account',
})
/**
 * The interface declares notes as numbers in one endpoint and as strings in another. They are stored as
 * strings.
 */
const looseText = (description: string) =>
  Type.Optional(
    Type.Unsafe<string | number | null>({ ...Note, type: ['string', 'number', 'null'], description }),
  )
export const LooseNote = looseText(
  'note on the key, at most 255 characters without control characters. Scripts can read it as ward.note, so customers may see it',
)
export const LooseReason = looseText(
  'reason for the blacklist, at most 255 characters without control characters. Denied customers can see it',
)
/** The Discord account that a key is linked to, which can't be empty. */
export const LinkedChatId = Type.String({
  ...ChatId,
  // The first visible character can match at only one position, so that an invalid string is scanned only
  // once.
  pattern: `^${BLANK}*${VISIBLE}${PRINTABLE}*$`,
  description: 'chat account ID of 1 to 100 characters without control characters',
})
/** The interface declares this time as a string. 0 means permanent. */
export const LooseMilliseconds = Type.Optional(
  Type.Unsafe<string | number | null>({
    type: ['string', 'integer', 'null'],
    minimum: 0,
    maximum: 253_402_300_799_999,
    pattern: '^\\d{1,15}$',
    description:
      'expiry of the blacklist, in Unix milliseconds, as a number or a string of digits. 0 or null makes it permanent',
  }),
)
/** Lua, LuaJIT or Luau source. The domain layer limits its size in bytes. */
export const ScriptSource = Type.String({ minLength: 1, description: 'source code' })

const files = (description: string) =>
  Type.Unsafe<Record<string, string> | null>({
    type: ['object', 'null'],
    additionalProperties: { type: 'string' },
    description,
    examples: [{ 'lib/shop.lua': 'return { price = 3 }' }],
  })
/** File contents by path. Null for a single-file script. */
export const Files = files('file contents by path. Paths are relative and use / as the separator')
/** The domain layer checks the paths, number and size of the files. */
export const MaybeFiles = Type.Optional(
  files('other files of the script by path, at most 2,000. Files that the script requires are built into it'),
)
export const ScriptPath = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'path of `script` among `files`. Default: main.lua',
  examples: ['main.lua'],
})

/** Options are stored with the script and with every version, and are read whenever one of these is read. */
const OPTIONS = {
  maxProperties: 100,
  additionalProperties: { type: ['string', 'number', 'boolean'], maxLength: 255 },
  description: 'obfuscator options by ID, as listed by GET /v1/obfuscator/options',
}
type OptionMap = Record<string, string | number | boolean>
/** Values by option ID. The domain layer checks them against the list of options. */
export const BuildOptions = Type.Unsafe<OptionMap>({ ...OPTIONS, type: 'object' })
export const MaybeBuildOptions = Type.Optional(
  Type.Unsafe<OptionMap | null>({ ...OPTIONS, type: ['object', 'null'] }),
)
/** The size limit is low because the smoke test is stored with every version. */
export const TestScript = Type.String({
  maxLength: 65_536,
  description: 'smoke test in Luau that runs the script by calling `script`. An empty string removes it',
})

export const NOTES =
  'release notes, at most 4,000 characters without control characters other than tabs and line breaks'
export const VersionNotes = Type.String({
  maxLength: 4000,
  pattern: '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]*$',
  description: NOTES,
  examples: ['Faster start on mobile'],
})
/** Under `/v1`, an upload may include release notes. */
export const uploadNotes = {
  notes: maybe(VersionNotes),
  notes_public: maybe(
    Type.Boolean({ description: 'whether customers see the notes on their page. Default: false' }),
  ),
}

export const Script = named('UnversionedScript', {
  id: Type.String(),
  name: Type.String(),
  free_for_all: Type.Boolean(),
  use_heartbeat: Type.Boolean(),
  kick_outdated: Type.Boolean(),
  enabled: Type.Boolean(),
  total_executions: Type.Integer(),
  require_sessions: Type.Boolean(),
  silent: Type.Boolean(),
})
/** A script as `/v1` returns it in lists. */
export const ListedScript = named('ListedScript', {
  ...Script.properties,
  report_errors: Type.Boolean(),
  staged_releases: Type.Boolean(),
  version: Type.Integer({ description: 'active version', examples: [3] }),
  disabled_message: nullable(
    Type.String({
      description: 'message shown to customers while the script is disabled',
      examples: ["Back at 18:00 UTC: we're moving to a bigger server"],
    }),
  ),
})
/** Game platform IDs have up to 20 digits. Numbers are accepted if JSON can represent them exactly. */
const TargetId = {
  type: ['string', 'integer'],
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
}
/** The maximum per script, counting places and games together. */
export const MAX_TARGETS = 200
const PLACES = 'IDs of the places in which the hub runs the script'
const GAMES =
  "IDs of the games (universes) in which the hub runs the script. `any` makes it the project's default script, which runs wherever no other script does"
/** If present, the list replaces the stored one. */
export const GivenPlaces = Type.Array(
  Type.Unsafe<string | number>({ ...TargetId, pattern: '^[1-9][0-9]{0,19}$' }),
  {
    maxItems: MAX_TARGETS,
    description: `${PLACES}. At most ${MAX_TARGETS} places and games`,
    examples: [['920587237']],
  },
)
export const GivenGames = Type.Array(
  Type.Unsafe<string | number>({ ...TargetId, pattern: '^([1-9][0-9]{0,19}|any)$' }),
  { maxItems: MAX_TARGETS, description: GAMES, examples: [['383310974']] },
)
/** The places and games in which the hub URL runs the script. */
export const targets = {
  places: Type.Array(Type.String(), { description: PLACES, examples: [['920587237']] }),
  games: Type.Array(Type.String(), { description: GAMES, examples: [['383310974']] }),
}
/** A script as `/v1` returns it. */
export const ScriptV1 = named('Script', { ...ListedScript.properties, options: BuildOptions, ...targets })
