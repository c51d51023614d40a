// Shapes, limits and versions of the client protocol's messages, in both directions. The strict parser for
// the hello, the only untrusted message, is in hello.ts. Encryption and framing are in wire.ts.

/** The outer tag of every body (client protocol §8). A new cipher suite gets a new tag. */
export const PROTOCOL = 'lp1'

/** Version number of the inner message format, sent as `pv`. */
export const PROTOCOL_VERSION = 1

/** The values of `pv` announced in boot records. A hello with any other value is rejected. */
export const ACCEPTED_VERSIONS: readonly number[] = [PROTOCOL_VERSION]

/**
 * Build number of this release's loader, sent as `lb`. It increases whenever the behavior of the Lua code
 * changes.
 */
export const LOADER_BUILD = 9

/**
 * Oldest loader build that this release still serves. Older builds get the `outdated_loader` denial. Scripts
 * with heartbeats need a build that supports them.
 */
export const LOWEST_LOADER_BUILD = 1

/** A boot record is accepted for this long after its creation (§7). */
export const BOOT_LIFETIME_MS = 120_000

/** Largest inner message, in bytes of UTF-8 (§6). */
export const MAX_MESSAGE_BYTES = 65_536

/** Language tags in a hello and a key check: at most 16 letters and hyphens. */
export const LANGUAGE_TAG = /^[A-Za-z-]{1,16}$/

/** Maximum length of a user key, in characters. Other services' signed keys are long. */
export const MAX_USER_KEY_LENGTH = 512

/** Deepest nesting of an inner message (§6). */
export const MAX_MESSAGE_DEPTH = 32

/** Largest payload box that can be sent inside the reply, in characters of base64url (§8). */
export const MAX_INLINE_CHARACTERS = 524_288

/** A reply's JSON text is padded to a multiple of this many bytes (§8). */
export const REPLY_BLOCK_BYTES = 256

/** Maximum fingerprint components in one hello (§14). */
export const MAX_FINGERPRINT_COMPONENTS = 12

/** The loader's runtime, sent as `rt`. */
export const RUNTIMES = ['lua5.1', 'luajit', 'lua5.2', 'lua5.3', 'lua5.4', 'luau'] as const
export type Runtime = (typeof RUNTIMES)[number]

export type Strength = 'strong' | 'medium' | 'weak'

/**
 * Every fingerprint component with its strength as evidence (§14). The server computes `header` itself; a
 * hello never contains it.
 */
export const FINGERPRINT_STRENGTH: Readonly<Record<string, Strength>> = {
  header: 'strong',
  gethwid: 'strong',
  client_id: 'strong',
  machine_id: 'strong',
  product_uuid: 'strong',
  user_identifier: 'medium',
  hostname: 'weak',
  cpu: 'weak',
  os_user: 'weak',
  install_id: 'weak',
}

/**
 * A boot record, which is part of a loader or returned by `GET /boot` (§7). Binary fields are in base64url,
 * and times are in milliseconds on the server's clock.
 */
export interface UnsignedBootRecord {
  readonly v: 1
  /** First 4 bytes of the static public key's SHA-256, as 8 hex digits. */
  readonly kid: string
  /** Boot ID, 40 bytes. */
  readonly boot: string
  /** Boot ephemeral public key, 32 bytes. */
  readonly ek: string
  /** Entropy for the client, 32 bytes. */
  readonly seed: string
  readonly st: number
  /** Current script version. */
  readonly sv: number
  /** Lowest accepted loader build. */
  readonly minlb: number
  /** Accepted inner protocol versions. */
  readonly pv: readonly number[]
  /** Client base URLs in the order to try. */
  readonly urls: readonly string[]
}

export interface BootRecord extends UnsignedBootRecord {
  /** Ed25519 signature of `bootSignatureText`, 64 bytes. */
  readonly sig: string
}

/**
 * Reasons for rejecting a boot record, sent as HTTP 409 in plain JSON. The client then fetches `/boot` and
 * retries once (§7).
 */
export type BootFailure = 'boot_expired' | 'boot_reused' | 'boot_invalid' | 'kid_unknown'

/** The first encrypted message, from the client to the server (§8). */
export interface Hello {
  readonly pv: number
  readonly lb: number
  readonly sv: number
  readonly script: string
  readonly key: string | null
  readonly rt: Runtime
  readonly host: { readonly executor: string; readonly version: string; readonly platform: string }
  /** Maps component names to 22 characters of base64url (16 bytes). */
  readonly fp: Readonly<Record<string, string>>
  readonly game?: { readonly game_user_id?: string; readonly place_id?: string; readonly job_id?: string }
  readonly caps: Capabilities
  readonly env?: { readonly hooked?: number; readonly c_request?: boolean; readonly c_loadstring?: boolean }
  readonly t?: number
  /** The user's preferred language for denials, such as `pt` or `pt-BR`. */
  readonly lang?: string
}

/** A key check by the library for script hubs. */
export type LibraryCheck = Pick<Hello, 'rt' | 'host' | 'fp' | 'lang'> & {
  readonly project_id: string
  readonly key: string
  readonly nonce: string
}

/** Capabilities of the loader's host. `max_body` is in bytes. */
export interface Capabilities {
  readonly ws: boolean
  readonly raw: boolean
  readonly lz4: boolean
  readonly buffer: boolean
  readonly post: boolean
  readonly max_body: number
  /**
   * Whether the loader includes the interpreter for version `sv`. Absent if the loader does not support `vm`
   * payloads.
   */
  readonly vm?: boolean
}

/**
 * Describes how the script is delivered. `len` is the size of the encrypted part without its tag, and `size`
 * is the size after unpacking. A `source` payload is a chunk. A `vm` payload without `data` is data for the
 * interpreter that the loader includes. A `vm` payload with `data` is a chunk that contains this data between
 * the two offsets, which count from 0.
 */
export interface PayloadDescriptor {
  readonly mode: 'inline' | 'chunks' | 'ws'
  readonly kind: 'source' | 'vm'
  readonly z: 'none' | 'lz4'
  readonly len: number
  readonly chunks: number
  readonly size: number
  readonly data?: readonly [number, number]
}

/** Values available to the script as fields of `ward`. `seconds_left` is null if the key never expires. */
export interface Variables {
  readonly is_premium: boolean
  readonly executions: number
  readonly chat_id: string | null
  readonly seconds_left: number | null
  readonly note: string | null
  readonly script_name: string
  readonly supports_sessions: boolean
  /** Name of the key's plan. */
  readonly plan: string | null
  readonly features: Readonly<Record<string, true | number | string>>
  /** Whether the key has expired and is in its grace period. */
  readonly in_grace: boolean
  /**
   * The key's status during the run. `expired` occurs for keys that keep the version that was live when they
   * expired. Absent without a key.
   */
  readonly status?: 'active' | 'grace' | 'expired'
  /** The most recent announcement that applies to the script; absent if there is none. */
  readonly announcement?: Announcement
  /** The key's tags in the order they were assigned; absent if there are none. */
  readonly tags?: readonly string[]
  /** The `public` field of the key's metadata: any JSON except null. Absent if there is none. */
  readonly metadata?: unknown
  /**
   * JSON values that the owner set for the script and the key's plan. Absent in a grant if there are none.
   */
  readonly vars?: Readonly<Record<string, unknown>>
}

/** An announcement from the owner to everyone who runs a script. */
export interface Announcement {
  readonly id: string
  readonly text: string
  readonly level: 'info' | 'warning' | 'critical'
  /** Expiry in server ms. */
  readonly until: number
}

/**
 * Keys for the locked parts of a version, in base64url: the service key, or only the key of lock 0 for runs
 * with heartbeats.
 */
export type LockKeys = { readonly all: string } | { readonly cold: string }

/** Maximum server code calls per run per minute. A third of them may be made in one burst. */
export const DEFAULT_CALLS_PER_MINUTE = 60

/** The encrypted grant (§8). Times and intervals are in ms. */
export interface Grant {
  readonly ok: true
  /** Execution ID: 16 random bytes, 22 characters. */
  readonly exec: string
  /** Grant nonce, 32 bytes. */
  readonly gn: string
  readonly st: number
  readonly script: { readonly id: string; readonly name: string; readonly version: number }
  readonly vars: Variables
  readonly payload: PayloadDescriptor
  readonly beat: {
    readonly on: boolean
    readonly interval: number
    readonly grace: number
    readonly first: number
  }
  readonly ws: {
    readonly on: boolean
    readonly required: boolean
    readonly url: string | null
    readonly ping: number
    readonly deadline: number
  }
  readonly flags: {
    readonly silent: boolean
    readonly kick_outdated: boolean
    readonly free_for_all: boolean
  }
  /** Absent if nothing is locked. */
  readonly locks?: LockKeys
  /** The run's server code calls per minute; absent for the default. */
  readonly calls?: number
  /** True if the client should report script errors; otherwise absent. */
  readonly errors?: true
  /** Number of the function list that the client should report on; absent if it should not report any. */
  readonly probe?: number
  /**
   * Messages for the kicks that the client raises itself, in the language of the hello. Absent in English and
   * in runs that can't raise these kicks.
   */
  readonly kicks?: Readonly<Record<'session_lost' | 'heartbeat_lost', string>>
}

/** All denials of §9, with their numbers and default messages for the user. */
export const DENIALS = {
  rate_limited: { code: 1, message: 'Too many attempts. Wait a moment, then try again.' },
  outdated_loader: {
    code: 2,
    message: 'This loader is outdated. Get the current one from wherever you got the script.',
  },
  bad_request: {
    code: 3,
    message: 'The loader sent an invalid request. Get a new copy of the loader.',
  },
  script_not_found: {
    code: 4,
    message: 'This script no longer exists. Ask its author for a new loader.',
  },
  script_disabled: { code: 5, message: 'This script is currently disabled. Try again later.' },
  service_unavailable: { code: 6, message: 'This script is currently unavailable. Try again later.' },
  invalid_key: { code: 10, message: 'This key is not valid for this script. Check script_key.' },
  key_expired: { code: 11, message: 'This key has expired.' },
  blacklisted: { code: 12, message: 'This key or device is blocked.' },
  executor_not_allowed: {
    code: 13,
    message: "This script doesn't support your executor. Use another executor.",
  },
  fingerprint_mismatch: {
    code: 14,
    message: "This key is bound to another device. Ask the script's author to reset it.",
  },
  fingerprint_missing: {
    code: 15,
    message: "Your device couldn't be identified, and this script requires it.",
  },
  fingerprint_ambiguous: {
    code: 16,
    message:
      'Your executor sends more than one device ID. Turn off anything that modifies its requests, or use another executor.',
  },
  max_executions: {
    code: 17,
    message: "This key has no runs left. Ask the script's author for more.",
  },
  max_instances: { code: 18, message: 'This key is already running the maximum number of times.' },
  sessions_required: {
    code: 19,
    message: "This script needs WebSocket support, which your executor doesn't have.",
  },
  chat_required: { code: 20, message: 'Link your Discord account to this key first.' },
  join_required: { code: 21, message: "Join this script's Discord server first." },
  tampered: { code: 22, message: "This script's environment was modified." },
  key_paused: { code: 24, message: "This key is paused. Ask the script's author to resume it." },
  not_in_plan: { code: 25, message: "This key's plan doesn't include this script." },
  quota_spent: { code: 26, message: 'This key has used up its runs for now. Try again later.' },
  key_not_started: { code: 27, message: "This key isn't active yet. Try again later." },
  network_locked: {
    code: 23,
    message: "This key was earned on another network. Use it there first, or unlock it on your key's page.",
  },
} as const
export type DenialReason = keyof typeof DENIALS
/**
 * Denials reserved for other servers. This server never sends them, so their explanations are not shown
 * anywhere.
 */
export const UNSENT_DENIALS = ['tampered'] as const satisfies DenialReason[]

/**
 * Fields that only some denials include. `retry_after` is in seconds. Times in `details` are in milliseconds
 * on the server's clock.
 */
export interface DenialExtras {
  /**
   * Set for scripts with the `silent` flag (§13). The loader then prints nothing, and returns nil and the
   * reason.
   */
  readonly silent?: true
  readonly retry_after?: number
  readonly details?: Readonly<Record<string, string | number | boolean | null>>
  readonly ad_url?: string
  /** The most helpful URL and its purpose, shown below the message. */
  readonly link?: DenialLink
}

export interface DenialLink {
  readonly text: string
  readonly url: string
}

/** The encrypted denial (§9). */
export interface Denial extends DenialExtras {
  readonly ok: false
  readonly code: number
  readonly reason: DenialReason
  readonly message: string
}

/**
 * Response to `GET /keys`: the public keys that the server accepts. `not_after` is null for the current key.
 */
export interface PublicKeys {
  readonly keys: readonly {
    readonly kid: string
    readonly x25519: string
    readonly ed25519: string
    readonly not_after: number | null
  }[]
}

/** Builds a denial, with the message for its reason. */
export function denial(reason: DenialReason, extras: DenialExtras = {}): Denial {
  const { code, message } = DENIALS[reason]
  return { ok: false, code, reason, message, ...extras }
}
