// The strict parser for the hello, the only untrusted message of the handshake (client protocol §8), and for
// the library's key checks, which describe the host as a hello does. Their shapes and limits are in
// messages.ts.
import {
  ACCEPTED_VERSIONS,
  FINGERPRINT_STRENGTH,
  type Hello,
  LANGUAGE_TAG,
  type LibraryCheck,
  MAX_FINGERPRINT_COMPONENTS,
  MAX_MESSAGE_BYTES,
  MAX_USER_KEY_LENGTH,
  RUNTIMES,
} from './messages.ts'

/**
 * Describes why a hello was rejected: `member` is the path of the invalid field, and `mend` describes the
 * fix. The description never contains a value.
 */
export class BadHello {
  readonly member: string
  readonly mend: string

  constructor(member: string, mend: string) {
    this.member = member
    this.mend = mend
  }
}

/**
 * Parses the bytes of a decrypted hello: at most 64 KB of JSON in valid UTF-8, then the same checks as in
 * `readHello`.
 */
export function readHelloBytes(bytes: Uint8Array): Hello | BadHello {
  if (bytes.length > MAX_MESSAGE_BYTES)
    return new BadHello('hello', `must have at most ${MAX_MESSAGE_BYTES} bytes`)
  try {
    return readHello(JSON.parse(UTF8.decode(bytes)))
  } catch {
    return new BadHello('hello', 'must be JSON in UTF-8')
  }
}

/** Parses a key check from the library. Fields that also occur in a hello have the same names there. */
export function readLibraryCheck(bytes: Uint8Array): LibraryCheck | BadHello {
  try {
    const json: unknown = JSON.parse(UTF8.decode(bytes))
    if (!isObject(json)) return new BadHello('b', 'must be an object')
    return checkMembers(json, LIBRARY_CHECK, '') ?? (json as unknown as LibraryCheck)
  } catch {
    return new BadHello('b', 'must be JSON in UTF-8, in base64url')
  }
}

/**
 * Checks a parsed hello against §8 and returns the first error. Every field is checked for type, length and
 * allowed values. Unknown fields are rejected, so nothing nests deeper than two levels.
 */
export function readHello(json: unknown): Hello | BadHello {
  if (!isObject(json)) return new BadHello('hello', 'must be an object')
  return checkMembers(json, HELLO, '') ?? (json as unknown as Hello)
}

/** The decoder is created once, because creating a decoder costs more than decoding a hello. */
const UTF8 = new TextDecoder('utf-8', { fatal: true })

/** Returns the error in a value, or undefined. */
type Check = (value: unknown, path: string) => BadHello | undefined

interface Member {
  readonly check: Check
  readonly optional?: true
}

const HOST = {
  rt: { check: oneOf(RUNTIMES) },
  host: {
    check: object({
      executor: { check: string(1, 64) },
      version: { check: string(0, 64) },
      platform: { check: string(0, 64) },
    }),
  },
  fp: { check: checkFingerprint },
  lang: { check: language, optional: true },
} as const satisfies Readonly<Record<string, Member>>

const LIBRARY_CHECK: Readonly<Record<string, Member>> = {
  ...HOST,
  project_id: { check: string(1, 64) },
  key: { check: string(0, MAX_USER_KEY_LENGTH) },
  nonce: { check: nonce },
}

const HELLO: Readonly<Record<string, Member>> = {
  pv: { check: announced },
  lb: { check: integer(1, 1_000_000) },
  sv: { check: integer(0, 2 ** 31) },
  script: { check: string(1, 64) },
  key: { check: (value, path) => (value === null ? undefined : string(0, MAX_USER_KEY_LENGTH)(value, path)) },
  ...HOST,
  game: {
    optional: true,
    check: object({
      game_user_id: { check: string(0, 64), optional: true },
      place_id: { check: string(0, 64), optional: true },
      job_id: { check: string(0, 64), optional: true },
    }),
  },
  caps: {
    check: object({
      ws: { check: boolean },
      raw: { check: boolean },
      lz4: { check: boolean },
      buffer: { check: boolean },
      post: { check: boolean },
      max_body: { check: integer(0, 2 ** 40) },
      vm: { check: boolean, optional: true },
    }),
  },
  env: {
    optional: true,
    check: object({
      hooked: { check: integer(0, 2 ** 32 - 1), optional: true },
      c_request: { check: boolean, optional: true },
      c_loadstring: { check: boolean, optional: true },
    }),
  },
  t: { check: number, optional: true },
}

function checkMembers(
  value: Readonly<Record<string, unknown>>,
  members: Readonly<Record<string, Member>>,
  prefix: string,
): BadHello | undefined {
  for (const name of Object.keys(value)) {
    // The field name is untrusted, so it is truncated and sanitized before it can reach a log.
    if (!Object.hasOwn(members, name)) return new BadHello(prefix + plainName(name), 'is unknown; omit it')
  }
  for (const [name, member] of Object.entries(members)) {
    const bad = checkMember(value[name], member, prefix + name)
    if (bad) return bad
  }
  return undefined
}

function checkMember(value: unknown, member: Member, path: string): BadHello | undefined {
  if (value !== undefined) return member.check(value, path)
  return member.optional ? undefined : new BadHello(path, 'is missing')
}

function checkFingerprint(value: unknown, path: string): BadHello | undefined {
  if (!isObject(value)) return new BadHello(path, 'must be an object')
  const names = Object.keys(value)
  if (names.length > MAX_FINGERPRINT_COMPONENTS) {
    return new BadHello(path, `must have at most ${MAX_FINGERPRINT_COMPONENTS} components`)
  }
  for (const name of names) {
    // The `header` component is rejected: with it, a client could choose its fingerprint freely.
    if (name === 'header' || !Object.hasOwn(FINGERPRINT_STRENGTH, name)) {
      return new BadHello(`${path}.${plainName(name)}`, 'is not a component that a client may send')
    }
    const component = value[name]
    if (typeof component !== 'string' || !/^[\w-]{21}[AQgw]$/.test(component)) {
      return new BadHello(`${path}.${name}`, 'must be 16 bytes in base64url, 22 characters')
    }
  }
  return undefined
}

function object(members: Readonly<Record<string, Member>>): Check {
  return (value, path) =>
    isObject(value) ? checkMembers(value, members, `${path}.`) : new BadHello(path, 'must be an object')
}

function string(least: number, most: number): Check {
  return (value, path) => {
    if (typeof value !== 'string' || value.length < least || value.length > most) {
      return new BadHello(path, `must be a string of ${least} to ${most} characters`)
    }
    if (value.includes('\0') || !value.isWellFormed()) {
      return new BadHello(path, 'must be valid Unicode without NUL')
    }
    return undefined
  }
}

function integer(least: number, most: number): Check {
  return (value, path) =>
    Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most
      ? undefined
      : new BadHello(path, `must be a whole number from ${least} to ${most}`)
}

function announced(value: unknown, path: string): BadHello | undefined {
  return ACCEPTED_VERSIONS.includes(value as number)
    ? undefined
    : new BadHello(path, `must be a version from the boot record: ${ACCEPTED_VERSIONS.join(', ')}`)
}

function nonce(value: unknown, path: string): BadHello | undefined {
  const isNonce = typeof value === 'string' && /^[\w-]{16,64}$/.test(value)
  return isNonce ? undefined : new BadHello(path, 'must be 16 to 64 characters of base64url')
}

function language(value: unknown, path: string): BadHello | undefined {
  const isTag = typeof value === 'string' && LANGUAGE_TAG.test(value)
  return isTag ? undefined : new BadHello(path, 'must be 1 to 16 letters and hyphens')
}

function number(value: unknown, path: string): BadHello | undefined {
  return Number.isFinite(value) ? undefined : new BadHello(path, 'must be a number')
}

function boolean(value: unknown, path: string): BadHello | undefined {
  return typeof value === 'boolean' ? undefined : new BadHello(path, 'must be true or false')
}

function oneOf(allowed: readonly string[]): Check {
  return (value, path) =>
    allowed.includes(value as string) ? undefined : new BadHello(path, `must be one of ${allowed.join(', ')}`)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function plainName(name: string): string {
  return name.slice(0, 32).replace(/[^\w-]/g, '?')
}
